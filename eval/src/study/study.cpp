#include "fugu/study/study.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstdio>

#include "fugu/simulate/wishes.hpp"
#include "fugu/strategy/outlook.hpp"
#include "fugu/stream/location.hpp"

namespace fugu {

namespace {

constexpr std::uint64_t kSlotsPerDay = 96;
constexpr std::size_t kCellsMax = 1'000'000;  // more is a slip: days of work, and gigabytes before it begins
constexpr std::string_view kHybrid = "hybrid";

/// Policies that are all known before the first slot.
class StatedPolicies final : public PolicyFeed {
 public:
  explicit StatedPolicies(std::shared_ptr<const std::vector<PolicyEvent>> events) : events_(std::move(events)) {}
  Result<const PolicyEvent*> next(Slot, const PolicyBook&) override {
    return next_ < events_->size() ? &(*events_)[next_++] : nullptr;
  }

 private:
  std::shared_ptr<const std::vector<PolicyEvent>> events_;
  std::size_t next_ = 0;
};

std::vector<PolicyEvent> wishes_for(const SuiteRequirement& requirement, const PreparedStream& stream) {
  const SuitePolicies& wanted = *requirement.policies;
  const WishOptions options{.seed = wanted.seed,
                            .uses_per_day = wanted.per_day,
                            .epsilon = requirement.epsilon,
                            .steps_per_kw = static_cast<std::uint64_t>(1 / stream.unit_step().to_double() + 0.5)};
  const std::uint64_t days = (stream.slots() + kSlotsPerDay - 1) / kSlotsPerDay;
  std::vector<PolicyEvent> events;
  for (std::uint64_t meter = 0; meter < wanted.meters; ++meter) {
    for (const Policy& wish : simulated_wishes_of_days(options, meter, days))
      events.push_back({.meter = "h" + std::to_string(meter), .policy = wish});
  }
  return events;
}

Result<Definition> definition_of(const SuiteRequirement& requirement) {
  FUGU_ASSIGN(const Epsilon epsilon, Epsilon::make(requirement.epsilon));
  if (!requirement.policies)
    return Definition::make(
        {.protects = Protects::w_event, .epsilon = epsilon, .window_slots = requirement.window_slots});
  std::shared_ptr<const Definition> floor;
  if (requirement.policies->floor_epsilon) {
    FUGU_ASSIGN(const Epsilon floor_epsilon, Epsilon::make(*requirement.policies->floor_epsilon));
    FUGU_ASSIGN(Definition made, Definition::make({.protects = Protects::event, .epsilon = floor_epsilon}));
    floor = std::make_shared<const Definition>(std::move(made));
  }
  return Definition::make({.protects = Protects::swellfish,
                           .epsilon = PromisedEpsilon::of_each_policy(),
                           .floor = floor,
                           .exact_when_idle = floor == nullptr});
}

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

}  // namespace

std::string_view name_of(Yardstick yardstick) {
  switch (yardstick) {
    case Yardstick::zero: return "zero";
    case Yardstick::best_constant: return "best-constant";
    case Yardstick::last_public: break;
  }
  return "last-public";
}

double constant_of(Yardstick yardstick, const PreparedStream& stream, std::size_t series) {
  switch (yardstick) {
    case Yardstick::zero: return 0;
    case Yardstick::best_constant: return stream.best_constants()[series];
    case Yardstick::last_public: break;
  }
  return stream.first_values()[series];
}

Result<Exposure> exposure_of(const PreparedStream& stream) {
  const std::size_t series = stream.series();
  return Exposure::make({.sensitivity_steps = std::vector<std::uint64_t>(series, stream.sensitivity_steps()),
                         .signatures = stream.facts().budgets == SuiteBudgets::own ? Exposure::all_disjoint(series)
                                                                                   : Exposure::all_shared(series)});
}

std::string_view name_of(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::holds: return "holds";
    case Verdict::Kind::breaks: return "breaks";
    case Verdict::Kind::leaks: return "leaks";
    case Verdict::Kind::no_data: break;
  }
  return "no data";
}

