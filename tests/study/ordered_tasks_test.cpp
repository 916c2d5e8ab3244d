// Tasks on many threads: results in order, and what happens to those around one that fails.
#include "fugu/study/ordered_tasks.hpp"

#include <gtest/gtest.h>

namespace fugu {
namespace {

TEST(OrderedTasks, AreTakenInOrderWhateverTheThreads) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    std::vector<std::size_t> taken;
    const auto done = run_in_order<std::size_t>(
        {.threads = threads, .from = 3}, 200, [](std::size_t i) -> Result<std::size_t> { return i * i; },
        [&](std::size_t i, std::size_t square) -> Result<void> {
          EXPECT_EQ(square, i * i);
          taken.push_back(i);
          return {};
        });
    ASSERT_TRUE(done);
    ASSERT_EQ(taken.size(), 197U);
    for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i], i + 3);
  }
}

TEST(OrderedTasks, AllBeforeTheFirstFailureAreTaken) {
  std::size_t taken = 0;
  const auto done = run_in_order<std::size_t>(
      {.threads = 4}, 100,
      [](std::size_t i) -> Result<std::size_t> {
        if (i == 40 || i == 60) return Error{Cause::bad_input, std::to_string(i)};
        return i;
      },
      [&](std::size_t, std::size_t) -> Result<void> {
        ++taken;
        return {};
      });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "40");
  EXPECT_EQ(taken, 40U);
}

TEST(OrderedTasks, AnErrorOfTheTakerEndsThem) {
  const auto done = run_in_order<int>(
      {.threads = 2}, 1000, [](std::size_t) -> Result<int> { return 1; },
      [](std::size_t i, int) -> Result<void> {
        if (i == 5) return Error{Cause::environment, "disk"};
        return {};
      });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "disk");
}

TEST(OrderedTasks, NothingToDo) {
  EXPECT_TRUE(run_in_order<int>(
      {.threads = 2, .from = 5}, 5, [](std::size_t) -> Result<int> { return 1; },
      [](std::size_t, int) -> Result<void> { return {}; }));
}

}  // namespace
}  // namespace fugu
