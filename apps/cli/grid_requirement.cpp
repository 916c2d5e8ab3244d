// fugu grid requirement.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "fugu/monitoring/requirement.hpp"
#include "fugu/policy/policy_reader.hpp"
#include "fugu/policy/recurrence.hpp"
#include "fugu/simulate/household_parameters.hpp"
#include "fugu/stream/clock.hpp"
#include "fugu/stream/csv.hpp"
#include "fugu/stream/decimal.hpp"
#include "fugu/stream/location.hpp"
#include "grid.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kExamples = R"(
A use changes the power by so many kW in so many slots; noise of one scale in every slot hides it with
epsilon = kW * slots / scale. That is active power alone: where reactive power is released beside it with noise of the
same scale, a use loses 1 + tan phi times as much. Powers and cycles are those of data/households.csv, with their sources.
--then adds uses one after the other (largest power, all lengths); --with adds one beside them all (sum of powers,
longest length).

--policies writes the requirement as wishes of customers with two registers, for publish and plan: reactive power is
--tan-phi times the active one, and each wish is one slot longer, as a use may begin within a slot.

Examples
  fugu grid requirement --epsilon 1                                    the noise that hides a use of each appliance
  fugu grid requirement --appliance washing-machine --then dryer --epsilon 0.5
  fugu grid requirement --appliance 11:4h --with space-heating --epsilon 1       a car beside the heating
  fugu grid requirement --scale 1                                      what noise of 1 kW hides, and how well
  fugu grid requirement --appliance washing-machine --epsilon 1 --policies wishes.jsonl --customer h0,h1 --tan-phi 0.3 \
                        --from 06:00 --to 22:00 --until 2026-03-04
)";

constexpr double kTanPhiMax = 10;
constexpr double kOwnMax_kw = 1e6;

struct Arguments {
  std::string appliance;
  std::vector<std::string> then;
  std::vector<std::string> beside;
  std::optional<double> epsilon;
  std::optional<double> scale_kw;
  double part = 1;
  std::string slot_length = "15m";

  // Wishes for publish.
  std::string policies;
  std::vector<std::string> customers;
  std::optional<double> tan_phi;
  std::string days = "daily";
  std::string from;
  std::string to;
  std::string since;
  std::string until;
};

struct NamedRequirement {
  std::string name;
  grid::Requirement requirement;
};

Error usage(std::string message) { return {Cause::usage, std::move(message)}; }

/// W and var.
UnitStep unit_step() { return *UnitStep::parse("0.001"); }

Result<void> check(const Arguments& arguments) {
  if (arguments.epsilon.has_value() == arguments.scale_kw.has_value())
    return usage("give either --epsilon, to learn the scale of the noise, or --scale, to learn the epsilon");
  for (const auto& [option, value] : {std::pair("--epsilon", arguments.epsilon), {"--scale", arguments.scale_kw}}) {
    if (value && (!(*value > 0) || std::isinf(*value)))
      return usage(std::string(option) + ": expected a number above 0");
  }
  if (!(arguments.part > 0 && arguments.part <= 1)) return usage("--part: expected more than 0 and at most 1");
  if (arguments.appliance.empty() && (!arguments.then.empty() || !arguments.beside.empty()))
    return usage("--then and --with go on from an --appliance: give one");
  return {};
}

/// Twice the same customer would be two wishes of one household.
Result<void> check_customers(std::vector<std::string> customers) {
  std::ranges::sort(customers);
  const auto twice = std::ranges::adjacent_find(customers);
  if (twice != customers.end()) return usage("--customer: found " + shown(*twice) + " twice; expected each once");
  return {};
}