Result<Study> Study::make(Suite suite, const Options& options) {
  Study study;
  study.suite_ = std::move(suite);
  if (options.seed) study.suite_.seed = *options.seed;
  if (options.runs) study.suite_.runs = *options.runs;
  study.as_published_ = options.as_published;
  // What is wrong with mechanisms is said before long files are read.
  FUGU_TRY(study.list_mechanisms(options.as_published));
  FUGU_TRY(study.check_size());
  for (const SuiteStream& stream : study.suite_.streams) {
    FUGU_ASSIGN(PreparedStream prepared, PreparedStream::make(study.suite_, stream, options.data_folder));
    study.streams_.push_back(std::move(prepared));
  }
  FUGU_TRY(study.prepare_requirements());
  study.list_cells();
  return study;
}

Result<void> Study::check_size() const {
  const std::size_t streams = suite_.streams.size();
  const std::size_t requirements = suite_.requirements.size();
  const std::size_t rows = mechanisms_.size() + std::size(kYardsticks);
  const std::size_t cells = streams * requirements * rows;  // each factor is limited: no overflow
  if (cells <= kCellsMax) return {};
  return found_but_expected({suite_.file},
                            std::to_string(cells) + " cells (" + std::to_string(streams) + " streams, " +
                                std::to_string(requirements) + " requirements, " + std::to_string(rows) +
                                " mechanisms and yardsticks)",
                            "at most " + std::to_string(kCellsMax));
}

StrategyParameters Study::parameters_of(const SuiteRequirement& requirement,
                                        const std::optional<std::uint64_t>& every_slots) const {
  return {.policies = requirement.policies.has_value(),
          .window_slots = requirement.window_slots.value_or(1),
          .every_slots = every_slots};
}

Result<void> Study::check_mechanism(const SuiteMechanism& mechanism) const {
  const Location place{suite_.file, mechanism.place.line, mechanism.place.column};
  // What a suite writes in another way than the options that the registry names.
  const CatalogueEntry* kind = find_in_catalogue(mechanism.name);
  const bool is_hybrid = mechanism.name == kHybrid;
  if (is_hybrid && !mechanism.every_slots)
    return found_but_expected(place, "hybrid without K",
                              "\"hybrid:K\" for a release every K-th slot, such as \"hybrid:8\"");
  if (kind != nullptr && !is_hybrid && mechanism.every_slots)
    return found_but_expected(place, shown(mechanism.label), mechanism.name + ": only hybrid takes a K");
  if (kind != nullptr && !serves(*kind, Serves::windows | Serves::policies))
    return found_but_expected(place, mechanism.name + ", which serves neither w nor policies",
                              "a mechanism that does, such as \"uniform\"");
  for (const SuiteRequirement& requirement : suite_.requirements) {
    if (kind != nullptr && kind->serves == Serves::policies && !requirement.policies)
      return found_but_expected(place, mechanism.name + ", which follows policies, and a requirement with w",
                                "policies = { meters = 20, per_day = 12, floor = 1 } instead of w in each requirement");
    // The variance is that of each stream, where a published form wants it: mechanism_of().
    const auto made =
        make_from_catalogue(mechanism.name, parameters_of(requirement, mechanism.every_slots), {.true_variance = 1});
    if (!made)
      return Error{Cause::bad_input, suite_.file + ":" + std::to_string(place.line) + ":" +
                                         std::to_string(place.column) + ": " + made.error().message};
  }
  return {};
}

Result<void> Study::list_mechanisms(bool as_published) {
  const auto listed = [&](std::string_view label) {
    return std::ranges::any_of(mechanisms_, [&](const Cell& cell) { return cell.label == label; });
  };
  const auto add_all = [&](bool comparison_only) {
    for (const CatalogueEntry& kind : catalogue()) {
      const SuiteMechanism mechanism{std::string(kind.name), std::string(kind.name)};
      if (kind.comparison_only != comparison_only || listed(kind.name) || !check_mechanism(mechanism)) continue;
      mechanisms_.push_back({.label = mechanism.label, .strategy = &kind});
    }
  };
  for (const SuiteMechanism& mechanism : suite_.mechanisms) {
    if (mechanism.label == kAllMechanisms) {
      add_all(false);
      continue;
    }
    FUGU_TRY(check_mechanism(mechanism));
    const CatalogueEntry* kind = find_in_catalogue(mechanism.name);
    if (kind->comparison_only && !as_published)
      return found_but_expected({suite_.file, mechanism.place.line, mechanism.place.column},
                                mechanism.name + ", which breaks its promise or has none",
                                "--as-published, which adds all of these to be compared with");
    if (!listed(mechanism.label))
      mechanisms_.push_back({.label = mechanism.label, .strategy = kind, .every_slots = mechanism.every_slots});
  }
  if (as_published) add_all(true);
  if (mechanisms_.empty()) return found_but_expected({suite_.file}, "no mechanism that serves all requirements", "one");
  return {};
}

