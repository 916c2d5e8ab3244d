#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "fugu/mining/matrix_file.hpp"
#include "fugu/mining/set_distance.hpp"

namespace fugu::mining {
namespace {

Fraction f(std::uint32_t num, std::uint32_t den) { return {num, den}; }

/// As the definition has it, with the standard library's sets.
Fraction slow_jaccard(const ElementSet& a, const ElementSet& b) {
  ElementSet both;
  ElementSet any;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  std::ranges::set_union(a, b, std::back_inserter(any));
  if (any.empty()) return {0, 1};
  return {static_cast<std::uint32_t>(any.size() - both.size()), static_cast<std::uint32_t>(any.size())};
}

std::vector<ElementSet> some_sets(std::uint32_t elements) {
  return *rc::gen::container<std::vector<ElementSet>>(
      rc::gen::map(rc::gen::container<ElementSet>(rc::gen::inRange<std::uint32_t>(0, elements)), [](ElementSet set) {
        std::ranges::sort(set);
        set.erase(std::unique(set.begin(), set.end()), set.end());
        return set;
      }));
}

TEST(DistanceMatrix, KeepsFractionsInFourBytesWhileTheyFit) {
  DistanceMatrix matrix(3);
  matrix.set(0, 1, f(65'535, 65'535));
  matrix.set(2, 0, f(100'000, 200'000));  // fits when reduced
  EXPECT_EQ(matrix.bytes_a_pair(), 4u);
  matrix.set(1, 2, f(1, 65'537));
  EXPECT_EQ(matrix.bytes_a_pair(), 8u);
  EXPECT_EQ(matrix.fraction(1, 0), f(1, 1));
  EXPECT_EQ(matrix.fraction(0, 2), f(1, 2));
  EXPECT_EQ(matrix.fraction(2, 1), f(1, 65'537));
  EXPECT_EQ(matrix.fraction(2, 2), f(0, 1));
}

TEST(DistanceMatrix, ARowIsWhatAtSays) {
  for (const bool wide : {false, true}) {
    DistanceMatrix matrix(7);
    for (std::size_t a = 1; a < 7; ++a) {
      for (std::size_t b = 0; b < a; ++b)
        matrix.set(a, b, f(static_cast<std::uint32_t>(a * 7 + b), wide ? 99'991 : 99));
    }
    std::vector<double> row(7);
    for (std::size_t a = 0; a < 7; ++a) {
      matrix.row(a, row);
      for (std::size_t b = 0; b < 7; ++b) EXPECT_EQ(row[b], matrix.at(b, a));
    }
  }
}

TEST(DistanceMatrix, OfNothingAndOfOne) {
  EXPECT_EQ(DistanceMatrix(0).size(), 0u);
  EXPECT_EQ(DistanceMatrix(1).fraction(0, 0), f(0, 1));
}

RC_GTEST_PROP(Fractions, CompareAsTheirDoublesDo, ()) {
  const auto any = [] {
    return Fraction{*rc::gen::inRange<std::uint32_t>(0, 65'536), *rc::gen::inRange<std::uint32_t>(1, 65'536)};
  };
  const Fraction a = any();
  const Fraction b = any();
  RC_ASSERT((a == b) == (a.to_double() == b.to_double()));
  RC_ASSERT((a < b) == (a.to_double() < b.to_double()));
}

TEST(Jaccard, Examples) {
  EXPECT_EQ(jaccard_distance({}, {}), f(0, 1));
  EXPECT_EQ(jaccard_distance({}, {1}), f(1, 1));
  EXPECT_EQ(jaccard_distance({1, 2, 3}, {2, 3, 4}), f(1, 2));
  EXPECT_EQ(jaccard_distance({5, 9}, {5, 9}), f(0, 1));
}

RC_GTEST_PROP(Jaccard, AllPairsAreWhatTheDefinitionSays, ()) {
  const auto sets = some_sets(*rc::gen::element<std::uint32_t>(3, 30, 3000));
  const DistanceMatrix matrix = jaccard_distances(sets);
  for (std::size_t a = 0; a < sets.size(); ++a) {
    for (std::size_t b = 0; b < sets.size(); ++b) {
      RC_ASSERT(matrix.fraction(a, b) == slow_jaccard(sets[a], sets[b]));
      RC_ASSERT(jaccard_distance(sets[a], sets[b]) == slow_jaccard(sets[a], sets[b]));
    }
  }
}

RC_GTEST_PROP(Jaccard, IsAMetric, ()) {
  const auto sets = some_sets(12);
  RC_PRE(sets.size() >= 3);
  const DistanceMatrix d = jaccard_distances(sets);
  for (std::size_t a = 0; a < sets.size(); ++a) {
    for (std::size_t b = 0; b < sets.size(); ++b) {
      RC_ASSERT(d.fraction(a, b) == d.fraction(b, a));
      RC_ASSERT(!(Fraction{1, 1} < d.fraction(a, b)));
      RC_ASSERT((d.fraction(a, b) == Fraction{0, 1}) == (sets[a] == sets[b]));
      for (std::size_t c = 0; c < sets.size(); ++c) {
        const Fraction ab = d.fraction(a, b);
        const Fraction bc = d.fraction(b, c);
        const Fraction sum{ab.num * bc.den + bc.num * ab.den, ab.den * bc.den};
        RC_ASSERT(!(sum < d.fraction(a, c)));
      }
    }
  }
}

TEST(Jaccard, ManySetsWithRareAndFrequentElements) {
  std::vector<ElementSet> sets;
  for (std::uint32_t i = 0; i < 300; ++i) {
    ElementSet set;
    for (std::uint32_t element = 0; element < 600; ++element) {
      if (element < 280 || (i * 31 + element * 17) % 97 == 0) set.push_back(element);  // over 255 in common
    }
    set.push_back(1000 + i / 2);
    sets.push_back(set);
  }
  const DistanceMatrix matrix = jaccard_distances(sets);
  for (std::size_t a = 0; a < sets.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b)
      ASSERT_EQ(matrix.fraction(a, b), slow_jaccard(sets[a], sets[b])) << a << " " << b;
  }
}

TEST(Jaccard, SetsTooLargeForFourBytes) {
  ElementSet large(40'000);
  std::iota(large.begin(), large.end(), 0u);
  ElementSet shifted(40'000);
  std::iota(shifted.begin(), shifted.end(), 39'999u);
  const std::vector<ElementSet> sets{large, shifted, {7}};
  const DistanceMatrix matrix = jaccard_distances(sets);
  EXPECT_EQ(matrix.fraction(0, 1), f(79'998, 79'999));
  EXPECT_EQ(matrix.fraction(0, 2), f(39'999, 40'000));
  EXPECT_EQ(matrix.fraction(1, 2), f(1, 1));
}

TEST(MatrixFile, ReadsWhatItWrites) {
  DistanceMatrix matrix(4);
  matrix.set(1, 0, f(3, 5));
  matrix.set(3, 2, f(1, 70'001));
  const std::vector<std::uint64_t> names{2, 3, 7, 19};
  std::string text = std::string(kMatrixHeader) + "\n";
  for (std::size_t item = 0; item < 4; ++item) text += matrix_lines(matrix, names, item);
  const auto read = read_matrix(Input::from_memory("m.csv", text));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->names, names);
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) EXPECT_EQ(read->distances.fraction(a, b), matrix.fraction(a, b));
  }
}

TEST(MatrixFile, RefusesWhatIsNoMatrix) {
  const auto error = [](const std::string& text) {
    const auto read = read_matrix(Input::from_memory("m.csv", text));
    return read ? "none" : read.error().message;
  };
  const std::string start = std::string(kMatrixHeader) + "\n";
  EXPECT_EQ(error(""), "m.csv: found an empty file; expected first,second,distance");
  EXPECT_EQ(error("a,b,c\n"), "m.csv:1:1: found another header; expected first,second,distance");
  const std::string end = "found the end of the file; expected the distances of each item to all items before it";
  EXPECT_EQ(error(start), "m.csv:1: " + end);
  EXPECT_EQ(error(start + "1,2,0/1\n1,3,0/1\n"), "m.csv:3: " + end);
  const std::string order = "found a pair out of order; expected each item with all items before it, in order";
  EXPECT_EQ(error(start + "1,2,0/1\n2,3,0/1\n"), "m.csv:3:1: " + order);
  EXPECT_EQ(error(start + "1,2,0/1\n1,2,0/1\n"), "m.csv:3:1: " + order);
  EXPECT_EQ(error(start + "1,1,0/1\n"), "m.csv:2:1: " + order);
  EXPECT_EQ(error(start + "2,1,0/1\n"), "m.csv:2:1: " + order);
  const std::string number = "expected a fraction between 0 and 1, as 3/5";
  for (const std::string cell : {"3/2", "1/0", "0.5", "-1/2", "1/2x", "", "1/99999999999"}) {
    EXPECT_EQ(error(start + "1,2," + cell + "\n"), "m.csv:2:5: found no distance; " + number);
  }
  EXPECT_EQ(error(start + "1,2\n"), "m.csv:2: found 2 fields; expected 3 fields");
  EXPECT_EQ(error(start + "a,2,0/1\n"),
            "m.csv:2:1: found an item that is no number; expected the numbers of two items");
}

}  // namespace
}  // namespace fugu::mining
