#include "fugu/metric/truth.hpp"

#include <gtest/gtest.h>

namespace {

using fugu::Raw;
using fugu::Result;
using fugu::SlotRow;

/// Hands out the given rows, then ends or fails.
class FixedSource final : public fugu::SlotSource {
 public:
  explicit FixedSource(std::vector<SlotRow> rows, bool fails_at_end = false)
      : rows_(std::move(rows)), fails_at_end_(fails_at_end) {}

  Result<bool> next(SlotRow& row) override {
    if (position_ == rows_.size()) {
      if (fails_at_end_) return fugu::Error{fugu::Cause::bad_input, "stream.csv:3: ragged row"};
      return false;
    }
    row = rows_[position_++];
    return true;
  }
  bool would_wait() override { return false; }
  const std::vector<std::string>& series() const override { return series_; }

 private:
  std::vector<std::string> series_ = {"north", "south"};
  std::vector<SlotRow> rows_;
  std::size_t position_ = 0;
  bool fails_at_end_;
};

TEST(TruthStream, ScalesStepsAndKeepsMissingMissing) {
  FixedSource source({{.slot = 7, .utc_offset_s = 0, .values = {Raw(3), Raw()}},
                      {.slot = 8, .utc_offset_s = 0, .values = {Raw(-25), Raw(0)}}});
  fugu::TruthStream truth(source, {.num = 1, .den = 10});
  EXPECT_EQ(truth.series(), (std::vector<std::string>{"north", "south"}));

  fugu::TruthRow row;
  ASSERT_TRUE(*truth.next(row));
  EXPECT_EQ(row.slot, 7);
  ASSERT_EQ(row.values.size(), 2U);
  EXPECT_EQ(row.values[0], 0.3);
  EXPECT_EQ(row.values[1], std::nullopt);
  ASSERT_TRUE(*truth.next(row));
  EXPECT_EQ(row.slot, 8);
  EXPECT_EQ(row.values[0], -2.5);
  EXPECT_EQ(row.values[1], 0.0);
  EXPECT_FALSE(*truth.next(row));
}

TEST(TruthStream, PassesErrorsOn) {
  FixedSource source({}, true);
  fugu::TruthStream truth(source, {.num = 1, .den = 1});
  fugu::TruthRow row;
  const auto result = truth.next(row);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message, "stream.csv:3: ragged row");
}

}  // namespace