/// What the text of a wish needs. check_wishes() judges the rest.
Result<void> check_policies(const Arguments& arguments) {
  if (arguments.policies.empty()) {
    if (!arguments.customers.empty() || arguments.tan_phi || !arguments.from.empty() || !arguments.to.empty() ||
        !arguments.since.empty() || !arguments.until.empty())
      return usage("--customer, --tan-phi, --from, --to, --since and --until belong to --policies");
    return {};
  }
  if (arguments.appliance.empty() || !arguments.epsilon)
    return usage("--policies writes one requirement: give --appliance and --epsilon");
  if (arguments.customers.empty() || !arguments.tan_phi || arguments.from.empty() || arguments.to.empty() ||
      arguments.until.empty())
    return usage("--policies needs --customer, --tan-phi, --from, --to and --until");
  if (!(std::abs(*arguments.tan_phi) <= kTanPhiMax)) return usage("--tan-phi: expected a number from -10 to 10");
  for (const std::string& customer : arguments.customers) FUGU_TRY(csv::check_name(customer, {"--customer"}, "a name"));
  FUGU_TRY(check_customers(arguments.customers));
  for (const std::string* text :
       {&arguments.days, &arguments.from, &arguments.to, &arguments.since, &arguments.until}) {
    const auto is_plain = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == ':' || c == '-' || c == ',' || c == '+';
    };
    if (!std::ranges::all_of(*text, is_plain))
      return usage("found " + shown(*text) + " as days or time; expected such as mon-fri, 06:00 or 2026-06-01");
  }
  return {};
}

Error unknown_appliance(const std::string& text) {
  std::string known;
  for (const ApplianceModel& model : HouseholdParameters::shipped().appliances)
    known += (known.empty() ? "" : ", ") + model.name;
  return usage("found the appliance " + shown(text) +
               "; expected its power in kW and its cycle, such as 11:4h, or one of " + known);
}

/// `KW:CYCLE`; nothing when it is not, or more than any low-voltage customer draws.
std::optional<grid::Requirement> parse_own(const std::string& text, double slot_min) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  double power_kw = 0;
  const char* const end = text.data() + colon;
  const auto [stop, fault] = std::from_chars(text.data(), end, power_kw);
  if (stop != end || fault != std::errc() || !(power_kw > 0 && power_kw <= kOwnMax_kw)) return std::nullopt;
  const auto cycle_s = parse_duration(text.substr(colon + 1));
  if (!cycle_s) return std::nullopt;
  return grid::one_use(1000 * power_kw, static_cast<double>(*cycle_s) / 60, slot_min);
}

grid::Requirement requirement_of(const ApplianceModel& model, double slot_min) {
  return grid::one_use(model.power_w, model.duration_min, slot_min);
}

Result<grid::Requirement> find(const std::string& text, double slot_min) {
  const auto& models = HouseholdParameters::shipped().appliances;
  const auto found = std::ranges::find(models, text, &ApplianceModel::name);
  if (found != models.end()) return requirement_of(*found, slot_min);
  if (const auto own = parse_own(text, slot_min)) return *own;
  return unknown_appliance(text);
}

Result<NamedRequirement> combine(const Arguments& arguments, double slot_min) {
  FUGU_ASSIGN(const grid::Requirement first, find(arguments.appliance, slot_min));
  NamedRequirement made{arguments.appliance, first};
  for (const std::string& name : arguments.then) {
    FUGU_ASSIGN(const grid::Requirement next, find(name, slot_min));
    made = {made.name + ", then " + name, grid::followed_by(made.requirement, next)};
  }
  for (const std::string& name : arguments.beside) {
    FUGU_ASSIGN(const grid::Requirement next, find(name, slot_min));
    made = {made.name + ", with " + name, grid::in_parallel(made.requirement, next)};
  }
  return made;
}

Result<std::vector<NamedRequirement>> requirements(const Arguments& arguments) {
  FUGU_ASSIGN(const std::int64_t slot_s, of_option("--slot-length", parse_duration(arguments.slot_length)));
  const double slot_min = static_cast<double>(slot_s) / 60;
  std::vector<NamedRequirement> asked;
  if (!arguments.appliance.empty()) {
    FUGU_ASSIGN(NamedRequirement one, combine(arguments, slot_min));
    asked.push_back(std::move(one));
    return asked;
  }
  for (const ApplianceModel& model : HouseholdParameters::shipped().appliances)
    asked.push_back({model.name, requirement_of(model, slot_min)});
  return asked;
}

