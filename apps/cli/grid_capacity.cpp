// fugu grid capacity: which feeder is out of limits first when customers buy cars, heat pumps or panels?
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "fugu/hosting/hosting.hpp"
#include "grid.hpp"
#include "grid_estimate.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kExamples = R"(
Adds a device to the loads of some customers, drawn at random many times, and looks for voltages and mains out of
limits. The draws are the same for all loads: true ones, released ones, what state estimation makes of the release, and
what is known without any customer's data. True rows, and agreement with them, are not private. With one network, its
feeders are what begins at the busbar; with several, each network is one. Share is of the residential customers of each
feeder; the capacity is the largest share up to which at most 5 % of the draws are ever out of limits.
docs/how-to/ask-for-hosting-capacity.md is an example.

Examples
  fugu grid capacity NETWORK --loads loads.csv --share 0.3
  fugu grid capacity NETWORK --loads loads.csv --released released.csv --measured own.csv --device ev --kw 11
  fugu grid capacity EAST WEST --loads east.csv west.csv --released east-released.csv west-released.csv --device pv
)";

struct Arguments {
  std::vector<std::string> networks;
  bool allow_unusual = false;
  std::vector<std::string> loads;
  std::vector<std::string> released;
  std::vector<std::string> measured;
  std::vector<std::string> ledgers;
  std::vector<std::string> bills;
  std::string homes;
  std::string device = "ev";
  std::optional<double> kw;  ///< else the usual one
  std::string slot_length = "15m";
  bool allow_unmeasured = false;
  grid::HostingOptions hosting;
};

/// One network's loads, under a name.
struct View {
  std::string name;
  grid::Measurements known;  // what they come from
  std::int64_t slot_min;
  grid::PlainLoads loads;
};

Result<View> plain_view(std::string name, const OperatorView& seen) {
  FUGU_ASSIGN(grid::PlainLoads loads, grid::plain_loads(seen.network, seen.measurements));
  if (loads.filled > 0)
    note(std::to_string(loads.filled) + " values of the " + name + " loads are missing and have the value before");
  return View{std::move(name), seen.measurements, seen.slot_min, std::move(loads)};
}

std::string at_or_none(const std::vector<std::string>& files, std::size_t i) {
  return i < files.size() ? files[i] : std::string();
}

/// The release as it is, what state estimation makes of it, and what is known without it. A customer of whom nothing is
/// known has no load as released, only estimated ones.
Result<void> add_released(const Arguments& arguments, const grid::Network& network, std::size_t i,
                          std::vector<View>& views) {
  const OperatorFiles files{.released = arguments.released[i],
                            .measured = at_or_none(arguments.measured, i),
                            .ledger = at_or_none(arguments.ledgers, i),
                            .homes = arguments.homes,
                            .slot_length = arguments.slot_length,
                            .allow_unmeasured = arguments.allow_unmeasured};
  FUGU_ASSIGN(const OperatorView seen, read_operator_view(network, files));
  if (!arguments.allow_unmeasured) {
    FUGU_ASSIGN(View released, plain_view("released", seen));
    views.push_back(std::move(released));
  }
  FUGU_ASSIGN(const Estimation estimation, Estimation::make(seen, files));
  for (const auto& [name, prior] :
       {std::pair("estimated", grid::Prior::households), {"no customer data", grid::Prior::profile}}) {
    FUGU_ASSIGN(grid::PlainLoads loads, estimation.loads(prior));
    views.push_back({name, seen.measurements, seen.slot_min, std::move(loads)});
  }
  return {};
}

/// All that is known about one network's loads.
Result<std::vector<View>> read_views(const Arguments& arguments, const grid::Network& network, std::size_t i) {
  std::vector<View> views;
  if (!arguments.loads.empty()) {
    FUGU_ASSIGN(const OperatorView truth,
                read_operator_view(network, {.measured = arguments.loads[i], .slot_length = arguments.slot_length}));
    FUGU_ASSIGN(View view, plain_view("true", truth));
    views.push_back(std::move(view));
  }
  if (!arguments.released.empty()) FUGU_TRY(add_released(arguments, network, i, views));
  for (const View& view : views) {
    const grid::Measurements& first = views.front().known;
    if (view.known.stamps != first.stamps || view.known.first_slot != first.first_slot ||
        view.known.time.clock != first.time.clock)
      return Error{Cause::bad_input, arguments.networks[i] + ": the " + view.name + " and the " + views.front().name +
                                         " loads are of different slots; expected the same"};
  }
  return views;
}

/// Where in the day the loads begin, and how long slots are.
void set_time(const grid::Network& network, const View& view, grid::HostingOptions& options) {
  options.slot_min = view.slot_min;
  options.slots_since_midnight = grid::MeasuredKnowledge(network, view.known).options(view.slot_min).first_slot_of_day;
}

