// Hosting capacity: which feeder is out of limits first when some share of customers charge a car, run a heat pump or
// have solar panels, and how large may that share be?
//
//     const std::vector<PowerView> views = {{"true", loads.batch()}, {"released", plain.batch()}};
//     FUGU_ASSIGN(const auto answers, ask_hosting(network, views, {.device = {DeviceKind::car, 11}, .share = 0.3}));
//
// Devices are added to what customers draw and placed on random ones, many times. The draws are the same for every view
// of the loads, so that views differ by the loads alone. All slots are computed, and all draws but those that cannot
// change an answer any more: capacities are exact for the draws.
// docs/how-to/ask-for-hosting-capacity.md is a worked example.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/hosting/device.hpp"
#include "fugu/loadflow/loadflow.hpp"
#include "fugu/monitoring/monitor.hpp"
#include "fugu/network/network.hpp"

namespace fugu::grid {

/// What is compared: everything behind a line at the busbar, or a network as a whole.
enum class FeederSplit : std::uint8_t { branches, whole };

struct Feeder {
  std::string name;                        ///< of the line at the busbar, or empty for a whole network
  std::vector<std::uint32_t> nodes = {};   ///< without the busbar
  std::vector<std::uint32_t> mains = {};   ///< lines that carry more than one customer
  std::vector<std::uint32_t> owners = {};  ///< residential customers: those who may get a device
};
/// Radial networks only. Feeders without residential customers are left out: nobody there gets a device.
std::vector<Feeder> feeders_of(const Network& network, FeederSplit split);

/// One idea of what customers draw: the truth, releases, an estimate. All views of a question have the same stamps.
struct PowerView {
  std::string name;
  LoadBatch loads;
};

struct HostingOptions {
  Device device = {};
  double share = 0.3;             ///< of each feeder's residential customers, rounded to whole ones
  std::size_t draws = 100;        ///< of who they are and when they use it
  double tolerated_draws = 0.05;  ///< that may be out of limits within the capacity
  std::size_t share_steps = 10;   ///< of the capacity: 10 looks at 0, 10 %, … 100 %
  std::int64_t slot_min = 15;
  std::size_t slots_since_midnight = 0;  ///< at the first stamp
  std::uint64_t seed = 1;
  MonitoringLimits limits = {};
  FeederSplit split = FeederSplit::branches;
  unsigned threads = 0;  ///< of the load flow; 0: as many as the machine has
  /// Told after each draw how many are done, and how many there are at most.
  std::function<void(std::uint64_t done, std::uint64_t all)> progress = {};
};

/// Of voltages and mains. A stamp that has no solution is one of these, for every feeder: more load than the network
/// can carry.
enum class BreachKind : std::uint8_t { undervoltage, overvoltage, overload, no_solution };
inline constexpr std::size_t kBreachKinds = 4;
std::string_view breach_name(BreachKind kind);

struct Breach {
  BreachKind kind;
  std::string place;  ///< id of a node or line; empty for no_solution
};

/// One feeder through one view, with the share of devices that was asked for.
struct FeederHosting {
  std::string feeder;
  double draws_out = 0;                                 ///< share of draws with a stamp out of limits
  double time_out = 0;                                  ///< share of all stamps of all draws
  std::array<double, kBreachKinds> draws_by_kind = {};  ///< as draws_out, by BreachKind
  std::optional<Breach> weakest = {};                   ///< what is out of limits most often
  double lowest_v = 0;                                  ///< of all stamps that were solved; not a number for none
  double highest_v = 0;
  double highest_loading_percent = 0;  ///< of mains; not a number when none has an ampacity
  /// How far limits are used at worst, as a mean over draws: 1 is at a limit. Deviations of voltage count by their own
  /// limit, loadings by theirs; a draw without solution counts with kNoSolutionUse at least.
  double use = 0;
  /// The largest share up to which at most the tolerated draws are out of limits. None: without any device there is
  /// too much already.
  std::optional<double> capacity = {};
};
inline constexpr double kNoSolutionUse = 10;

struct ViewHosting {
  std::string view;
  std::vector<FeederHosting> feeders;  ///< as feeders_of
};

/// One answer for each view, in their order.
Result<std::vector<ViewHosting>> ask_hosting(const Network& network, std::span<const PowerView> views,
                                             const HostingOptions& options);

/// Positions of feeders, the one that uses its limits most first.
std::vector<std::size_t> ranking_of(std::span<const FeederHosting> feeders);

/// Kendall's tau of the uses of two views: 1 for the same order, −1 for the opposite; not a number for fewer than two
/// feeders.
double rank_agreement(std::span<const FeederHosting> a, std::span<const FeederHosting> b);

}  // namespace fugu::grid