Result<void> Study::prepare_requirements() {
  for (const PreparedStream& stream : streams_) {
    FUGU_ASSIGN(Exposure exposure, exposure_of(stream));
    exposures_.push_back(std::move(exposure));
  }
  for (const SuiteRequirement& requirement : suite_.requirements) {
    FUGU_ASSIGN(Definition definition, definition_of(requirement));
    definitions_.push_back(std::move(definition));
    auto& by_stream = policies_.emplace_back();
    if (!requirement.policies) continue;
    for (const PreparedStream& stream : streams_)
      by_stream.push_back(std::make_shared<const std::vector<PolicyEvent>>(wishes_for(requirement, stream)));
  }
  return {};
}

void Study::list_cells() {
  for (std::size_t stream = 0; stream < streams_.size(); ++stream) {
    for (std::size_t requirement = 0; requirement < suite_.requirements.size(); ++requirement) {
      const auto add = [&](Cell cell) {
        cell.stream = stream;
        cell.requirement = requirement;
        cells_.push_back(std::move(cell));
      };
      for (const Cell& mechanism : mechanisms_) add(mechanism);
      for (const Yardstick yardstick : kYardsticks)
        add({.label = std::string(name_of(yardstick)), .yardstick = yardstick});
    }
  }
}

Result<Mechanism> Study::mechanism_of(const Cell& cell) const {
  const SuiteRequirement& requirement = requirement_of(cell);
  const PreparedStream& stream = streams_[cell.stream];
  FUGU_ASSIGN(auto strategy, make_from_catalogue(cell.strategy->name, parameters_of(requirement, cell.every_slots),
                                                 {.unit_steps = 1 / stream.unit_step().to_double(),
                                                  .true_variance = stream.variance_steps()}));
  Mechanism mechanism{definitions_[cell.requirement], exposures_[cell.stream], NoiseKind::laplace, std::move(strategy)};
  if (stream.facts().truncate) {
    FUGU_ASSIGN(mechanism.published, PublishedSteps::make("truncate", stream.unit_step()));
  }
  if (requirement.policies)
    mechanism.policies = std::make_unique<StatedPolicies>(policies_[cell.requirement][cell.stream]);
  return mechanism;
}

double Study::worst_policy_share(const Cell& cell, std::span<const double> rates) const {
  PolicyBook book;
  for (const PolicyEvent& event : *policies_[cell.requirement][cell.stream])
    book.add(book.meter(event.meter), event.policy);
  const Interval slots{0, static_cast<Slot>(rates.size()) - 1};
  const BookUse use = check_rates(book, slots, rates, Delta::zero());
  return use.worst ? use.worst->use : 0;
}

std::uint64_t Study::seed_of(const Cell& cell) const {
  const SuiteRequirement& requirement = requirement_of(cell);
  const PreparedStream& stream = streams_[cell.stream];
  std::string content = cell.label;
  content.append("|").append(stream.facts().name).append("|").append(std::to_string(stream.digest()));
  content.append("|").append(requirement.experiment).append("|").append(number_text(requirement.epsilon));
  content.append("|").append(std::to_string(requirement.window_slots.value_or(0)));
  if (const auto& policies = requirement.policies) {
    content.append("|").append(std::to_string(policies->meters)).append("|").append(number_text(policies->per_day));
    content.append("|").append(std::to_string(policies->seed));
    content.append("|").append(number_text(policies->floor_epsilon.value_or(0)));
  }
  return XXH3_64bits_withSeed(content.data(), content.size(), suite_.seed);
}

Error Study::in_cell(const Cell& cell, const Error& error) const {
  const SuiteRequirement& requirement = requirement_of(cell);
  const PreparedStream& stream = streams_[cell.stream];
  char epsilon[40];
  std::snprintf(epsilon, sizeof epsilon, "%.6g", requirement.epsilon);
  std::string message = suite_.file + ": " + cell.label + " on " + stream.facts().name + " (" +
                        std::to_string(stream.series()) + " series), ε = " + epsilon;
  if (requirement.window_slots) message += ", w = " + std::to_string(*requirement.window_slots);
  return {error.cause, message + ": " + error.message};
}

}  // namespace fugu
