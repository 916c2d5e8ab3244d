#include "fugu/policy/pattern.hpp"

#include <algorithm>
#include <set>

#include "fugu/stream/location.hpp"

namespace fugu {
namespace {

Error wrong(std::string_view found, std::string_view expected) {
  std::string message("found ");
  message.append(found).append("; expected ").append(expected);
  return {Cause::bad_input, std::move(message)};
}

bool holds(const Event& event, std::string_view name) {
  return std::any_of(event.begin(), event.end(), [&](const Active& active) { return active.name == name; });
}

std::string slot_text(std::size_t slot) { return " in slot " + std::to_string(slot + 1) + " of a pattern"; }

/// What a pattern counts in each series and slot. The sum is one nameless series.
using Counts = std::map<std::optional<SeriesId>, std::vector<std::uint64_t>>;

Result<void> check_patterns(std::span<const Pattern> patterns, const Constraints& constraints) {
  if (patterns.size() > kPatternsMax)
    return wrong(std::to_string(patterns.size()) + " patterns", "at most " + std::to_string(kPatternsMax));
  for (const Pattern& pattern : patterns) {
    const auto as_long = [&](const Pattern& other) { return other.size() == pattern.size(); };
    if (pattern.empty()) return wrong("a pattern of no slots", "at least one slot");
    if (std::count_if(patterns.begin(), patterns.end(), as_long) < 2) {
      return wrong("a pattern of " + std::to_string(pattern.size()) + " slots and no other of that length",
                   "at least two patterns of each length, to be confused with each other");
    }
    for (std::size_t slot = 0; slot < pattern.size(); ++slot) {
      std::set<std::string_view> names;
      for (const Active& active : pattern[slot]) {
        if (!names.insert(active.name).second)
          return wrong(shown(active.name) + " twice" + slot_text(slot), "each activity once in a slot");
      }
    }
    FUGU_TRY(constraints.check(pattern));
  }
  return {};
}

/// The absolute differences, only of series that differ.
Profile difference(const Counts& a, const Counts& b, std::size_t slots) {
  static const std::vector<std::uint64_t> kNothing;
  std::set<std::optional<SeriesId>> series;
  for (const auto* counts : {&a, &b})
    for (const auto& [id, steps] : *counts) series.insert(id);
  Profile profile;
  for (const auto& id : series) {
    const auto in_a = a.find(id);
    const auto in_b = b.find(id);
    Lane lane{id, std::vector<std::uint64_t>(slots)};
    bool differs = false;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const std::uint64_t of_a = in_a == a.end() ? 0 : in_a->second[slot];
      const std::uint64_t of_b = in_b == b.end() ? 0 : in_b->second[slot];
      lane.steps[slot] = std::max(of_a, of_b) - std::min(of_a, of_b);
      differs |= of_a != of_b;
    }
    if (differs) profile.lanes.push_back(std::move(lane));
  }
  return profile;
}

std::size_t entries(const Profile& profile) {
  return profile.lanes.empty() ? 0 : profile.lanes.size() * profile.lanes.front().steps.size();
}

/// One profile for every two patterns of the same length. `count` adds what an event counts to a slot of Counts.
template <class Count>
Result<Shape> shape_of(std::span<const Pattern> patterns, const Constraints& constraints, Count&& count) {
  FUGU_TRY(check_patterns(patterns, constraints));
  std::vector<Counts> counts(patterns.size());
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    for (std::size_t slot = 0; slot < patterns[i].size(); ++slot) {
      for (const Active& active : patterns[i][slot]) {
        FUGU_ASSIGN(const auto counted, count(active));
        auto& steps = counts[i][counted.first];
        steps.resize(patterns[i].size());
        steps[slot] += counted.second;  // few enough in a slot not to wrap around: each is at most 2^40
        if (steps[slot] > kMagnitudeStepsMax)
          return wrong("too large a power" + slot_text(slot), "at most 2^40 unit steps");
      }
    }
  }
  std::set<Profile> distinct;
  std::size_t total = 0;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    for (std::size_t j = i + 1; j < patterns.size(); ++j) {
      if (patterns[i].size() != patterns[j].size()) continue;
      Profile profile = difference(counts[i], counts[j], patterns[i].size());
      const std::size_t size = entries(profile);
      if (size == 0 || !distinct.insert(std::move(profile)).second) continue;
      if ((total += size) > kShapeEntriesMax) {
        return wrong("patterns whose differences have more than " + std::to_string(kShapeEntriesMax) + " entries",
                     "fewer or shorter patterns");
      }
    }
  }
  if (distinct.empty()) return wrong("patterns that look alike", "patterns that differ in what is published");
  return Shape{{distinct.begin(), distinct.end()}};
}

using Counted = std::pair<std::optional<SeriesId>, std::uint64_t>;

}  // namespace

Constraints& Constraints::exclusive(std::string a, std::string b) {
  exclusive_.emplace_back(std::move(a), std::move(b));
  return *this;
}

Constraints& Constraints::implies(std::string a, std::string b) {
  implied_.emplace_back(std::move(a), std::move(b));
  return *this;
}

Constraints& Constraints::at_most_one(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = i + 1; j < names.size(); ++j) exclusive(names[i], names[j]);
  return *this;
}

Result<void> Constraints::check(const Pattern& pattern) const {
  for (std::size_t slot = 0; slot < pattern.size(); ++slot) {
    for (const auto& [a, b] : exclusive_) {
      if (holds(pattern[slot], a) && holds(pattern[slot], b))
        return wrong(shown(a) + " and " + shown(b) + slot_text(slot), "only one of them, as they exclude each other");
    }
    for (const auto& [a, b] : implied_) {
      if (holds(pattern[slot], a) && !holds(pattern[slot], b))
        return wrong(shown(a) + " without " + shown(b) + slot_text(slot), "both, as the first implies the second");
    }
  }
  return {};
}

Result<Shape> shape_of_sum(std::span<const Pattern> patterns, const ByActivity<std::uint64_t>& power_steps,
                           const Constraints& constraints) {
  return shape_of(patterns, constraints, [&](const Active& active) -> Result<Counted> {
    const auto usual = power_steps.find(active.name);
    if (usual == power_steps.end()) return wrong("activity " + shown(active.name), "an activity whose power is known");
    const std::uint64_t steps = active.power_steps.value_or(usual->second);
    if (steps > kMagnitudeStepsMax) return wrong("too large a power", "at most 2^40 unit steps");
    return Counted(std::nullopt, steps);
  });
}

Result<Shape> shape_of_histogram(std::span<const Pattern> patterns, const ByActivity<SeriesId>& series_of,
                                 const Constraints& constraints, std::uint64_t person_steps) {
  return shape_of(patterns, constraints, [&](const Active& active) -> Result<Counted> {
    const auto series = series_of.find(active.name);
    if (series == series_of.end()) return wrong("activity " + shown(active.name), "an activity that a series counts");
    return Counted(series->second, person_steps);
  });
}

}  // namespace fugu
