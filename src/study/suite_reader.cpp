// TOML to Suite. Every complaint names file, line and column.
// On some texts that are not TOML ("[=") toml++ 3.3 has an assertion where an error belongs, and without assertions
// lets the compiler assume that it holds. Here it is an exception like its other errors, in every build.
namespace fugu {
struct TomlAssertion {};
[[noreturn]] static void fail_assertion() { throw TomlAssertion(); }
}  // namespace fugu
#undef NDEBUG
#define TOML_ASSERT(condition) ((condition) ? void() : ::fugu::fail_assertion())
#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "fugu/core/budget.hpp"
#include "fugu/stream/decimal.hpp"
#include "fugu/stream/location.hpp"
#include "fugu/study/suite.hpp"

namespace fugu {

namespace {

constexpr std::uint64_t kRunsMax = 1'000'000;
constexpr std::uint64_t kWindowMax = 1'000'000'000;
constexpr std::int64_t kSlotsMax = 100'000'000;
constexpr std::size_t kGridMax = 100'000;  // streams, or requirements: more is a slip

SuitePlace place_of(const toml::source_region& region) { return {region.begin.line, region.begin.column}; }

std::string_view kind_of(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "a list";
  if (node.is_string()) return "a text";
  if (node.is_number()) return "a number";
  if (node.is_boolean()) return "true or false";
  return "a date or time";
}

/// One table of the suite: knows which keys were asked for, and complains about the others.
class TableReader {
 public:
  TableReader(const std::string& file, const toml::table& table) : file_(file), table_(table) {}

  Error complain(const toml::source_region& where, std::string_view found, std::string_view expected) const {
    return found_but_expected({file_, where.begin.line, where.begin.column}, found, expected);
  }
  Error complain(const toml::node& node, std::string_view found, std::string_view expected) const {
    return complain(node.source(), found, expected);
  }

  const toml::node* find(std::string_view key) {
    known_.insert(key);
    return table_.get(key);
  }

  Result<std::string> text(std::string_view key, std::string otherwise) {
    const toml::node* node = find(key);
    if (node == nullptr) return otherwise;
    return text_of(*node, key);
  }

  Result<bool> flag(std::string_view key, bool otherwise) {
    const toml::node* node = find(key);
    if (node == nullptr) return otherwise;
    if (const auto value = node->value_exact<bool>()) return *value;
    return complain(*node, kind_of(*node), std::string(key) + " = true or false");
  }

  Result<double> number(std::string_view key, double otherwise, double least, double most) {
    const toml::node* node = find(key);
    if (node == nullptr) return otherwise;
    return number_of(*node, key, least, most);
  }

  Result<std::uint64_t> whole(std::string_view key, std::uint64_t otherwise, std::uint64_t least, std::uint64_t most) {
    const toml::node* node = find(key);
    if (node == nullptr) return otherwise;
    return whole_of(*node, key, least, most);
  }

  /// A number or a list of them. `otherwise` empty: there must be one.
  Result<std::vector<double>> numbers(std::string_view key, std::vector<double> otherwise, double least, double most) {
    std::vector<double> values;
    FUGU_ASSIGN(const bool given, each(key, "number", [&](const toml::node& node) -> Result<void> {
                  FUGU_ASSIGN(const double value, number_of(node, key, least, most));
                  values.push_back(value);
                  return {};
                }));
    if (!given && otherwise.empty())
      return complain(table_, "no " + std::string(key), std::string(key) + " = a number, or a list of them");
    return given ? std::move(values) : std::move(otherwise);
  }

  Result<std::vector<std::uint64_t>> wholes(std::string_view key, std::uint64_t least, std::uint64_t most) {
    std::vector<std::uint64_t> values;
    FUGU_ASSIGN(const bool given, each(key, "whole number", [&](const toml::node& node) -> Result<void> {
                  FUGU_ASSIGN(const std::uint64_t value, whole_of(node, key, least, most));
                  values.push_back(value);
                  return {};
                }));
    if (!given)
      return complain(table_, "no " + std::string(key), std::string(key) + " = a whole number, or a list of them");
    return values;
  }

