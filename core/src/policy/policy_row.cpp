#include "policy_row.hpp"

#include <charconv>
#include <functional>
#include <set>
#include <utility>

#include "fugu/policy/recurrence.hpp"
#include "fugu/stream/csv.hpp"
#include "fugu/stream/same_text.hpp"

namespace fugu {
namespace {

constexpr std::string_view kMagnitudeExpected = "a magnitude above 0 and up to 2^40 unit steps, such as 2.1";
constexpr std::string_view kEntryExpected = "magnitudes from 0 up to 2^40 unit steps, such as 2.1";
constexpr std::uint64_t kGroupMax = 1'000'000;
constexpr std::string_view kGroupExpected = "a number of individuals from 1 to 1000000";
constexpr std::int64_t kYear2201_s = 7'289'654'400;  // where time stamps end

Slot last_slot(const Clock& clock) {
  if (!clock.has_time()) return kPolicySlotMax;
  return std::min(kPolicySlotMax, std::max<Slot>(0, (kYear2201_s - clock.origin_s()) / clock.slot_s() - 1));
}

std::string named(std::string_view what, std::string_view text) {
  std::string out(what);
  return out.append(" ").append(text.empty() ? "nothing" : shown(text));
}

std::string quoted(std::string_view key) { return std::string("`").append(key).append("`"); }

// As parse_slot_number, for the usual case: a few digits.
std::optional<Slot> parse_count(std::string_view text) {
  constexpr std::size_t kDigits = 15;
  if (text.empty() || text.size() > kDigits) return parse_slot_number(text);
  Slot value = 0;
  for (const char c : text) {
    const auto digit = static_cast<unsigned char>(c - '0');
    if (digit > 9) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

bool looks_like_a_date(std::string_view text) { return text.size() > 4 && text[4] == '-'; }

bool is_part_of(std::string_view field, std::string_view line) {
  const std::less_equal<> not_after;
  return not_after(line.data(), field.data()) && not_after(field.data() + field.size(), line.data() + line.size());
}

}  // namespace

Error RowPlace::wrong(std::string_view field, std::string_view found, std::string_view expected) const {
  const std::size_t column = is_part_of(field, line) ? csv::column_of(field, line) : 0;
  return found_but_expected({file, line_number, column}, found, expected);
}

Error RowPlace::wrong(const Error& what) const {
  std::string message(file);
  message.append(":").append(std::to_string(line_number)).append(": ").append(what.message);
  return {Cause::bad_input, std::move(message)};
}

RowParser::RowParser(PolicyOptions options) : options_(std::move(options)), slot_max_(last_slot(options_.clock)) {
  if (options_.series.empty() && options_.map) options_.series = options_.map->series();
  for (std::size_t i = 0; i < options_.series.size(); ++i)
    series_.emplace(options_.series[i], static_cast<SeriesId>(i));
}

Result<void> RowParser::parse_frame(const RowText& row, const RowPlace& place, StatedPolicy& stated) {
  if (row.meter.empty() || !same_text(row.meter, last_meter_)) FUGU_TRY(check_meter(row.meter, place));
  stated.known = 0;
  if (!row.known.empty()) {
    FUGU_ASSIGN(stated.known, parse_slot("known", row.known, place));
  }
  stated.meter = options_.map ? options_.map->unit_of(row.meter) : row.meter;
  stated.policy.shape = nullptr;
  stated.withdrawn = false;
  stated.line = place.line_number;
  return {};
}

Result<void> RowParser::parse_promise(const RowText& row, const RowPlace& place, Policy& policy) {
  if (row.epsilon.empty() || !same_text(row.epsilon, last_epsilon_text_)) {
    FUGU_ASSIGN(last_epsilon_, parse_epsilon(row.epsilon, place));
    last_epsilon_text_ = row.epsilon;
  }
  policy.epsilon = last_epsilon_;
  return {};
}

Result<void> RowParser::check_meter(std::string_view meter, const RowPlace& place) {
  const std::size_t column = is_part_of(meter, place.line) ? csv::column_of(meter, place.line) : 0;
  FUGU_TRY(csv::check_name(meter, {place.file, place.line_number, column}, "a meter id"));
  if (options_.map && !options_.map->meter(meter) && !options_.map->unit(meter))
    return place.wrong(meter, named("meter", meter), "a meter of the series map, or a household");
  last_meter_ = meter;
  return {};
}

Result<Slot> RowParser::parse_slot(std::string_view what, std::string_view text, const RowPlace& place) {
  Slot slot = 0;
  const auto number = looks_like_a_date(text) ? std::nullopt : parse_count(text);
  if (number) {
    slot = *number;
  } else if (!options_.clock.has_time()) {
    return place.wrong(text, named(what, text), "a slot number such as 0, 1, 2, up to " + std::to_string(slot_max_));
  } else if (const auto instant_s = day_.find(text)) {
    const auto starting_then = options_.clock.slot_at(*instant_s);
    if (!starting_then) return place.wrong(text, named(what, text), expected_time(TimeFault::off_grid));
    slot = *starting_then;
  } else {
    Tick tick;
    const TimeFault fault = options_.clock.parse(text, options_.default_utc_offset_s, tick);
    if (fault != TimeFault::none) return place.wrong(text, named(what, text), expected_time(fault));
    slot = tick.slot;
    day_.remember(text, options_.clock.start_of(slot));
  }
  if (slot < 0) return place.wrong(text, named(what, text), "a time from " + slot_text(0) + " on, the stream's first");
  if (slot > slot_max_) return place.wrong(text, named(what, text), "at most " + slot_text(slot_max_));
  return slot;
}

std::string RowParser::expected_time(TimeFault fault) const {
  return options_.clock.expected(fault).append(", or a slot number");
}

Result<Budget> RowParser::parse_epsilon(std::string_view text, const RowPlace& place) const {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (stop == end && error == std::errc()) {
    if (const auto epsilon = Epsilon::make(value)) return Budget::round_down(epsilon->value());
  }
  return place.wrong(text, named("epsilon", text), "a number above 0 (at least 1e-12) and up to 32768, such as 1");
}

Result<std::uint64_t> RowParser::parse_group(std::string_view text, const RowPlace& place) const {
  if (text.empty()) return std::uint64_t{1};
  const auto group = parse_count(text);
  if (!group || *group == 0 || static_cast<std::uint64_t>(*group) > kGroupMax)
    return place.wrong(text, named("group", text), kGroupExpected);
  return static_cast<std::uint64_t>(*group);
}

/// −1 for what is no number of steps.
std::int64_t RowParser::magnitude_steps(std::string_view text, const RowPlace& place) {
  std::int64_t steps = -1;
  if (const auto known = magnitudes_.find(text)) {
    steps = *known;
  } else if (options_.unit_step.steps(text, steps, Rounding::away) == DecimalFault::none) {
    magnitudes_.remember(text, steps);
    if (options_.warn_rounding && !options_.unit_step.holds(text))
      std::exchange(options_.warn_rounding, nullptr)(
          std::string(place.file).append(": ").append(options_.unit_step.rounding_text(text, Rounding::away)));
  }
  return steps;
}

// Of all of a group together.
Result<std::uint64_t> RowParser::parse_magnitude(std::string_view text, bool may_be_zero, std::uint64_t group,
                                                 const RowPlace& place) {
  const std::int64_t steps = magnitude_steps(text, place);
  if (steps == 0 && may_be_zero) return std::uint64_t{0};
  if (steps < 0 && may_be_zero) return place.wrong(text, named("magnitude", text), kEntryExpected);
  return of_group(steps, group, text, place);
}

/// `steps` of each. `text` is what the row says; patterns have no magnitude.
Result<std::uint64_t> RowParser::of_group(std::int64_t steps, std::uint64_t group,
                                          const std::optional<std::string_view>& text, const RowPlace& place) const {
  const auto each = static_cast<std::uint64_t>(steps);
  const bool in_range = steps >= 1 && each <= kMagnitudeStepsMax / group;
  const bool is_small = !options_.largest_change_steps || each <= *options_.largest_change_steps / group;
  if (in_range && is_small) return each * group;
  std::string found = text ? named("magnitude", *text) : "`patterns`, in which everybody counts as 1 in a series";
  if (group > 1) found.append(" of ").append(std::to_string(group)).append(" individuals");
  if (in_range)
    return place.wrong(
        text.value_or(""), found,
        "at most " + options_.unit_step.text(static_cast<std::int64_t>(*options_.largest_change_steps)) +
            (group > 1 ? " together" : "") +
            ", as the sensitivity says that one meter changes no more: the floor would not hold for this "
            "meter");
  return place.wrong(text.value_or(""), found, kMagnitudeExpected);
}

Result<void> RowParser::parse_event(const RowText& row, const RowPlace& place, Policy& policy) {
  const auto length = parse_count(row.length);
  if (!length || *length == 0)
    return place.wrong(row.length, named("length", row.length), "a number of slots from 1 on");
  FUGU_ASSIGN(const std::uint64_t group, parse_group(row.group, place));
  FUGU_ASSIGN(policy.magnitude_steps, parse_magnitude(row.magnitude, false, group, place));
  policy.length_slots = static_cast<std::uint64_t>(*length);
  return {};
}

Result<SeriesId> RowParser::find_series(std::string_view name, const RowPlace& place) const {
  const auto found = series_.find(name);
  if (found == series_.end()) return place.wrong({}, named("series", name), "a series of the stream");
  return found->second;
}

Result<Lane> RowParser::parse_lane(const json::Value& value, std::uint64_t group, const RowPlace& place) {
  if (value.kind != json::Kind::array || value.items.empty())
    return place.wrong({}, "a `profile` that is no list of magnitudes", "such as [2.1, 2.1, 0.5], one for each slot");
  Lane lane;
  for (const json::Value& item : value.items) {
    if (item.kind != json::Kind::number)
      return place.wrong({}, std::string(describe(item.kind)).append(" in a `profile`"), kEntryExpected);
    FUGU_ASSIGN(const std::uint64_t steps, parse_magnitude(item.text, true, group, place));
    lane.steps.push_back(steps);
  }
  return lane;
}

Result<void> RowParser::parse_profile(const json::Value& value, const RowText& row, const RowPlace& place,
                                      Policy& policy) {
  FUGU_ASSIGN(const std::uint64_t group, parse_group(row.group, place));
  Profile profile;
  if (value.kind != json::Kind::object) {
    FUGU_ASSIGN(Lane lane, parse_lane(value, group, place));
    profile.lanes.push_back(std::move(lane));
  }
  for (std::size_t i = 0; i < value.names.size(); ++i) {
    FUGU_ASSIGN(const SeriesId series, find_series(value.names[i], place));
    FUGU_ASSIGN(Lane lane, parse_lane(value.items[i], group, place));
    lane.series = series;
    profile.lanes.push_back(std::move(lane));
    if (profile.lanes.back().steps.size() != profile.lanes.front().steps.size())
      return place.wrong({}, "lists of different lengths in a `profile`", "one magnitude for each slot in each series");
  }
  std::sort(profile.lanes.begin(), profile.lanes.end());
  std::erase_if(profile.lanes, [](const Lane& lane) {
    return std::all_of(lane.steps.begin(), lane.steps.end(), [](std::uint64_t steps) { return steps == 0; });
  });
  if (profile.lanes.empty()) return place.wrong({}, "a `profile` without a magnitude above 0", kMagnitudeExpected);
  set_shape(policy, Shape{{std::move(profile)}});
  return {};
}

Result<Constraints> RowParser::parse_constraints(const json::Value& value, const RowPlace& place) const {
  constexpr std::string_view kShape =
      R"(such as {"at_most_one": [["park", "bar"]], "exclusive": [["sit", "walk"]], "implies": [["walk", "move"]]})";
  if (value.kind != json::Kind::object || value.names.empty())
    return place.wrong({}, "`constraints` that are no object with members", kShape);
  Constraints constraints;
  for (std::size_t i = 0; i < value.names.size(); ++i) {
    const std::string& kind = value.names[i];
    const bool of_two = kind == "exclusive" || kind == "implies";
    if (!of_two && kind != "at_most_one")
      return place.wrong({}, named("key", kind).append(" in `constraints`"), kShape);
    if (value.items[i].kind != json::Kind::array)
      return place.wrong({}, quoted(kind).append(" that is no array"), kShape);
    for (const json::Value& together : value.items[i].items) {
      const bool enough = together.items.size() >= 2 && (!of_two || together.items.size() == 2);
      if (together.kind != json::Kind::array || !enough)
        return place.wrong({}, quoted(kind).append(" of something else than ").append(of_two ? "two" : "some"), kShape);
      std::vector<std::string> names;
      for (const json::Value& name : together.items) {
        if (name.kind != json::Kind::text) return place.wrong({}, "a series of a constraint that is no text", kShape);
        FUGU_TRY(find_series(name.text, place));
        names.push_back(name.text);
      }
      if (std::set<std::string>(names.begin(), names.end()).size() < names.size())
        return place.wrong({}, quoted(kind).append(" with a series twice"), "different series");
      if (kind == "implies") {
        constraints.implies(names[0], names[1]);
      } else {
        constraints.at_most_one(names);
      }
    }
  }
  return constraints;
}

Result<void> RowParser::parse_patterns(const json::Value& value, const json::Value* constraints, const RowText& row,
                                       const RowPlace& place, Policy& policy) {
  constexpr std::string_view kShape = R"(such as [[["park"], ["park"]], [["bar"], []]]: patterns of slots of series)";
  if (value.kind != json::Kind::array) return place.wrong({}, "`patterns` that are no array", kShape);
  std::vector<Pattern> patterns;
  for (const json::Value& slots : value.items) {
    Pattern& pattern = patterns.emplace_back();
    if (slots.kind != json::Kind::array) return place.wrong({}, "a pattern that is no array of slots", kShape);
    for (const json::Value& names : slots.items) {
      Event& event = pattern.emplace_back();
      if (names.kind != json::Kind::array) return place.wrong({}, "a slot of a pattern that is no array", kShape);
      for (const json::Value& name : names.items) {
        if (name.kind != json::Kind::text) return place.wrong({}, "a series of a pattern that is no text", kShape);
        FUGU_TRY(find_series(name.text, place));
        event.push_back({name.text});
      }
    }
  }
  FUGU_ASSIGN(const std::uint64_t group, parse_group(row.group, place));
  FUGU_ASSIGN(const std::uint64_t person_steps, of_group(magnitude_steps("1", place), group, std::nullopt, place));
  Constraints obeyed;
  if (constraints != nullptr) {
    FUGU_ASSIGN(obeyed, parse_constraints(*constraints, place));
  }
  auto shape = shape_of_histogram(patterns, series_, obeyed, person_steps);
  if (!shape) return place.wrong(shape.error());
  set_shape(policy, *std::move(shape));
  return {};
}

Result<Interval> RowParser::parse_interval(const RowText& row, const RowPlace& place) {
  FUGU_ASSIGN(const Slot first, parse_slot("start", row.start, place));
  FUGU_ASSIGN(const Slot last, parse_slot("end", row.end, place));
  if (last < first) {
    return place.wrong(row.end, named("end", row.end),
                       "an end not before the start, " + shown(row.start) + ": the last slot, by its start");
  }
  return Interval{first, last};
}

Result<std::vector<Interval>> RowParser::parse_repeat(const json::Value& repeat, const RowPlace& place,
                                                      Slot known) const {
  if (repeat.kind != json::Kind::object)
    return place.wrong({}, "a `repeat` that is no object", R"({"days": "mon-fri", "from": "11:00", "to": "14:00", …})");
  RecurrenceText text;
  std::string_view since;
  const std::pair<std::string_view, std::string_view*> members[] = {
      {"days", &text.days}, {"from", &text.from}, {"to", &text.to}, {"until", &text.until}, {"since", &since}};
  for (std::size_t i = 0; i < repeat.names.size(); ++i) {
    const std::string& name = repeat.names[i];
    const auto* const member = std::find_if(std::begin(members), std::end(members),
                                            [&](const auto& candidate) { return candidate.first == name; });
    if (member == std::end(members))
      return place.wrong({}, named("key", name).append(" in `repeat`"), "days, from, to, until and since");
    if (repeat.items[i].kind != json::Kind::text)
      return place.wrong({}, quoted(name).append(" as ").append(describe(repeat.items[i].kind)), "text in quotes");
    *member->second = repeat.items[i].text;
  }
  for (const auto& [name, member] : members) {
    if (member->data() == nullptr && name != "since")
      return place.wrong({}, "a `repeat` without " + quoted(name), "days, from, to and until");
  }
  if (since.data() != nullptr) text.since = since;
  const auto recurrence = Recurrence::parse(text);
  if (!recurrence) return place.wrong(recurrence.error());
  auto intervals = occurrences(*recurrence, options_.clock, options_.utc_offset_s,
                               std::min(slot_max_, std::max(options_.now, known)));
  if (!intervals) return place.wrong(intervals.error());
  return intervals;
}

Result<void> RowParser::check(const StatedPolicy& stated, const RowText& row, const RowPlace& place) const {
  const Policy& policy = stated.policy;
  const Interval& interval = policy.interval;
  if (interval.first < 0) {
    return place.wrong(row.start, "an interval from " + slot_text(interval.first) + " on",
                       "one from " + slot_text(0) + " on, where the stream begins");
  }
  if (interval.last > slot_max_)
    return place.wrong(row.end, "an interval that goes on too long", "one up to " + slot_text(slot_max_));
  if (stated.known > interval.first) {
    return place.wrong(row.known, "a policy known from " + slot_text(stated.known) + " on",
                       "not after its interval begins, " + slot_text(interval.first));
  }
  if (interval.slots() < policy.length_slots) {
    return place.wrong(row.length, "an interval of " + std::to_string(interval.slots()) + " slots",
                       "at least " + std::to_string(policy.length_slots) + ", the length of what it hides");
  }
  if (auto within = check_limits(options_.admission, policy); !within) return place.wrong(within.error());
  if (!options_.can_keep) return {};
  if (auto kept = options_.can_keep(stated.meter, policy); !kept) return place.wrong(kept.error());
  return {};
}

std::string RowParser::slot_text(Slot slot) const {
  const bool has_stamp = options_.clock.has_time() && slot <= slot_max_;
  if (!has_stamp) return "slot " + std::to_string(slot);
  return options_.clock.text(slot, options_.utc_offset_s);
}

}  // namespace fugu
