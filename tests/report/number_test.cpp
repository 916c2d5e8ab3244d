#include "fugu/report/number.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using fugu::report::format_count;
using fugu::report::format_fixed;
using fugu::report::format_power;
using fugu::report::format_prefixed;
using fugu::report::format_significant;

// The narrow no-break space, U+202F.
#define THIN "\xE2\x80\xAF"

TEST(Number, CountsHaveThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1" THIN "000");
  EXPECT_EQ(format_count(-1234567), "−1" THIN "234" THIN "567");
  EXPECT_EQ(format_count(std::numeric_limits<std::int64_t>::min()),
            "−9" THIN "223" THIN "372" THIN "036" THIN "854" THIN "775" THIN "808");
}

TEST(Number, FixedDecimals) {
  EXPECT_EQ(format_fixed(1234.5, 2), "1" THIN "234.50");
  EXPECT_EQ(format_fixed(-0.001, 2), "0.00");  // no minus before a zero
  EXPECT_EQ(format_fixed(std::nan(""), 2), "–");
  EXPECT_EQ(format_fixed(-std::numeric_limits<double>::infinity(), 2), "−∞");
  EXPECT_EQ(format_fixed(std::numeric_limits<double>::max(), 17).substr(0, 3), "179");
}

TEST(Number, SignificantDigits) {
  EXPECT_EQ(format_significant(0.0), "0");
  EXPECT_EQ(format_significant(0.012345), "0.0123");
  EXPECT_EQ(format_significant(4.556), "4.56");
  EXPECT_EQ(format_significant(9.999), "10.0");
  EXPECT_EQ(format_significant(99.99), "100");
  EXPECT_EQ(format_significant(12345.6), "12" THIN "346");
  EXPECT_EQ(format_significant(-0.00001234), "−1.23×10⁻⁵");
  EXPECT_EQ(format_significant(6.02214e23, 4), "6.022×10²³");
  EXPECT_EQ(format_significant(std::numeric_limits<double>::denorm_min()), "4.94×10⁻³²⁴");
}

TEST(Number, Prefixes) {
  EXPECT_EQ(format_prefixed(999.6), "1.0k");
  EXPECT_EQ(format_prefixed(1234), "1.2k");
  EXPECT_EQ(format_prefixed(9960), "10k");
  EXPECT_EQ(format_prefixed(123456), "123k");
  EXPECT_EQ(format_prefixed(999600), "1.0M");
  EXPECT_EQ(format_prefixed(4.8e10), "48G");
  EXPECT_EQ(format_prefixed(7.26e12), "7.3T");
  EXPECT_EQ(format_prefixed(1.24e16), "1.2×10¹⁶");
}

TEST(Number, PowersOfTen) { EXPECT_EQ(format_power(0.00025, -4, 1), "2.5×10⁻⁴"); }

}  // namespace