  /// Texts with their places.
  struct Text {
    std::string text;
    SuitePlace place;
  };
  Result<std::vector<Text>> texts(std::string_view key) {
    std::vector<Text> values;
    FUGU_ASSIGN([[maybe_unused]] const bool given, each(key, "text", [&](const toml::node& node) -> Result<void> {
                  FUGU_ASSIGN(std::string value, text_of(node, key));
                  values.push_back({std::move(value), place_of(node.source())});
                  return {};
                }));
    return values;
  }

  /// All tables under `[[key]]`.
  Result<std::vector<const toml::table*>> tables(std::string_view key) {
    std::vector<const toml::table*> found;
    const toml::node* node = find(key);
    if (node == nullptr) return found;
    const std::string expected = "[[" + std::string(key) + "]] above each";
    const toml::array* list = node->as_array();
    if (list == nullptr) return complain(*node, kind_of(*node), expected);
    for (const toml::node& item : *list) {
      if (!item.is_table()) return complain(item, kind_of(item), expected);
      found.push_back(item.as_table());
    }
    return found;
  }

  /// When all keys have been asked for: none may be left.
  Result<void> finish() const {
    for (const auto& [key, node] : table_) {
      if (known_.contains(key.str())) continue;
      std::string names;
      for (const std::string_view name : known_) names.append(names.empty() ? "" : ", ").append(name);
      return complain(key.source(), "the key " + shown(key.str()), "one of " + names);
    }
    return {};
  }

  const toml::table& table() const { return table_; }

 private:
  Result<std::string> text_of(const toml::node& node, std::string_view key) const {
    if (const auto value = node.value_exact<std::string>()) return *value;
    return complain(node, kind_of(node), std::string(key) + " in quotes");
  }

  Result<double> number_of(const toml::node& node, std::string_view key, double least, double most) const {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    if (value && *value >= least && *value <= most) return *value;
    char range[80];
    std::snprintf(range, sizeof range, " from %.6g to %.6g", least, most);
    return complain(node, value ? "a number out of range" : kind_of(node), std::string(key).append(range));
  }

