#include "mistakes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "fugu/base/utf8.hpp"
#include "fugu/stream/location.hpp"

namespace fugu::grid::detail {
namespace {

/// What a quantity usually is in low-voltage networks. `max` is less than a thousand times `min`, so that a usual value
/// in a unit off by a thousand is outside; except for lengths, which show by R per km, and yearly energies, which
/// differ too much between a weekend house and a factory.
struct Usual {
  std::string_view name;
  std::string_view unit;
  double min;
  double max;
  bool may_be_zero = false;
};

constexpr Usual kNominal = {"nominal_kv", "kV", 0.1, 1.5};
constexpr Usual kFrequency = {"frequency_hz", "Hz", 16, 60};
constexpr Usual kLength = {"length_m", "m", 0.01, 5000};
constexpr Usual kResistance = {"r_ohm", "ohm per km", 0.02, 10};
constexpr Usual kReactance = {"x_ohm", "ohm per km", 0.02, 1, true};
constexpr Usual kCapacitance = {"c_nf", "nF per km", 4, 2000, true};
constexpr Usual kAmpacity = {"ampacity_a", "A", 10, 2000};
constexpr Usual kRated = {"rated_kva", "kVA", 10, 4000};
constexpr Usual kUpper = {"hv_kv", "kV", 2, 150};
constexpr Usual kLower = {"lv_kv", "kV", 0.1, 1.5};
constexpr Usual kShortCircuit = {"uk_percent", "%", 1, 20};
constexpr Usual kCopperLoss = {"copper_loss_kw", "kW per 100 kVA of rated power", 0.2, 6, true};
constexpr Usual kIronLoss = {"iron_loss_kw", "kW per 100 kVA of rated power", 0.02, 2, true};
constexpr Usual kSource = {"source_pu", "parts of hv_kv", 0.8, 1.2};
constexpr Usual kContracted = {"contracted_kw", "kW", 0.5, 400};
constexpr Usual kProfile = {"profile_kw", "kW", 0.5, 400};
constexpr Usual kYearly = {"yearly_kwh", "kWh", 50, 2'000'000};

class Checker {
 public:
  Checker(const NetworkRules& rules, std::vector<std::string>& mistakes)
      : rules_(rules), mistakes_(mistakes), reader_complained_(!mistakes.empty()) {}

  /// The record that the following checks are about.
  void about(std::string_view kind, std::string_view id, const NameTable& known) {
    subject_ = std::string(kind).append(" ").append(shown(id));
    if (id.empty()) complain("has no id");
    field(id, "id");
    // Nobody sees them, and the same id without them is another.
    if (id.starts_with(' ') || id.ends_with(' ')) complain("has a blank at the start or end of its id; remove it");
    if (known.find(id)) complain("is there twice; expected an id of its own");
  }
  void about(std::string subject) { subject_ = std::move(subject); }
  void complain(std::string_view text) { mistakes_.push_back(std::string(subject_).append(" ").append(text)); }

  /// Whether the value can be worked with. `per` is what the usual range counts in: kilometres, 100 kVA.
  bool positive(double value, const Usual& usual, double per = 1) {
    if (!is_number(value, usual)) return false;
    if (value < 0 || (value == 0 && !usual.may_be_zero)) {
      complain(found(value, usual).append(usual.may_be_zero ? "0 or more" : "more than 0"));
      return false;
    }
    const double measured = value / per;
    const bool is_usual = value == 0 || !(per > 0) || (measured >= usual.min && measured <= usual.max);
    if (rules_.usual_values && !is_usual) complain(unusual(value, measured, usual));
    return true;
  }
  void positive(const std::optional<double>& value, const Usual& usual) {
    if (value) positive(*value, usual);
  }
  /// What can stand in a CSV file.
  void field(std::string_view text, std::string_view name) {
    const auto is_odd = [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == ',' || c == '"';
    };
    const bool is_plain = std::none_of(text.begin(), text.end(), is_odd) && is_utf8(text);
    if (!is_plain) complain(std::string("has a comma, a quote or an unprintable character in its ").append(name));
  }
  /// Measurements name their series by the ids of customers and nodes: ID.p, ID.q, ID.v.
  void names_series(std::string_view id) {
    if (id == "transformer")
      complain("has the id under which the transformer is measured (transformer.p, .q, .v); rename it");
  }
  void within(double value, std::string_view name, double min, double max) {
    if (!is_number(value, {name, "", min, max}) || (value >= min && value <= max)) return;
    complain(std::string("has ").append(name).append(" ").append(number_text(value)).append("; expected ") +
             number_text(min) + " to " + number_text(max));
  }

 private:
  bool is_number(double value, const Usual& usual) {
    if (std::isfinite(value)) return true;
    if (std::isnan(value))
      complain(std::string("lacks ").append(usual.name));
    else if (!reader_complained_)
      complain(found(value, usual).append("a finite number"));
    return false;
  }

