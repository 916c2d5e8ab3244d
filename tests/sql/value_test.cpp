// Numbers, types and constants.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "fugu/sql/decimal_number.hpp"
#include "fugu/sql/type.hpp"

namespace fugu::querylog {
namespace {

std::string text(std::string_view written) {
  const auto number = DecimalNumber::parse(written);
  return number ? number->text() : "none";
}

TEST(DecimalNumbers, HaveOneText) {
  for (const char* const five : {"5", "5.0", "05", "5.", "+5", "0.5e1", "50E-1", " 5 ", "5.000e+0"})
    EXPECT_EQ(text(five), "5");
  EXPECT_EQ(text("-0.0"), "0");
  EXPECT_EQ(text(".5"), "0.5");
  EXPECT_EQ(text("-12.340"), "-12.34");
  EXPECT_EQ(text("1e-3"), "0.001");
  EXPECT_EQ(text("123456789012345678901234567890"), "123456789012345678901234567890");
  for (const char* const none : {"", ".", "-", "e5", "1e", "5x", "0x10", "1 2", "NaN", "1e99999", "1e-1001"})
    EXPECT_EQ(text(none), "none") << none;
  EXPECT_EQ(DecimalNumber(-120).text(), "-120");
}

RC_GTEST_PROP(DecimalNumbers, OrderAsIntegersDo, (std::int32_t a, std::int32_t b)) {
  const std::int64_t scale_a = *rc::gen::element(1, 10, 1000);
  const std::int64_t scale_b = *rc::gen::element(1, 10, 1000);
  const auto number = [](std::int32_t value, std::int64_t scale) {
    const std::string exponent = scale == 1 ? "e0" : scale == 10 ? "e-1" : "e-3";
    return *DecimalNumber::parse(std::to_string(value) + exponent);
  };
  RC_ASSERT((number(a, scale_a) <=> number(b, scale_b)) == (a * (1000 / scale_a) <=> b * (1000 / scale_b)));
}

RC_GTEST_PROP(DecimalNumbers, RoundUpAndNextAreThoseOfIntegers, ()) {
  const auto thousandths = *rc::gen::inRange(-5000, 5000);
  const auto number = *DecimalNumber::parse(std::to_string(thousandths) + "e-3");
  const auto ceiling = static_cast<std::int64_t>(std::ceil(thousandths / 1000.0));
  const auto next = static_cast<std::int64_t>(std::floor(thousandths / 1000.0)) + 1;
  RC_ASSERT(number.rounded_up(0) == DecimalNumber(ceiling));
  RC_ASSERT(number.next(0) == DecimalNumber(next));
  const auto next_tenth = static_cast<std::int64_t>(std::floor(thousandths / 100.0)) + 1;
  RC_ASSERT(number.next(1) == *DecimalNumber::parse(std::to_string(next_tenth) + "e-1"));
  RC_ASSERT(number.negated().negated() == number);
}

std::string value(const Constant& constant, std::string_view type) {
  const auto read = value_of(constant, *type_named(type));
  if (!read) return "none";
  const auto* const number = std::get_if<DecimalNumber>(&*read);
  return number != nullptr ? number->text() : "'" + std::get<std::string>(*read) + "'";
}

TEST(ValueOf, OneValueHasManyForms) {
  using Kind = Constant::Kind;
  EXPECT_EQ(value({Kind::text, " 5.0 "}, "integer"), "5");
  EXPECT_EQ(value({Kind::number, "5"}, "text"), "'5'");
  EXPECT_EQ(value({Kind::text, "1970-01-02"}, "date"), "1");
  EXPECT_EQ(value({Kind::text, "1969-12-31"}, "date"), "-1");
  EXPECT_EQ(value({Kind::text, "1970-01-01 00:00:01.5"}, "timestamp"), "1500000");
  EXPECT_EQ(value({Kind::text, "1970-01-01T00:01"}, "timestamp"), "60000000");
  EXPECT_EQ(value({Kind::text, "1970-01-02"}, "timestamp"), "86400000000");
  EXPECT_EQ(value({Kind::text, "00:00:01"}, "time"), "1000000");
  EXPECT_EQ(value({Kind::boolean, "true"}, "boolean"), value({Kind::text, "t"}, "boolean"));
  EXPECT_EQ(value({Kind::text, "a  "}, "bpchar"), "'a'");
  EXPECT_EQ(value({Kind::text, "a  "}, "text"), "'a  '");
  EXPECT_EQ(value({Kind::null, ""}, "integer"), "none");
}

TEST(ValueOf, RefusesWhatHasNoValue) {
  using Kind = Constant::Kind;
  EXPECT_EQ(value({Kind::text, "five"}, "integer"), "none");
  for (const char* const date : {"1.2.2003", "2003-02-29", "2003-1-2", "2003-01-02 ", "03-01-02", "2003-01-02 10:00"})
    EXPECT_EQ(value({Kind::text, date}, "date"), "none") << date;
  for (const char* const time : {"2003-01-02 24:00", "2003-01-02 10:00:00+01", "2003-01-02 10", "2003-01-02 10:00:00."})
    EXPECT_EQ(value({Kind::text, time}, "timestamp"), "none") << time;
  EXPECT_EQ(value({Kind::text, "maybe"}, "boolean"), "none");
}

TEST(TypeNamed, ReadsPrecision) {
  const auto type = type_named("numeric", 8, 4);
  EXPECT_EQ(type->limit->text(), "9999.9999");
  EXPECT_TRUE(type->is_discrete());
  EXPECT_FALSE(type_named("numeric")->is_discrete());
  EXPECT_FALSE(type_named("numeric", 2, 3));
  EXPECT_FALSE(type_named("hstore"));
}

}  // namespace
}  // namespace fugu::querylog
