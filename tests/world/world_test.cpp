// Thousands of small histories of the whole publisher, and worlds that are broken on purpose: docs/guarantees/world.md.
#include "world.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

namespace fugu::test {
namespace {

std::uint64_t histories() {
  const char* given = std::getenv("FUGU_WORLD_HISTORIES");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 3000;
}

TEST(World, KeepsItsPromises) {
  const std::uint64_t first = seed_or(1);
  std::map<std::string, std::uint64_t> met;
  for (std::uint64_t seed = first; seed < first + histories(); ++seed) {
    World world(seed);
    ASSERT_TRUE(world.live().empty()) << "FUGU_TEST_SEED=" << seed << " FUGU_WORLD_HISTORIES=1 lives it again:\n"
                                      << world.trace();
    for (const std::string& what : world.met()) ++met[what];
  }
  for (const auto& [what, count] : met) RecordProperty("histories_with_" + what, std::to_string(count));
  if (histories() < 1000) return;
  EXPECT_EQ(met.size(), 16u) << "something never happens any more";
}

struct BrokenWorld {
  const char* name;
  Defect defect;
  const char* noticed;  ///< a part of what the model says
  std::optional<Only> only = {};
};

class BrokenWorlds : public ::testing::TestWithParam<BrokenWorld> {};

TEST_P(BrokenWorlds, AreNoticed) {
  constexpr std::uint64_t kMost = 20'000;
  for (std::uint64_t seed = 1; seed <= kMost; ++seed) {
    World world(seed, GetParam().defect, GetParam().only);
    for (const std::string& wrong : world.live()) {
      if (wrong.find(GetParam().noticed) != std::string::npos) {
        RecordProperty("histories", std::to_string(seed));
        return;
      }
    }
  }
  FAIL() << kMost << " histories, and nothing was noticed";
}

INSTANTIATE_TEST_SUITE_P(
    World, BrokenWorlds,
    ::testing::Values(BrokenWorld{"a_disk_that_does_not_sync", Defect::syncs_late, "before it was durable"},
                      BrokenWorld{"a_resume_that_does_not_sync", Defect::resumes_unsynced, "before it was durable"},
                      BrokenWorld{"moves_that_nobody_says", Defect::hides_moves, "although a policy"},
                      BrokenWorld{"moves_that_nobody_says_in_a_window", Defect::hides_moves, "lost more than",
                                  Only{"fast-w"}},
                      BrokenWorld{"meters_instead_of_households", Defect::forgets_households, "lost more than"},
                      BrokenWorld{"broken_policies_skipped", Defect::skips_broken_rows, "could not be read"},
                      BrokenWorld{"policies_forgotten", Defect::forgets_policies, "policy"},
                      BrokenWorld{"stamps_believed", Defect::believes_stamps, "before it began"},
                      BrokenWorld{"ledger_and_head_rolled_back", Defect::old_ledger_and_head, "two values"},
                      BrokenWorld{"rolled_back_without_a_head", Defect::removes_head, "two values"},
                      BrokenWorld{"a_second_ledger", Defect::starts_anew, "two values"},
                      BrokenWorld{"an_answer_cut_out", Defect::drops_answers, "without an answer"}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fugu::test