/// The name of its folder, or the path as it was given where another network's folder has the same name.
std::string network_name(const std::vector<std::string>& networks, std::size_t i) {
  const std::string name = name_of_network(networks[i]);
  const auto has_name = [&](const std::string& folder) { return name_of_network(folder) == name; };
  return std::ranges::count_if(networks, has_name) == 1 ? name : networks[i];
}

/// Answers of one network, with the network's name for a feeder that has none.
Result<std::vector<grid::ViewHosting>> ask_network(const Arguments& arguments, grid::HostingOptions options,
                                                   std::size_t i) {
  const std::string& folder = arguments.networks[i];
  FUGU_ASSIGN(grid::Network bare,
              grid::read_network(folder, {.radial = true, .usual_values = !arguments.allow_unusual}));
  FUGU_ASSIGN(const grid::Network network, billed(std::move(bare), at_or_none(arguments.bills, i)));
  FUGU_ASSIGN(const std::vector<View> views, read_views(arguments, network, i));
  set_time(network, views.front(), options);
  note_unknown_ampacities(network, folder);
  std::vector<grid::PowerView> powers;
  for (const View& view : views) powers.push_back({view.name, view.loads.batch()});
  const std::string name = network_name(arguments.networks, i);
  Progress progress("draws of " + name);
  options.progress = [&](std::uint64_t done, std::uint64_t all) { progress.update_now(done, all); };
  FUGU_ASSIGN(std::vector<grid::ViewHosting> answers, grid::ask_hosting(network, powers, options));
  for (grid::ViewHosting& answer : answers) {
    for (grid::FeederHosting& feeder : answer.feeders) {
      if (feeder.feeder.empty()) feeder.feeder = name;
    }
  }
  return answers;
}

std::string text_of(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return std::isnan(value) ? "–" : text;
}

std::string text_of(const std::optional<grid::Breach>& breach) {
  if (!breach) return "–";
  const std::string kind(grid::breach_name(breach->kind));
  return breach->place.empty() ? kind : kind + " at " + breach->place;
}

std::vector<report::Cell> row_of(const grid::FeederHosting& feeder, const std::string& view) {
  const std::string capacity = feeder.capacity ? text_of(100 * *feeder.capacity, 0) : "none";
  return {{feeder.feeder},
          {view},
          {text_of(100 * feeder.draws_out, 0)},
          {text_of(100 * feeder.time_out, 2)},
          {text_of(feeder.weakest)},
          {text_of(feeder.lowest_v, 1)},
          {text_of(feeder.highest_v, 1)},
          {text_of(feeder.highest_loading_percent, 0)},
          {text_of(feeder.use, 2)},
          {capacity}};
}

/// Which feeder is first, and with true loads how far the others agree with them.
void print_order(const std::vector<grid::ViewHosting>& answers, bool has_truth) {
  const grid::ViewHosting& truth = answers.front();
  if (truth.feeders.size() < 2) return;         // nothing to put in an order
  if (has_truth && answers.size() < 2) return;  // nor to compare
  const auto first_of = [](const grid::ViewHosting& answer) { return grid::ranking_of(answer.feeders).front(); };
  std::printf("\n");
  for (const grid::ViewHosting& answer : answers) {
    if (has_truth && &answer == &truth) continue;
    const std::size_t first = first_of(answer);
    std::printf("%s: '%s' is first", answer.view.c_str(), answer.feeders[first].feeder.c_str());
    if (has_truth)
      std::printf(", %s with true loads; Kendall's tau %s over %zu feeders", first == first_of(truth) ? "as" : "not as",
                  text_of(grid::rank_agreement(truth.feeders, answer.feeders), 2).c_str(), answer.feeders.size());
    std::printf("\n");
  }
  if (!has_truth) std::printf("How near that is to the truth cannot be said without true loads (--loads)\n");
}

void print(const std::vector<grid::ViewHosting>& answers, bool has_truth) {
  using Align = report::Column::Align;
  report::Table table{.columns = {{"feeder"},
                                  {"loads"},
                                  {"draws out, %", Align::number},
                                  {"time out, %", Align::number},
                                  {"weakest"},
                                  {"lowest V", Align::number},
                                  {"highest V", Align::number},
                                  {"mains, %", Align::number},
                                  {"use of limits", Align::number},
                                  {"capacity, %", Align::number}}};
  bool has_none = false;
  for (const std::size_t i : grid::ranking_of(answers.front().feeders)) {
    for (const grid::ViewHosting& answer : answers) {
      table.rows.push_back(row_of(answer.feeders[i], answer.view));
      has_none |= !answer.feeders[i].capacity;
    }
  }
  print_table(table);
  if (has_none) std::printf("\nCapacity none: with these loads the feeder is out of limits without any device\n");
  print_order(answers, has_truth);
}

