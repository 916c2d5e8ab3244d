#include "policy_options.hpp"

#include <algorithm>
#include <charconv>

#include "command.hpp"
#include "fugu/accounting/definition_kind.hpp"
#include "source_options.hpp"

namespace fugu::cli {

namespace {

Error usage(std::string message) { return {Cause::usage, std::move(message)}; }

template <class T>
bool parse_whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace

Result<Definition> parse_floor(const std::string& text, Delta delta) {
  const std::vector<std::string> parts = split(text, ':');
  const Error wrong = usage("--floor: found '" + text + "'; expected event:EPS, w-event:EPS:W or user:EPS:HORIZON");
  double number = 0;
  if (parts.size() < 2 || !parse_whole(parts[1], number)) return wrong;
  const auto epsilon = Epsilon::make(number);
  if (!epsilon) return usage("--floor: " + epsilon.error().message);
  const auto protects = protects_named(parts[0]);
  if (!protects || !protects->kind().has_window()) return wrong;
  const bool has_parameter = !protects->kind().parameter.name.empty();
  if (parts.size() != (has_parameter ? 3 : 2)) return wrong;
  Definition::Options options{.protects = *protects, .epsilon = *epsilon, .delta = delta};
  if (has_parameter && !parse_whole(parts[2], options.window_slots.emplace())) return wrong;
  return of_option("--floor", Definition::make(options));
}

void PolicyArguments::add_file_to(CLI::App& command) {
  const std::string group = "Policies";
  command
      .add_option("--policies", policies,
                  "What households want hidden: CSV meter,start,end,length,magnitude,epsilon, or JSON Lines")
      ->group(group);
  command
      .add_option("--repeats", repeats,
                  "Two rows that say the same: refuse, keep (each counts), or auto: refuse in files of up to 100 rows")
      ->check(CLI::IsMember({"auto", "refuse", "keep"}))
      ->capture_default_str()
      ->group(group);
}

void PolicyArguments::add_to(CLI::App& command) {
  add_file_to(command);
  const std::string group = "Policies";
  command
      .add_option("--floor", floor, "What holds for everybody besides: event:EPS, w-event:EPS:W or user:EPS:HORIZON")
      ->group(group);
  command
      .add_flag("--exact-when-idle", exact_when_idle,
                "Release the true value where no policy is relevant: exposes who stated none")
      ->group(group);
}

void PolicyArguments::add_admission_to(CLI::App& command) {
  const std::string group = "Admission of policies";
  command.add_option("--notice", notice_slots, "Policies that come later must begin this many slots ahead")
      ->check(CLI::Range(Slot{0}, kPolicySlotMax))
      ->capture_default_str()
      ->group(group);
  command.add_option("--largest-magnitude", largest_magnitude, "Refuse larger ones, in the stream's unit")
      ->group(group);
  command.add_option("--smallest-epsilon", smallest_epsilon, "Refuse smaller ones")->group(group);
  command.add_option("--most-overlapping", most_overlapping, "Refuse more policies of one meter at a time")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->group(group);
}

bool PolicyArguments::about_policies() const {
  return notice_slots != 0 || !largest_magnitude.empty() || smallest_epsilon || most_overlapping || repeats != "auto";
}

Result<Definition> PolicyArguments::definition(Delta delta) const {
  if (!floor.empty() && exact_when_idle)
    return usage("--floor and --exact-when-idle were both found and exclude each other: give one of them");
  if (floor.empty() && !exact_when_idle)
    return usage(
        "--policies needs one of --floor DEF (for example event:1) and --exact-when-idle: what holds where no policy "
        "is relevant, and for those who state none");
  std::shared_ptr<const Definition> for_everybody;
  if (!floor.empty()) {
    FUGU_ASSIGN(Definition parsed, parse_floor(floor, delta));
    for_everybody = std::make_shared<const Definition>(std::move(parsed));
  }
  return Definition::make({.protects = Protects::swellfish,
                           .epsilon = PromisedEpsilon::of_each_policy(),
                           .delta = delta,
                           .floor = std::move(for_everybody),
                           .exact_when_idle = exact_when_idle});
}

Result<PolicyOptions> PolicyArguments::reading(const PolicyContext& context) const {
  PolicyOptions options;
  options.unit_step = context.unit_step;
  options.clock = context.clock;
  options.utc_offset_s = context.utc_offset_s;
  options.default_utc_offset_s = context.default_utc_offset_s;
  options.map = context.map;
  options.series = context.series;
  options.largest_change_steps = context.largest_change_steps;
  if (context.can_keep)
    options.can_keep = [membership = UnitSignatures(context.map, context.signatures), can_keep = context.can_keep](
                           std::string_view meter, const Policy& policy) {
      // Who counts where matters for series that are named, and takes long to find.
      return can_keep(policy.shape ? membership.of(meter) : std::vector<std::uint32_t>(), policy);
    };
  options.repeats = repeats == "keep" ? Repeats::keep : repeats == "refuse" ? Repeats::refuse : Repeats::by_size;
  options.warn = options.warn_rounding = warn;
  FUGU_ASSIGN(options.admission, admission(context.unit_step));
  return options;
}

Result<AdmissionRule> PolicyArguments::admission(const UnitStep& unit_step) const {
  AdmissionRule rule{.notice_slots = notice_slots, .most_overlapping = most_overlapping};
  if (!largest_magnitude.empty()) {
    FUGU_ASSIGN(rule.largest_magnitude_steps, parse_magnitude(unit_step, largest_magnitude, "--largest-magnitude"));
  }
  if (smallest_epsilon) {
    const auto checked = Epsilon::make(*smallest_epsilon);
    if (!checked) return usage("--smallest-epsilon: " + checked.error().message);
    rule.smallest_epsilon = Budget::round_down(*smallest_epsilon);
  }
  return rule;
}

Result<PolicyBook> PolicyArguments::read(const PolicyContext& context) const {
  FUGU_ASSIGN(const PolicyOptions options, reading(context));
  FUGU_ASSIGN(Input input, Input::open(policies));
  return read_policy_book(std::move(input), options);
}

Result<PolicyRows> PolicyArguments::read_rows(const PolicyContext& context) const {
  FUGU_ASSIGN(const PolicyOptions options, reading(context));
  FUGU_ASSIGN(Input input, Input::open(policies));
  FUGU_ASSIGN(PolicyRows rows, PolicyRows::read(std::move(input), options));
  FUGU_TRY(rows.check());
  return rows;
}

Result<std::unique_ptr<PolicyFeed>> PolicyArguments::feed(const PolicyContext& context, bool fresh, bool live) const {
  FUGU_ASSIGN(PolicyOptions options, reading(context));
  FUGU_ASSIGN(auto file, PolicyFile::open({policies, std::move(options),
                                           UnitSignatures(context.map, context.signatures), fresh, live, warn}));
  if (fresh && exact_when_idle && file->began_empty())
    warn(policies + ": holds no policy" + (live ? " yet" : "") +
         ": with --exact-when-idle every value is released as it is" + (live ? " until one is stated" : ""));
  return std::unique_ptr<PolicyFeed>(std::move(file));
}

}  // namespace fugu::cli
