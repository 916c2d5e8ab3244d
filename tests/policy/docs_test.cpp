// The examples of docs/concepts/policies.md are read as they stand there.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "build.hpp"

namespace fugu {
namespace {

std::vector<std::string> fenced_blocks(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.emplace_back();
    } else if (inside) {
      blocks.back().append(line).append("\n");
    }
  }
  return blocks;
}

TEST(PolicyDocs, EveryExampleIsRead) {
  PolicyOptions options;
  options.unit_step = *UnitStep::parse("0.1");
  options.clock = Clock(1774738800, 900);  // 2026-03-29T00:00:00+01:00
  options.utc_offset_s = 3600;
  options.series = {"park", "bar", "sit", "eat", "walk"};
  std::vector<std::size_t> sizes;
  for (const std::string& block : fenced_blocks(FUGU_TEST_DATA "/../../docs/concepts/policies.md")) {
    const auto book = read_policy_book(test::text_input(block), options);
    ASSERT_TRUE(book) << book.error().message << "\n" << block;
    sizes.push_back(book->size());
  }
  // Weekdays from 30 March to 29 May, and eight nights.
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 2, 3, 0, 45 + 8, 3, 2}));
}

}  // namespace
}  // namespace fugu