/// Rounded up to W or var, as wishes are.
std::int64_t steps_of(double kilo) {
  // A product of decimals is off by a few units of its last place, which is no reason to round up.
  return static_cast<std::int64_t>(std::ceil(std::abs(kilo) * 1000 * (1 - 0x1p-40)));
}

/// What one wish asks for: the use, in as many slots as it can touch.
struct Wish {
  std::uint64_t slots;
  std::int64_t p_w;
  std::int64_t q_var;
};

Wish wish_of(const Arguments& arguments, const grid::Requirement& requirement) {
  return {requirement.length_slots + 1, steps_of(requirement.p_kw), steps_of(requirement.p_kw * *arguments.tan_phi)};
}

std::string lane_of(std::int64_t steps, std::uint64_t slots) {
  const std::string each = unit_step().text(steps);
  std::string lane;
  for (std::uint64_t slot = 0; slot < slots; ++slot) lane += (slot == 0 ? "[" : ", ") + each;
  return lane + "]";
}

/// Every digit: rounding could promise less than was asked for.
std::string exact_text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string policies_text(const Arguments& arguments, const Wish& wish) {
  const std::string p = lane_of(wish.p_w, wish.slots);
  const std::string q = lane_of(wish.q_var, wish.slots);
  std::string rest = R"(}, "epsilon": )" + exact_text(*arguments.epsilon) + R"(, "repeat": {"days": ")" +
                     arguments.days + R"(", "from": ")" + arguments.from + R"(", "to": ")" + arguments.to;
  if (!arguments.since.empty()) rest += R"(", "since": ")" + arguments.since;
  rest += R"(", "until": ")" + arguments.until + "\"}}\n";
  std::string text;
  for (const std::string& customer : arguments.customers)
    text.append(R"({"meter": ")")
        .append(customer)
        .append(R"(", "profile": {")")
        .append(customer)
        .append(R"(.p": )")
        .append(p)
        .append(R"(, ")")
        .append(customer)
        .append(R"(.q": )")
        .append(q)
        .append(rest);
  return text;
}

/// Reads the wishes back as publish will, with the stream's first day if it is known. Without it, a week before the
/// last one has every weekday.
Result<void> check_wishes(const Arguments& arguments, const std::string& text) {
  RecurrenceText stated{arguments.days, arguments.from, arguments.to, arguments.until};
  if (!arguments.since.empty()) stated.since = arguments.since;
  const auto recurrence = Recurrence::parse(stated);
  if (!recurrence) return usage(recurrence.error().message);
  FUGU_ASSIGN(const std::int64_t slot_s, of_option("--slot-length", parse_duration(arguments.slot_length)));
  const auto first_day = recurrence->since.value_or(recurrence->until - std::chrono::days(8));
  PolicyOptions reading{
      .unit_step = unit_step(),
      .clock = Clock(std::int64_t{first_day.time_since_epoch().count()} * 24 * 3600, slot_s),
  };
  for (const std::string& customer : arguments.customers) {
    for (const char* quantity : {".p", ".q"}) reading.series.push_back(customer + quantity);
  }
  const auto book = read_policy_book(Input::from_memory(arguments.policies, text), reading);
  if (!book) return usage("the wishes would be refused: " + book.error().message);
  return {};
}

void print_scale_of(const Wish& wish, double epsilon) {
  const double scale = static_cast<double>(wish.slots) * static_cast<double>(wish.p_w + wish.q_var) / 1000 / epsilon;
  std::printf(
      "\nThe wishes ask for noise of scale %s in kW and in kvar, more than active power alone: a use that begins\n"
      "within a slot touches %llu of them, and both registers share epsilon, %s kW and %s kvar in each slot.\n",
      short_number(scale).c_str(), static_cast<unsigned long long>(wish.slots), unit_step().text(wish.p_w).c_str(),
      unit_step().text(wish.q_var).c_str());
}

