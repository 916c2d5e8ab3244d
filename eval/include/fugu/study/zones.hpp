// The load of twenty zones, as both Swellfish evaluations use it: real where a data folder is given, simulated
// elsewhere.
//
//     FUGU_ASSIGN(const ZoneSet zones, make_zones({.data_folder = "data", .days = 84}));
//     for (const Zone& zone : zones.zones) use(zone.name, zone.kw);  // quarter hours; NaN is missing
//
// Real: DATA/gefcom2012/load_kw.csv.gz (GEFCom 2012, Hong et al. 2014), hourly from 2004-01-01, columns `timestamp`,
// `zone1_kw` … `zone20_kw`. What is missing stays missing, and a reading of zero stays zero. Zones end where their data
// end, so that some are shorter than the set.
// Simulated: groups of households (simulate/households.hpp), each scaled to the mean load of the real zone. A hundred
// households swing more than thousands do: mechanisms see a rougher stream than a real zone of that size.
//
// Hours become quarter hours on straight lines between the starts of two hours that are there; next to a gap only the
// hour itself is. So n hours in a row are 4n − 3 quarter hours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/stream/raw.hpp"

namespace fugu {

inline constexpr std::size_t kZones = 20;
/// A value that is missing, among integers.
inline constexpr std::int64_t kMissingSteps = std::numeric_limits<std::int64_t>::min();
/// For Simulation.
inline Raw raw_of(std::int64_t steps) { return steps == kMissingSteps ? Raw() : Raw(steps); }
/// 2004-01-01, in days since 1970-01-01: the first day of the zones, real or simulated. Give it to households that are
/// to live in them.
inline constexpr std::int64_t kZonesFirstDay = 12'418;

struct Zone {
  std::string name;        ///< "zone1"
  std::vector<double> kw;  ///< by slot; NaN where it is missing

  /// Values that are there, and their mean.
  std::size_t present() const;
  double mean_kw() const;
  std::size_t zeros() const;
  /// Tells other values apart.
  std::uint64_t digest() const;
  /// In watts, rounded: what a Simulation with the unit step 0.001 kW takes; kMissingSteps where it is missing.
  std::vector<std::int64_t> watts() const;
};

struct ZoneSet {
  std::vector<Zone> zones;    ///< all equally long
  std::int64_t slot_min = 0;  ///< 60 or 15
  std::string source;         ///< for reports: "GEFCom 2012", "simulated households"
  bool simulated = false;

  std::size_t slots() const { return zones.empty() ? 0 : zones.front().kw.size(); }
  /// Positions in `zones`, by increasing mean load: how the papers draw them.
  std::vector<std::size_t> by_mean() const;
};

struct ZoneOptions {
  std::string data_folder = {};  ///< empty: simulated
  std::int64_t days = 0;         ///< from the first on; 0: all that there are, or as many as the real ones have
  std::uint64_t seed = 1;        ///< of simulated ones
  unsigned threads = 0;          ///< of the simulation; 0: as many as there are cores
  std::uint64_t households_per_zone = 100;
};

/// As in `options`, in quarter hours. Errors name the file and line, or the option.
Result<ZoneSet> make_zones(const ZoneOptions& options);

/// The parts of it. Both hourly.
Result<ZoneSet> read_zones(const std::string& data_folder);
Result<ZoneSet> simulate_zones(const ZoneOptions& options);
/// `hourly` interpolated; see above.
ZoneSet to_quarter_hours(const ZoneSet& hourly);

}  // namespace fugu
