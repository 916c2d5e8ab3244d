// Results carry values and errors, move-only ones too, and the macros pass errors on.
#include "fugu/base/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

namespace fugu {
namespace {

Error some_error() { return {Cause::bad_input, "line 3: text where a number belongs"}; }

TEST(Result, HoldsAValue) {
  Result<int> result = 7;
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(*result, 7);
  *result = 8;
  EXPECT_EQ(*std::as_const(result), 8);
}

TEST(Result, HoldsAnError) {
  const Result<int> result = some_error();
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().cause, Cause::bad_input);
  EXPECT_EQ(result.error().message, some_error().message);
}

TEST(Result, VoidIsSuccessUnlessItIsAnError) {
  EXPECT_TRUE(Result<void>().has_value());
  const Result<void> failed = some_error();
  EXPECT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().message, some_error().message);
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  EXPECT_EQ(**result, 5);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 5);
}

TEST(Result, ConvertsToABaseClass) {
  struct Base {
    virtual ~Base() = default;
    virtual int id() const { return 1; }
  };
  struct Derived : Base {
    int id() const override { return 2; }
  };
  const Result<std::unique_ptr<Base>> result = std::make_unique<Derived>();
  EXPECT_EQ((*result)->id(), 2);
}

TEST(Result, ReachesMembers) {
  Result<std::string> result = std::string("abc");
  EXPECT_EQ(result->size(), 3u);
}

TEST(ResultDeathTest, StopsWhoTakesAValueThatIsNotThere) {
  const Result<int> failed = some_error();
  EXPECT_DEATH(static_cast<void>(*failed), "broken invariant");
  const Result<int> fine = 1;
  EXPECT_DEATH(static_cast<void>(fine.error()), "broken invariant");
}

Result<int> half_of(int n) {
  if (n % 2 != 0) return Error{Cause::usage, "odd"};
  return n / 2;
}

Result<int> quarter_of(int n) {
  FUGU_ASSIGN(const int half, half_of(n));
  FUGU_ASSIGN(const int quarter, half_of(half));
  return quarter;
}

Result<void> check_twice(int n, int& reached) {
  FUGU_TRY(half_of(n));
  reached = 1;
  FUGU_TRY(half_of(n / 2));
  reached = 2;
  return {};
}

Result<std::unique_ptr<int>> boxed(bool fails) {
  if (fails) return some_error();
  return std::make_unique<int>(9);
}

Result<int> unboxed(bool fails) {
  FUGU_ASSIGN(const std::unique_ptr<int> box, boxed(fails));
  return *box;
}

TEST(ResultMacros, AssignTakesTheValueOrReturnsTheError) {
  EXPECT_EQ(*quarter_of(12), 3);
  EXPECT_EQ(quarter_of(6).error().message, "odd");
  EXPECT_EQ(quarter_of(5).error().cause, Cause::usage);
}

TEST(ResultMacros, AssignWorksWithWhatCannotBeCopied) {
  EXPECT_EQ(*unboxed(false), 9);
  EXPECT_EQ(unboxed(true).error().message, some_error().message);
}

TEST(ResultMacros, TryReturnsAtTheFirstError) {
  int reached = 0;
  EXPECT_TRUE(check_twice(4, reached).has_value());
  EXPECT_EQ(reached, 2);
  reached = 0;
  EXPECT_FALSE(check_twice(6, reached).has_value());
  EXPECT_EQ(reached, 1);
}

TEST(Result, AnEmptyOptionalIsAValue) {
  const Result<std::optional<int>> nothing = std::nullopt;
  ASSERT_TRUE(nothing.has_value());
  EXPECT_FALSE(nothing->has_value());
}

TEST(ExitCodes, AreThoseOfTheCommandLine) {
  EXPECT_EQ(exit_code(Cause::usage), 2);
  EXPECT_EQ(exit_code(Cause::bad_input), 2);
  EXPECT_EQ(exit_code(Cause::refused), 3);
  EXPECT_EQ(exit_code(Cause::environment), 4);
}

}  // namespace
}  // namespace fugu