Result<Wish> write_wishes(const Arguments& arguments, const grid::Requirement& requirement) {
  const Wish wish = wish_of(arguments, requirement);
  const std::string text = policies_text(arguments, wish);
  FUGU_TRY(check_wishes(arguments, text));
  FUGU_TRY(write_file(arguments.policies, text));
  return wish;
}

Outcome run(const Arguments& arguments) {
  FUGU_TRY(check(arguments));
  FUGU_TRY(check_policies(arguments));
  FUGU_ASSIGN(std::vector<NamedRequirement> asked, requirements(arguments));
  const auto total_kw = [](const NamedRequirement& each) { return grid::noise_scale_kw(each.requirement, 1); };
  std::ranges::stable_sort(asked, {}, total_kw);
  constexpr auto kNumber = report::Column::Align::number;
  report::Table table{
      .columns = {
          {"one use of"}, {"kW", kNumber}, {"slots", kNumber}, {"ε", kNumber}, {"scale of noise, kW", kNumber}}};
  for (const auto& [name, requirement] : asked) {
    const double epsilon =
        arguments.epsilon ? *arguments.epsilon : grid::epsilon_at(requirement, *arguments.scale_kw, arguments.part);
    const double scale_kw =
        arguments.scale_kw ? *arguments.scale_kw : grid::noise_scale_kw(requirement, epsilon, arguments.part);
    table.rows.push_back({{name},
                          {short_number(requirement.p_kw)},
                          {std::to_string(requirement.length_slots)},
                          {short_number(epsilon)},
                          {short_number(scale_kw)}});
  }
  std::optional<Wish> wish;
  if (!arguments.policies.empty()) {
    FUGU_ASSIGN(wish, write_wishes(arguments, asked[0].requirement));
  }
  print_table(table);
  if (wish) print_scale_of(*wish, *arguments.epsilon);
  return kDone;
}

}  // namespace

void prepare_grid_requirement(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<Arguments>();
  command.footer(kExamples);
  command.add_option("--appliance", arguments->appliance,
                     "An appliance of data/households.csv, or its power in kW and its cycle, such as 11:4h (default: "
                     "all of the table)");
  command.add_option("--then", arguments->then, "Appliances that run directly after it, each after the one before");
  command.add_option("--with", arguments->beside, "Appliances that run at the same time");
  command.add_option("--epsilon", arguments->epsilon, "How well it is to be hidden: prints the scale of the noise");
  command.add_option("--scale", arguments->scale_kw, "Scale of the noise in kW: prints how well it hides");
  command.add_option("--part", arguments->part, "Part of epsilon that goes to active power, as --split of publish")
      ->capture_default_str();
  command.add_option("--slot-length", arguments->slot_length, "Length of a slot: 15m, 1h")->capture_default_str();
  const std::string group = "Wishes of customers";
  command.add_option("--policies", arguments->policies, "Write the requirement as policies, JSON Lines, for publish")
      ->group(group);
  command.add_option("--customer", arguments->customers, "Customers who have it, separated by commas")
      ->delimiter(',')
      ->group(group);
  command.add_option("--tan-phi", arguments->tan_phi, "Reactive power over active power of the appliances; public")
      ->group(group);
  command.add_option("--days", arguments->days, "Days on which it may run: daily, mon-fri, sat,sun")
      ->capture_default_str()
      ->group(group);
  command.add_option("--from", arguments->from, "Time of day from which it may run: 06:00")->group(group);
  command.add_option("--to", arguments->to, "Time of day until which it may run: 22:00")->group(group);
  command.add_option("--since", arguments->since, "First day, such as 2026-03-02; the first of the stream without it")
      ->group(group);
  command.add_option("--until", arguments->until, "The day after the last one")->group(group);
  command.callback([arguments, &outcome] { outcome = run(*arguments); });
}

}  // namespace fugu::cli