  Result<std::uint64_t> whole_of(const toml::node& node, std::string_view key, std::uint64_t least,
                                 std::uint64_t most) const {
    const auto value = node.value_exact<std::int64_t>();
    if (value && *value >= 0 && static_cast<std::uint64_t>(*value) >= least &&
        static_cast<std::uint64_t>(*value) <= most)
      return static_cast<std::uint64_t>(*value);
    return complain(
        node, value ? "a number out of range" : kind_of(node),
        std::string(key) + " as a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }

  /// Calls take(node) for the value, or for each of a list of values. Whether the key is there.
  template <class Take>
  Result<bool> each(std::string_view key, std::string_view what, Take&& take) {
    const toml::node* node = find(key);
    if (node == nullptr) return false;
    const toml::array* list = node->as_array();
    if (list == nullptr) {
      FUGU_TRY(take(*node));
      return true;
    }
    if (list->empty())
      return complain(*node, "an empty list", std::string(key) + " with at least one " + std::string(what));
    for (const toml::node& item : *list) FUGU_TRY(take(item));
    return true;
  }

  const std::string& file_;
  const toml::table& table_;
  std::set<std::string_view> known_;
};

/// `name` or `name:every`.
Result<SuiteMechanism> parse_mechanism(const std::string& file, const TableReader::Text& from) {
  SuiteMechanism mechanism{from.text, from.text, std::nullopt, from.place};
  const std::size_t colon = from.text.find(':');
  if (colon == std::string::npos) return mechanism;
  mechanism.name = from.text.substr(0, colon);
  const char* const begin = from.text.data() + colon + 1;
  const char* const end = from.text.data() + from.text.size();
  std::uint64_t every = 0;
  const auto parsed = std::from_chars(begin, end, every);
  if (parsed.ec != std::errc() || parsed.ptr != end || every < 1 || every > kWindowMax)
    return found_but_expected({file, from.place.line, from.place.column}, shown(from.text),
                              "NAME, or NAME:K for a release every K-th slot, K at least 1");
  mechanism.every_slots = every;
  return mechanism;
}

Result<void> read_mechanisms(TableReader& root, Suite& suite) {
  FUGU_ASSIGN(const auto names, root.texts("mechanisms"));
  if (names.empty())
    return root.complain(root.table(), "no mechanisms",
                         "mechanisms = [\"uniform\", …] or [\"all\"]: the grid is empty");
  for (const auto& name : names) {
    FUGU_ASSIGN(SuiteMechanism mechanism, parse_mechanism(suite.file, name));
    const bool twice = std::ranges::any_of(suite.mechanisms, [&](const auto& m) { return m.label == mechanism.label; });
    if (twice)
      return found_but_expected({suite.file, name.place.line, name.place.column}, shown(name.text) + " twice",
                                "each mechanism once");
    suite.mechanisms.push_back(std::move(mechanism));
  }
  return {};
}

Result<void> read_metrics(TableReader& root, Suite& suite) {
  FUGU_ASSIGN(const auto names, root.texts("metrics"));
  for (const auto& [name, place] : names) {
    bool known = name == "mae" || name == "rmse" || name == "mre";  // in every table anyway
    std::string list = "mae, rmse, mre";
    for (std::size_t i = 0; i < kMeasures; ++i) {
      const std::string_view measure = name_of(static_cast<Measure>(i));
      list.append(", ").append(measure);
      if (name != measure) continue;
      suite.measures[i] = true;
      known = true;
    }
    if (!known)
      return found_but_expected({suite.file, place.line, place.column}, "the metric " + shown(name), "one of " + list);
  }
  return {};
}

Result<void> read_gamma(TableReader& root, Suite& suite) {
  const toml::node* share = root.find("gamma_share");
  const toml::node* value = root.find("gamma");
  if (share != nullptr && value != nullptr) return root.complain(*share, "gamma and gamma_share", "one of the two");
  suite.gamma.is_share_of_sum = share != nullptr;
  if (share != nullptr) {
    FUGU_ASSIGN(suite.gamma.value, root.number("gamma_share", 0.001, 1e-12, 1));
  } else {
    FUGU_ASSIGN(suite.gamma.value, root.number("gamma", 1, 1e-12, 1e15));
  }
  return {};
}

/// "season80-amplitude100": only what varies, unless the suite says a name.
std::string artificial_name(const std::string& name, const std::vector<std::pair<std::string, double>>& varying) {
  std::string made = name;
  for (const auto& [key, value] : varying) {
    char text[32];
    std::snprintf(text, sizeof text, "%.12g", value);
    made.append(made.empty() ? "" : "-").append(key).append(text);
  }
  return made.empty() ? "artificial" : made;
}

Result<void> read_sensitivity(TableReader& table, SuiteStream& stream) {
  FUGU_ASSIGN(stream.sensitivity, table.number("sensitivity", 1, 1e-12, 1e12));
  FUGU_ASSIGN(stream.truncate, table.flag("truncate", false));
  FUGU_ASSIGN(const std::string budgets, table.text("budgets", "own"));
  if (budgets != "own" && budgets != "shared")
    return table.complain(*table.find("budgets"), shown(budgets), "budgets = \"own\" or \"shared\"");
  stream.budgets = budgets == "own" ? SuiteBudgets::own : SuiteBudgets::shared;
  return {};
}

Result<void> check_unit_step(TableReader& table, const SuiteStream& stream) {
  const auto step = UnitStep::parse(stream.unit_step);
  if (step) return {};
  return table.complain(*table.find("unit_step"), shown(stream.unit_step), "unit_step such as \"1\" or \"0.001\"");
}

std::string step_of(int decimals) {
  return decimals == 0 ? "1" : "0." + std::string(static_cast<std::size_t>(decimals) - 1, '0') + "1";
}

Result<void> read_artificial(TableReader& table, Suite& suite) {
  ArtificialOptions options;
  FUGU_ASSIGN(const std::string generator, table.text("generator", "thesis"));
  if (generator != "thesis" && generator != "as-published")
    return table.complain(*table.find("generator"), shown(generator), "generator = \"thesis\" or \"as-published\"");
  const bool as_published = generator == "as-published";
  options.form = as_published ? ArtificialForm::as_published : ArtificialForm::thesis;
  FUGU_ASSIGN(const std::uint64_t length, table.whole("length", 1000, 1, kSlotsMax));
  FUGU_ASSIGN(options.growth, table.number("growth", as_published ? 1.3 : 1.5, 1.000001, 100));
  FUGU_ASSIGN(const std::uint64_t decimals, table.whole("decimals", as_published ? 3 : 0, 0, 6));
  FUGU_ASSIGN(options.seed, table.whole("seed", suite.seed, 0, INT64_MAX));
  FUGU_ASSIGN(const auto seasons, table.numbers("season", {}, 2, 1e6));
  FUGU_ASSIGN(const auto amplitudes, table.numbers("amplitude", {}, 1e-6, 1e12));
  FUGU_ASSIGN(const auto levels, table.numbers("level", {as_published ? 2.0 : 0.0}, 0, 1e12));
  FUGU_ASSIGN(const auto sparsities, table.numbers("sparsity", {0}, 0, 0.999999));
  FUGU_ASSIGN(const std::string name, table.text("name", ""));
  SuiteStream stream;
  FUGU_TRY(read_sensitivity(table, stream));
  options.length_slots = static_cast<std::int64_t>(length);
  options.decimals = static_cast<int>(decimals);
  stream.unit_step = step_of(options.decimals);
  stream.place = place_of(table.table().source());
  if (seasons.size() * amplitudes.size() * levels.size() * sparsities.size() > kGridMax)
    return table.complain(table.table(), "more than 100000 streams", "fewer");
  for (const double level : levels) {
    for (const double sparsity : sparsities) {
      for (const double season : seasons) {
        for (const double amplitude : amplitudes) {
          options.season_slots = std::llround(season);
          options.amplitude = amplitude;
          options.level = level;
          options.sparsity = sparsity;
          std::vector<std::pair<std::string, double>> varying;
          if (name.empty() || seasons.size() > 1) varying.emplace_back("season", season);
          if (name.empty() || amplitudes.size() > 1) varying.emplace_back("amplitude", amplitude);
          if (levels.size() > 1) varying.emplace_back("level", level);
          if (sparsities.size() > 1) varying.emplace_back("sparsity", sparsity);
          stream.name = artificial_name(name, varying);
          stream.season_slots = season;
          stream.period_slots = static_cast<std::uint64_t>(std::llround(season / (1 - sparsity)));
          stream.amplitude = amplitude;
          stream.source = options;
          suite.streams.push_back(stream);
        }
      }
    }
  }
  return {};
}

Result<void> read_file_stream(TableReader& table, Suite& suite) {
  SuiteStream stream;
  SuiteFile file;
  FUGU_ASSIGN(file.path, table.text("file", ""));
  FUGU_ASSIGN(const auto series, table.texts("series"));
  FUGU_ASSIGN(const std::uint64_t slots, table.whole("slots", 0, 1, kSlotsMax));
  FUGU_ASSIGN(stream.name, table.text("name", file.path));
  FUGU_ASSIGN(stream.unit_step, table.text("unit_step", "1"));
  FUGU_TRY(check_unit_step(table, stream));
  FUGU_TRY(read_sensitivity(table, stream));
  if (table.find("season") != nullptr) {
    FUGU_ASSIGN(stream.period_slots, table.whole("season", 0, 2, 1'000'000'000));
    stream.season_slots = static_cast<double>(stream.period_slots);
  }
  for (const auto& one : series) file.series.push_back(one.text);
  file.slots_max = static_cast<std::int64_t>(slots);
  stream.place = place_of(table.find("file")->source());
  FUGU_ASSIGN(const bool each, table.flag("each_series", false));
  if (!each) {
    stream.source = std::move(file);
    suite.streams.push_back(std::move(stream));
    return {};
  }
  if (file.series.empty())
    return table.complain(*table.find("each_series"), "no series", "series = [\"column\", …] for each_series");
  const std::string name = stream.name;
  for (const auto& one : series) {
    stream.name = name + "-" + one.text;
    SuiteFile single = file;
    single.series = {one.text};
    stream.source = std::move(single);
    suite.streams.push_back(stream);
  }
  return {};
}

Result<void> read_stream(const toml::table& from, Suite& suite) {
  TableReader table(suite.file, from);
  if (table.find("file") != nullptr) {
    FUGU_TRY(read_file_stream(table, suite));
  } else {
    FUGU_TRY(read_artificial(table, suite));
  }
  return table.finish();
}

Result<void> read_policies(TableReader& table, const Suite& suite, SuiteRequirement& requirement) {
  const toml::node* node = table.find("policies");
  if (!node->is_table()) return table.complain(*node, kind_of(*node), "policies = { meters = 5, per_day = 12 }");
  TableReader from(suite.file, *node->as_table());
  SuitePolicies policies;
  FUGU_ASSIGN(policies.meters, from.whole("meters", 1, 1, 1'000'000));
  FUGU_ASSIGN(policies.per_day, from.number("per_day", 12, 0.1, 1000));
  FUGU_ASSIGN(policies.seed, from.whole("seed", suite.seed, 0, INT64_MAX));
  if (from.find("floor") != nullptr) {
    FUGU_ASSIGN(policies.floor_epsilon, from.number("floor", 1, 1e-9, 32768));
  }
  FUGU_TRY(from.finish());
  requirement.policies = policies;
  return {};
}

bool says_the_same(const SuiteRequirement& a, const SuiteRequirement& b) {
  return a.experiment == b.experiment && a.epsilon == b.epsilon && a.window_slots == b.window_slots &&
         a.policies == b.policies;
}

Result<void> read_requirement(const toml::table& from, Suite& suite) {
  TableReader table(suite.file, from);
  SuiteRequirement requirement;
  requirement.place = place_of(from.source());
  FUGU_ASSIGN(requirement.experiment, table.text("name", ""));
  if (requirement.experiment.find_first_of(",\"\n\r") != std::string::npos)
    return table.complain(*table.find("name"), "a name with comma, quote or line end", "one without");
  FUGU_ASSIGN(const auto epsilons, table.numbers("epsilon", {}, 1e-9, 32768));
  const bool is_policies = table.find("policies") != nullptr;
  std::vector<std::uint64_t> windows = {0};
  if (is_policies) {
    FUGU_TRY(read_policies(table, suite, requirement));
    if (const toml::node* w = table.find("w"))
      return table.complain(*w, "w", "w or policies: each policy says its own time");
  } else {
    FUGU_ASSIGN(windows, table.wholes("w", 1, kWindowMax));
  }
  FUGU_TRY(table.finish());
  if (epsilons.size() * windows.size() > kGridMax)
    return table.complain(from, "more than 100000 requirements", "fewer");
  for (const std::uint64_t w : windows) {
    for (const double epsilon : epsilons) {
      requirement.epsilon = epsilon;
      if (!is_policies) requirement.window_slots = w;
      const bool twice = std::ranges::any_of(
          suite.requirements, [&](const SuiteRequirement& other) { return says_the_same(other, requirement); });
      if (twice)
        return table.complain(from, "a requirement that is there already",
                              "each once, or a name of their own for each");
      suite.requirements.push_back(requirement);
    }
  }
  return {};
}

Result<void> check_names(const Suite& suite) {
  std::set<std::string_view> names;
  for (const SuiteStream& stream : suite.streams) {
    if (!names.insert(stream.name).second)
      return found_but_expected({suite.file, stream.place.line, stream.place.column},
                                "a second stream " + shown(stream.name), "another name");
    if (stream.name.find_first_of(",\"\n\r") != std::string::npos)
      return found_but_expected({suite.file, stream.place.line, stream.place.column}, "the name " + shown(stream.name),
                                "a name without comma, quote and line end");
  }
  return {};
}

Result<void> read_root(const toml::table& from, Suite& suite) {
  TableReader root(suite.file, from);
  FUGU_ASSIGN(suite.name, root.text("name", ""));
  FUGU_ASSIGN(suite.title, root.text("title", suite.name));
  FUGU_ASSIGN(suite.description, root.text("description", ""));
  FUGU_ASSIGN(suite.seed, root.whole("seed", 1, 0, INT64_MAX));
  FUGU_ASSIGN(suite.runs, root.whole("runs", 100, 1, kRunsMax));
  FUGU_TRY(read_gamma(root, suite));
  FUGU_TRY(read_metrics(root, suite));
  FUGU_TRY(read_mechanisms(root, suite));
  FUGU_ASSIGN(const auto streams, root.tables("stream"));
  FUGU_ASSIGN(const auto requirements, root.tables("requirement"));
  FUGU_TRY(root.finish());
  for (const toml::table* stream : streams) FUGU_TRY(read_stream(*stream, suite));
  for (const toml::table* requirement : requirements) FUGU_TRY(read_requirement(*requirement, suite));
  if (suite.streams.empty()) return root.complain(from, "no [[stream]]", "at least one: the grid is empty");
  if (suite.requirements.empty()) return root.complain(from, "no [[requirement]]", "at least one: the grid is empty");
  return check_names(suite);
}

bool ends_in_assertion(std::string_view text) {
  try {
    (void)toml::parse(text);
  } catch (const toml::parse_error&) {
    return false;
  } catch (const TomlAssertion&) {
    return true;
  }
  return false;
}

/// The first line with which a text ends in an assertion. The parser reads from front to back: all longer texts do,
/// too.
std::uint64_t line_of_assertion(std::string_view text) {
  std::vector<std::size_t> ends;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    ends.push_back(at + 1);
  const auto first =
      std::ranges::partition_point(ends, [&](std::size_t end) { return !ends_in_assertion(text.substr(0, end)); });
  return static_cast<std::uint64_t>(first - ends.begin()) + 1;
}

Result<toml::table> parse_toml(const Suite& suite) {
  const std::string_view text = suite.text;
  try {
    return toml::table(toml::parse(text));
  } catch (const toml::parse_error& error) {
    const SuitePlace place = place_of(error.source());
    return found_but_expected({suite.file, place.line, place.column}, error.description(), "TOML");
  } catch (const TomlAssertion&) {
    return found_but_expected({suite.file, line_of_assertion(text), 1}, "a line that cannot be read", "TOML");
  }
}

}  // namespace

Result<Suite> parse_suite(const std::string& file, std::string text) {
  Suite suite;
  suite.file = file;
  suite.text = std::move(text);
  FUGU_ASSIGN(const toml::table table, parse_toml(suite));
  FUGU_TRY(read_root(table, suite));
  if (suite.name.empty()) {
    const std::size_t slash = file.find_last_of('/');
    suite.name = file.substr(slash == std::string::npos ? 0 : slash + 1);
    suite.name = suite.name.substr(0, suite.name.rfind(".toml"));
  }
  if (suite.title.empty()) suite.title = suite.name;
  return suite;
}

}  // namespace fugu
