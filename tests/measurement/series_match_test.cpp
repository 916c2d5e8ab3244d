#include "fugu/measurement/series_match.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "network/builders.hpp"

namespace fugu::grid {
namespace {

using Quantity = SeriesMeaning::Quantity;

/// Customers c, d and e; nodes T, A and B.
Network network() {
  NetworkData data = test::small_network();
  data.customers = {{.id = "c", .node = "B"}, {.id = "d", .node = "B"}, {.id = "e", .node = "A"}};
  return *Network::make(data);
}

SeriesMap map_of(const std::string& rows) {
  auto map = SeriesMap::read(Input::from_memory("map.csv", "meter,series\n" + rows));
  if (!map) ADD_FAILURE() << map.error().message;
  return *std::move(map);
}

struct Matched {
  SeriesMatch match;
  std::string mistakes;
};
Matched match(const std::vector<std::string>& released, const std::vector<std::string>& measured,
              const SeriesMap* map = nullptr, MatchRules rules = {}) {
  std::vector<std::string> mistakes;
  Matched result{match_series(network(), released, measured, map, rules, mistakes), ""};
  for (const std::string& mistake : mistakes) result.mistakes += mistake + "\n";
  return result;
}

TEST(SeriesMatch, KnowsEveryKindOfName) {
  const SeriesMap map = map_of("d.p,box\ne.p,box\nd.q,box q\ne.q,box q\n");
  const Matched found =
      match({"c.p", "box", "box q", "c.q"}, {"transformer.p", "transformer.q", "transformer.v", "A.v", "B.v"}, &map);
  EXPECT_EQ(found.mistakes, "");
  EXPECT_EQ(found.match.released,
            (std::vector<SeriesMeaning>{
                {Quantity::customer_p, 0}, {Quantity::sum, 0}, {Quantity::sum, 1}, {Quantity::customer_q, 0}}));
  EXPECT_EQ(found.match.measured, (std::vector<SeriesMeaning>{{Quantity::transformer_p},
                                                              {Quantity::transformer_q},
                                                              {Quantity::transformer_v},
                                                              {Quantity::node_v, 1},
                                                              {Quantity::node_v, 2}}));
  EXPECT_EQ(found.match.sums, (std::vector<SumOfCustomers>{{"box", false, {1, 2}}, {"box q", true, {1, 2}}}));
}

TEST(SeriesMatch, ASumOfOneIsThatCustomer) {
  const SeriesMap map = map_of("c.p,first\nd.p,d.p\ne.p,e.p\n");
  const Matched found = match({"first", "d.p", "e.p"}, {}, &map);
  EXPECT_EQ(found.mistakes, "");
  EXPECT_EQ(found.match.released.front(), (SeriesMeaning{Quantity::customer_p, 0}));
  EXPECT_TRUE(found.match.sums.empty());
}

TEST(SeriesMatch, ANameMeansWhatTheMapSummedUpUnderIt) {
  const SeriesMap map = map_of("c.p,c.p\nd.p,c.p\ne.p,e.p\n");
  const Matched found = match({"c.p", "e.p"}, {}, &map);
  EXPECT_EQ(found.match.released.front().quantity, Quantity::sum) << "two customers, whatever the name";
}

TEST(SeriesMatch, CustomerIdsMayHoldDots) {
  NetworkData data = test::small_network();
  data.customers = {{.id = "10.p", .node = "B"}};
  std::vector<std::string> mistakes;
  const SeriesMatch found =
      match_series(*Network::make(data), std::vector<std::string>{"10.p.p"}, {}, nullptr, {}, mistakes);
  EXPECT_TRUE(mistakes.empty());
  EXPECT_EQ(found.released.front(), (SeriesMeaning{Quantity::customer_p, 0}));
}

TEST(SeriesMatch, EveryMistakeIsListedAtOnce) {
  const SeriesMap map = map_of("d.p,mixed\ne.q,mixed\nx.p,far\ny.p,far\n");
  const Matched found =
      match({"c.q", "nobody.p", "mixed", "far", "Z.v"}, {"transformer.v", "transformer.v", "total"}, &map);
  for (const char* part :
       {"2 released series are of nobody in this network: 'nobody.p', 'Z.v'; 3 of 5 match. Expected CUSTOMER.p",
        "series 'mixed' adds up kW and kvar", "series 'far' adds up 2 meters of nobody in this network: 'x.p', 'y.p'",
        "measured series 'transformer.v' is there twice", "1 measured series is of nobody in this network: 'total'",
        "1 customer has kvar and no kW: 'c'", "2 customers have no measurement: 'd', 'e'"})
    EXPECT_NE(found.mistakes.find(part), std::string::npos) << part << "\nis not in\n" << found.mistakes;
  EXPECT_EQ(std::ranges::count(found.mistakes, '\n'), 7) << found.mistakes;
}

TEST(SeriesMatch, AReleaseOfAnotherNetworkIsNamedAsThat) {
  const Matched found = match({"C1.p", "C2.p", "C3.p", "C4.p", "C5.p", "C6.p", "C7.p"}, {});
  EXPECT_NE(found.mistakes.find("7 released series are of nobody in this network: 'C1.p', 'C2.p', 'C3.p', 'C4.p', "
                                "'C5.p' and 2 more; 0 of 7 match. The file belongs to another network"),
            std::string::npos)
      << found.mistakes;
}

TEST(SeriesMatch, NothingIsKnownTwice) {
  const Matched found = match({"c.p", "d.p", "e.p"}, {"d.p"});
  EXPECT_EQ(found.mistakes,
            "measured series 'd.p' says what released series 'd.p' says already; expected one of them\n");
  const SeriesMap map = map_of("c.p,alias\n");
  EXPECT_NE(match({"alias", "c.p", "d.p", "e.p"}, {}, &map)
                .mistakes.find("released series 'c.p' says what released series 'alias' says already"),
            std::string::npos);
}

TEST(SeriesMatch, CustomersWithoutMeasurementMayBeAllowed) {
  EXPECT_EQ(match({"c.p"}, {}).mistakes,
            "2 customers have no measurement: 'd', 'e'; expected one of each, unless customers "
            "without any are allowed\n");
  EXPECT_EQ(match({"c.p"}, {}, nullptr, {.allow_unmeasured = true}).mistakes, "");
  const SeriesMap map = map_of("d.p,box\ne.p,box\n");
  EXPECT_EQ(match({"c.p", "box"}, {}, &map).mistakes, "") << "a sum is a measurement";
}

/// What the matching has to say, worked out another way: a table of all names that mean something.
bool is_in_order(const std::vector<std::string>& released, const std::vector<std::string>& measured) {
  const std::vector<std::string> known = {"c.p", "c.q", "d.p",           "d.q",           "e.p", "e.q",
                                          "T.v", "A.v", "transformer.p", "transformer.v", "B.v", "transformer.q"};
  std::vector<std::string> all = released;
  all.insert(all.end(), measured.begin(), measured.end());
  std::ranges::sort(all);
  if (std::ranges::adjacent_find(all) != all.end()) return false;
  const auto has = [&](const std::string& name) { return std::ranges::binary_search(all, name); };
  if (!std::ranges::all_of(all, [&](const auto& name) { return std::ranges::find(known, name) != known.end(); }))
    return false;
  return has("c.p") && has("d.p") && has("e.p");
}

TEST(SeriesMatch, AcceptsExactlyWhatIsInOrder) {
  const std::vector<std::string> words = {
      "c.p", "c.q", "d.p", "d.q", "e.p", "e.q", "T.v", "A.v", "B.v", "transformer.p", "transformer.q", "transformer.v",
      "c.v", "T.p", "",    ".",   ".p",  "c.",  "c",   "C.p", "p"};
  std::mt19937 dice(17);
  std::size_t accepted = 0;
  constexpr int kRounds = 20'000;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::string> files[2];
    // Mostly names in order, each once, and now and then one that spoils it.
    for (std::size_t word = 0; word < 12; ++word) {
      if (word == 0 || word == 2 || word == 4 ? dice() % 30 != 0 : dice() % 2 == 0)
        files[dice() % 2].push_back(words[word]);
    }
    if (dice() % 2 == 0) files[dice() % 2].push_back(words[dice() % words.size()]);
    std::shuffle(files[0].begin(), files[0].end(), dice);
    const Matched found = match(files[0], files[1]);
    ASSERT_EQ(found.mistakes.empty(), is_in_order(files[0], files[1])) << found.mistakes;
    ASSERT_EQ(found.match.released.size(), files[0].size());
    ASSERT_EQ(found.match.measured.size(), files[1].size());
    accepted += found.mistakes.empty();
  }
  EXPECT_GT(accepted, kRounds / 5u);
  EXPECT_LT(accepted, kRounds * 4u / 5u);
}

TEST(SeriesMatch, TakesAnyBytesForNames) {
  std::mt19937 dice(18);
  const SeriesMap map = map_of("c.p,a\nd.p,a\n");
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::string> names;
    for (std::size_t i = dice() % 6; i > 0; --i) {
      std::string name;
      for (std::size_t length = dice() % 12; length > 0; --length)
        name += dice() % 3 == 0 ? static_cast<char>(dice()) : "cde.pqv.transformerA"[dice() % 20];
      names.push_back(name);
    }
    std::vector<std::string> mistakes;
    const SeriesMatch found = match_series(network(), names, names, &map, {.allow_unmeasured = true}, mistakes);
    ASSERT_EQ(found.released.size(), names.size());
    ASSERT_EQ(mistakes.empty(), names.empty()) << "what is in both files is said twice, or means nothing";
  }
}

}  // namespace
}  // namespace fugu::grid