Result<void> check(const Arguments& arguments) {
  const std::size_t networks = arguments.networks.size();
  if (arguments.loads.empty() && arguments.released.empty())
    return Error{Cause::usage, "expected --loads, or --released, or both"};
  for (const auto& [option, files] : {std::pair{"--loads", &arguments.loads},
                                      {"--released", &arguments.released},
                                      {"--measured", &arguments.measured},
                                      {"--ledger", &arguments.ledgers},
                                      {"--bills", &arguments.bills}}) {
    if (!files->empty() && files->size() != networks)
      return Error{Cause::usage,
                   std::string(option) + ": expected as many files as networks, " + std::to_string(networks)};
  }
  for (std::size_t i = 0; i < networks; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      std::error_code unknown;  // then reading it says why
      if (std::filesystem::equivalent(arguments.networks[i], arguments.networks[j], unknown))
        return Error{Cause::usage, "found the network " + shown_name(arguments.networks[i]) + " twice; expected once"};
    }
  }
  if (arguments.kw && !(*arguments.kw > 0 && std::isfinite(*arguments.kw)))
    return Error{Cause::usage, "--kw: expected a number of kW above 0"};
  if (arguments.released.empty() && arguments.allow_unmeasured)
    return Error{Cause::usage, "--allow-unmeasured goes with --released, which is missing"};
  if (arguments.released.empty() && (!arguments.measured.empty() || !arguments.ledgers.empty()))
    return Error{Cause::usage, "--measured and --ledger go with --released, which is missing"};
  return {};
}

Outcome print_capacity(const Arguments& arguments) {
  FUGU_TRY(check(arguments));
  if (!arguments.released.empty()) note_simulated_homes(arguments.homes);
  grid::HostingOptions options = arguments.hosting;
  FUGU_ASSIGN(options.device.kind, of_option("--device", grid::parse_device(arguments.device)));
  options.device.kw = arguments.kw.value_or(grid::usual_device_kw(options.device.kind));
  options.split = arguments.networks.size() > 1 ? grid::FeederSplit::whole : grid::FeederSplit::branches;
  std::vector<grid::ViewHosting> all;
  for (std::size_t i = 0; i < arguments.networks.size(); ++i) {
    FUGU_ASSIGN(const auto answers, ask_network(arguments, options, i));
    if (all.empty()) all.resize(answers.size());
    for (std::size_t view = 0; view < answers.size(); ++view) {
      all[view].view = answers[view].view;
      all[view].feeders.insert(all[view].feeders.end(), answers[view].feeders.begin(), answers[view].feeders.end());
    }
  }
  print(all, !arguments.loads.empty());
  return kDone;
}

}  // namespace

void prepare_grid_capacity(CLI::App& command, Outcome& outcome) {
  auto arguments = std::make_shared<Arguments>();
  grid::HostingOptions& hosting = arguments->hosting;
  command.footer(kExamples);
  command.add_option("network", arguments->networks, "Folders with networks")->required();
  command.add_flag("--allow-unusual", arguments->allow_unusual,
                   "Parameters that low-voltage networks do not have are no mistake");
  command.add_option("--loads", arguments->loads, "True loads, CSV wide, one file for each network");
  command.add_option("--released", arguments->released, "Releases, one file for each network");
  command.add_option("--measured", arguments->measured,
                     "What the operator measures itself: customers that are not in the release");
  command.add_option("--ledger", arguments->ledgers, "Ledgers that the releases have to follow from");
  command.add_option("--bills", arguments->bills, "What customers use in a year: see fugu grid monitor");
  command.add_option("--homes", arguments->homes, "Public sample of homes, for estimation: see fugu grid monitor");
  command.add_flag("--allow-unmeasured", arguments->allow_unmeasured,
                   "Customers of whom nothing is known are no mistake. Then there are estimates alone: no row takes "
                   "the release for the truth");
  command.add_option("--device", arguments->device, "ev, heat-pump or pv")->capture_default_str();
  command.add_option("--kw", arguments->kw, "Rated power; 11 for ev, 3 for heat-pump and 8 for pv without it");
  command.add_option("--share", hosting.share, "Share of each feeder's residential customers")->capture_default_str();
  command.add_option("--draws", hosting.draws, "Of who has a device and when it is used")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000}))
      ->capture_default_str();
  command.add_option("--steps", hosting.share_steps, "Steps of the share in which the capacity is looked for")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100}))
      ->capture_default_str();
  command.add_option("--slot-length", arguments->slot_length, "Of files that have slot numbers; slot 0 is a midnight")
      ->capture_default_str();
  command.add_option("--seed", hosting.seed, "Equal seeds give equal draws")->capture_default_str();
  command.add_option("--threads", hosting.threads, "0: all cores; the result does not depend on it")
      ->capture_default_str();
  command.callback([arguments, &outcome] { outcome = print_capacity(*arguments); });
}

}  // namespace fugu::cli
