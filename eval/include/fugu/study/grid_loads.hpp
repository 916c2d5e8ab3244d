// What the customers of a network draw, made up or recorded: the truth that grid studies compare with. Evaluation only.
//
//     FUGU_ASSIGN(const GridLoads loads, make_grid_loads(network, {.days = 7, .ev_share = 0.3}));
//     solver->solve(loads.batch(0, loads.stamps), flow);
//
// docs/concepts/loads.md says what they are made of. The first stamp is a Monday, midnight. Values are whole
// watts and vars, functions of the network and the options: the same on every machine, for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/inference/household_model.hpp"
#include "fugu/loadflow/loadflow.hpp"
#include "fugu/network/network.hpp"

namespace fugu {

/// Whose load residential customers have. Recorded ones lie in a data folder.
enum class LoadSource : std::uint8_t {
  simulated,  ///< simulate/households.hpp: each customer a household of its own
  citylearn,  ///< DATA/citylearn_fontana: 13 homes, hourly. The four that are clipped are left out
  sgsc,       ///< DATA/sgsc_newcastle: 10 homes, half-hourly
  ieee,       ///< DATA/lvgrid/ieee_eulv: a day of 100 made-up homes by the minute; a customer has another one each day
  simbench,   ///< DATA/lvgrid/simbench_profiles: three homes and two farms by the quarter hour, scaled to profile_kw
};
/// `simulated`, `citylearn`, `sgsc`, `ieee` or `simbench`. Fails with cause usage.
Result<LoadSource> parse_load_source(std::string_view text);

/// Which homes customers may have. No home is in both parts, so what is learnt from one says nothing about a single
/// home of the other.
enum class LoadPart : std::uint8_t {
  all,
  evaluated,  ///< every other home, from the first on
  sample,     ///< the rest; all that is drawn (simulated homes, cars, businesses) is drawn by a seed of its own
};
/// `all`, `evaluated` or `sample`. Fails with cause usage.
Result<LoadPart> parse_load_part(std::string_view text);

struct GridLoadOptions {
  LoadSource source = LoadSource::simulated;
  std::string data_folder = {};  ///< of recorded sources
  LoadPart part = LoadPart::all;
  std::int64_t days = 7;       ///< 1 … 3660
  std::int64_t slot_min = 15;  ///< 1, 15, 30 or 60
  double ev_share = 0;  ///< of residential customers charge a car; a larger share adds cars to those of a smaller
  double ev_kw = 11;
  std::uint64_t seed = 1;
  unsigned threads = 0;  ///< 0: as many as there are cores
};

struct GridLoads {
  std::size_t stamps = 0;
  std::size_t customers = 0;
  std::int64_t slot_min = 0;
  std::vector<double> p_kw = {};  ///< one row a stamp, one column a customer in the network's order
  std::vector<double> q_kvar = {};
  /// The bill: what each customer would draw in a year that goes on like this. An operator knows it.
  std::vector<double> yearly_kwh = {};
  std::vector<std::uint32_t> cars = {};  ///< customers that charge one, ascending
  std::uint64_t filled = 0;              ///< recorded values that were missing and are those of a later week

  /// Stamps from `first` on. The loads have to outlive it.
  grid::LoadBatch batch(std::size_t first, std::size_t count) const;
};

/// Errors name the option, or the file.
Result<GridLoads> make_grid_loads(const grid::Network& network, const GridLoadOptions& options);

/// What homes are like, learnt from 60 of LoadPart::sample over eight weeks: none of them is among those evaluated.
Result<grid::HouseholdModel> learn_homes(GridLoadOptions options);

}  // namespace fugu