  static std::string found(double value, const Usual& usual) {
    return std::string("has ").append(usual.name).append(" ").append(number_text(value)).append("; expected ");
  }
  static std::string unusual(double value, double measured, const Usual& usual) {
    std::string text = std::string("has ").append(usual.name).append(" ").append(number_text(value));
    if (value != measured) {
      std::array<char, 32> rounded;
      const auto end =
          std::to_chars(rounded.data(), rounded.data() + rounded.size(), measured, std::chars_format::general, 4);
      text.append(", that is ").append(rounded.data(), end.ptr).append(" ").append(usual.unit);
    }
    return text.append("; usual are ") + number_text(usual.min) + " to " + number_text(usual.max) + " " +
           std::string(usual.unit) + ": a wrong unit?";
  }

  const NetworkRules& rules_;
  std::vector<std::string>& mistakes_;
  bool reader_complained_;
  std::string subject_;
};

/// `level_kv` is what the transformer has: a network whose nodes all have its wrong voltage has one mistake, not
/// hundreds.
void check_node(const Node& node, double level_kv, Checker& check) {
  check.names_series(node.id);
  const bool is_level = node.nominal_kv == level_kv || (std::isnan(node.nominal_kv) && std::isnan(level_kv));
  if (!is_level) check.positive(node.nominal_kv, kNominal);
  if (node.position) {
    check.within(node.position->x_m, "x_m", -1e9, 1e9);
    check.within(node.position->y_m, "y_m", -1e9, 1e9);
  }
}

void check_line(const Line& line, Checker& check) {
  const double km = check.positive(line.length_m, kLength) ? line.length_m / 1000 : 0;
  check.positive(line.r_ohm, kResistance, km);
  check.positive(line.x_ohm, kReactance, km);
  check.positive(line.c_nf, kCapacitance, km);
  check.positive(line.ampacity_a, kAmpacity);
  if (line.from == line.to) check.complain("joins node " + shown(line.from) + " with itself");
}

void check_transformer(const Transformer& transformer, Checker& check) {
  const double kva = check.positive(transformer.rated_kva, kRated) ? transformer.rated_kva : 0;
  check.positive(transformer.hv_kv, kUpper);
  check.positive(transformer.lv_kv, kLower);
  check.positive(transformer.uk_percent, kShortCircuit);
  check.positive(transformer.copper_loss_kw, kCopperLoss, kva / 100);
  check.positive(transformer.iron_loss_kw, kIronLoss, kva / 100);
  check.within(transformer.tap_percent, "tap_percent", -30, 30);
  check.positive(transformer.source_pu, kSource);
  // Short-circuit losses are those of the resistance, which cannot exceed the impedance.
  if (kva > 0 && std::isfinite(transformer.copper_loss_kw) &&
      transformer.copper_loss_kw > kva * transformer.uk_percent / 100) {
    check.complain("has copper_loss_kw " + number_text(transformer.copper_loss_kw) +
                   "; expected at most uk_percent of rated_kva, " + number_text(kva * transformer.uk_percent / 100));
  }
}

void check_customer(const Customer& customer, Checker& check) {
  check.names_series(customer.id);
  if (customer.phase && (*customer.phase < 1 || *customer.phase > 3)) {
    check.complain("has phase " + std::to_string(*customer.phase) + "; expected 1, 2, 3 or nothing");
  }
  check.field(customer.profile, "profile");
  check.positive(customer.contracted_kw, kContracted);
  check.positive(customer.yearly_kwh, kYearly);
  check.positive(customer.profile_kw, kProfile);
  if (customer.power_factor) check.within(*customer.power_factor, "power_factor", 0.01, 1);
}

template <class Record, class Check>
void check_each(const std::vector<Record>& records, std::string_view kind, Checker& checker, Check check) {
  NameTable known;
  for (const Record& record : records) {
    checker.about(kind, record.id, known);
    known.intern(record.id);
    check(record, checker);
  }
}

}  // namespace

std::string number_text(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

void check_records(const NetworkData& data, const NetworkRules& rules, std::vector<std::string>& mistakes) {
  Checker check(rules, mistakes);
  check.about("the network");
  check.positive(data.frequency_hz, kFrequency);
  if (data.transformers.size() != 1) {
    check.complain("has " + std::to_string(data.transformers.size()) + " transformers; expected one, which feeds it");
  }
  if (data.customers.empty()) check.complain("has no customers");
  const double level_kv = data.transformers.size() == 1 ? data.transformers.front().lv_kv : 0;
  check_each(data.nodes, "node", check,
             [&](const Node& node, Checker& checker) { check_node(node, level_kv, checker); });
  check_each(data.lines, "line", check, check_line);
  check_each(data.transformers, "transformer", check, check_transformer);
  check_each(data.customers, "customer", check, check_customer);
}

Error error_of(const std::vector<std::string>& mistakes) {
  if (mistakes.size() == 1) return {Cause::bad_input, mistakes.front()};
  std::string text = std::to_string(mistakes.size()) + " mistakes:";
  for (const std::string& mistake : mistakes) text.append("\n  ").append(mistake);
  return {Cause::bad_input, std::move(text)};
}

}  // namespace fugu::grid::detail
