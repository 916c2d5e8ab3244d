// Random queries whose tokens and features are known before they are written down: code of its own, from the
// definitions.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "distance/builders.hpp"

namespace fugu::querylog {
namespace {

using mining::Fraction;
using test::Texts;

/// A query and what it should be made of.
struct Known {
  std::string text;
  Texts tokens;
  Texts features;
};

struct Named {
  std::string relation;
  std::string column;

  std::string full() const { return relation + "." + column; }
};

const std::vector<Named> kOfR = {{"r", "a"}, {"r", "b"}};
const std::vector<Named> kOfS = {{"s", "a"}, {"s", "d"}};

bool coin() { return *rc::gen::arbitrary<bool>(); }

/// The same name, as people may write it.
std::string written(const Named& name) {
  std::string text = name.full();
  if (coin())
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  return coin() ? text : "( " + text + ")";
}

std::string number(int value) {
  const std::string text = std::to_string(value);
  return *rc::gen::element(text, text + ".0", "'" + text + "'", text + "e0");
}

/// Adds a predicate of one attribute; `clause` is WHERE or HAVING.
std::string add_predicate(Known& known, const Named& name, const std::string& clause) {
  const int c = *rc::gen::inRange(0, 4);
  const std::string constant = std::to_string(c);
  struct Form {
    std::string text;
    std::string word;
    std::string constants;
  };
  const Form form = *rc::gen::element(
      Form{written(name) + " > " + number(c), ">", " " + constant},
      Form{number(c) + " < " + written(name), ">", " " + constant},
      Form{written(name) + "=" + number(c), "=", " " + constant}, Form{written(name) + " is  null", "IS NULL", ""},
      Form{written(name) + " in (" + number(c) + ", " + number(c) + ")", "IN", " " + constant},
      Form{written(name) + " between " + number(c) + " and 7", "BETWEEN", " " + constant + " 7"});
  known.tokens.insert(name.column + " " + form.word + form.constants);
  known.features.insert(clause + " " + name.full());
  known.features.insert(clause + " " + name.full() + " " + form.word);
  return form.text;
}

Known any_query() {
  Known known{.text = "SELECT ", .tokens = {"SELECT", "FROM", "r"}, .features = {"FROM r"}};
  const bool joins = coin();
  std::vector<Named> names = kOfR;
  if (joins) names.insert(names.end(), kOfS.begin(), kOfS.end());
  const auto any = [&names] { return *rc::gen::elementOf(names); };
  if (coin()) {
    known.text += "DISTINCT ";
    known.tokens.insert("DISTINCT");
  }
  const Named first = any();
  known.text += written(first);
  known.tokens.insert(first.column);
  known.features.insert("SELECT " + first.full());
  if (coin()) {
    const Named second = any();
    known.text += ", SUM( " + written(second) + ") AS total";
    known.tokens.insert({"function sum", second.column});
    known.features.insert({"SELECT " + second.full(), "SELECT sum " + second.full()});
  }
  known.text += " FROM r";
  if (joins) {
    known.text += coin() ? " JOIN s ON s.d = r.b" : " inner join s on R.b=S.d";
    known.tokens.insert({"s", "JOIN", "ON", "b = d"});
    known.features.insert({"FROM s", "WHERE r.b", "WHERE s.d", "WHERE r.b = s.d"});
  }
  if (coin()) {
    known.text += " WHERE " + add_predicate(known, any(), "WHERE");
    known.tokens.insert("WHERE");
    if (coin()) {
      known.text += "\n AND " + add_predicate(known, any(), "WHERE");
      known.tokens.insert("AND");
    }
  }
  if (coin()) {
    const Named key = any();
    known.text += " ORDER BY " + written(key) + " desc";
    known.tokens.insert({"ORDER BY", "DESC", key.column});
    known.features.insert("ORDER BY " + key.full());
  }
  return known;
}

Fraction slow_distance(const Texts& a, const Texts& b) {
  Texts both;
  Texts any;
  std::ranges::set_intersection(a, b, std::inserter(both, both.end()));
  std::ranges::set_union(a, b, std::inserter(any, any.end()));
  if (any.empty()) return {0, 1};
  return {static_cast<std::uint32_t>(any.size() - both.size()), static_cast<std::uint32_t>(any.size())};
}

RC_GTEST_PROP(RandomQueries, HaveTheTokensAndFeaturesOfTheDefinitions, ()) {
  const Known known = any_query();
  RC_LOG() << known.text;
  RC_ASSERT(test::tokens_of(known.text) == known.tokens);
  RC_ASSERT(test::features_of(known.text) == known.features);
}

RC_GTEST_PROP(RandomQueries, HaveTheDistancesOfTheDefinitions, ()) {
  std::vector<Known> log;
  for (int i = 0; i < 6; ++i) log.push_back(any_query());
  Dictionary tokens_numbered;
  Dictionary features_numbered;
  std::vector<mining::ElementSet> token_sets;
  std::vector<mining::ElementSet> feature_sets;
  for (const Known& known : log) {
    const Statement statement = test::read(known.text);
    token_sets.push_back(tokens_numbered.numbers(tokens(statement, test::shop())));
    feature_sets.push_back(features_numbered.numbers(features(statement, test::shop())));
  }
  const auto by_token = mining::jaccard_distances(token_sets);
  const auto by_structure = mining::jaccard_distances(feature_sets);
  for (std::size_t a = 0; a < log.size(); ++a) {
    for (std::size_t b = 0; b < log.size(); ++b) {
      RC_ASSERT(by_token.fraction(a, b) == slow_distance(log[a].tokens, log[b].tokens));
      RC_ASSERT(by_structure.fraction(a, b) == slow_distance(log[a].features, log[b].features));
    }
  }
}

// All names of the schema replaced by others, in the order of the schema: what an encrypted log looks like to a
// provider.
RC_GTEST_PROP(RandomQueries, KeepTheirDistancesUnderNewNames, ()) {
  static const auto renamed_schema = Schema::from_text("s",
                                                       "CREATE TABLE x9 (x9 integer NOT NULL, k2 integer, k3 text);"
                                                       "CREATE TABLE k2 (x9 integer NOT NULL, m4 integer);");
  const auto renamed = [](std::string text) {
    const auto replace = [&text](const std::string& from, const std::string& to) {
      for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
      }
    };
    for (const auto& [from, to] : std::initializer_list<std::pair<const char*, const char*>>{{"r.a", "x9.x9"},
                                                                                             {"R.A", "x9.x9"},
                                                                                             {"r.b", "x9.k2"},
                                                                                             {"R.B", "x9.k2"},
                                                                                             {"R.b", "x9.k2"},
                                                                                             {"s.a", "k2.x9"},
                                                                                             {"S.A", "k2.x9"},
                                                                                             {"s.d", "k2.m4"},
                                                                                             {"S.D", "k2.m4"},
                                                                                             {"S.d", "k2.m4"},
                                                                                             {"FROM r", "FROM x9"},
                                                                                             {"JOIN s", "JOIN k2"},
                                                                                             {"join s", "join k2"}}) {
      replace(from, to);
    }
    return text;
  };
  const std::string a = any_query().text;
  const std::string b = any_query().text;
  for (const test::By by : {test::By::token, test::By::structure, test::By::access_area}) {
    RC_ASSERT(test::distance(by, a, b) == test::distance(by, renamed(a), renamed(b), *renamed_schema));
  }
}

}  // namespace
}  // namespace fugu::querylog
