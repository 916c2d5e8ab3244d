// Everything an operator has about a network over time: what was released about its customers, what it measures itself.
//
//     FUGU_ASSIGN(const Measurements known, read_measurements(network, {.released = {"released.csv", clock}}));
//     FUGU_ASSIGN(const PlainLoads loads, plain_loads(network, known));   // the releases as they are, for a load flow
//
// Files: releases as `fugu publish` writes them; measured values as a CSV stream, `time,SERIES…`. series_match.hpp says
// what names mean, docs/concepts/measurements.md what is refused. Reads nothing that is protected: releases are public,
// and what the operator measures is its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/loadflow/loadflow.hpp"
#include "fugu/measurement/series_match.hpp"
#include "fugu/mechanism/run_facts.hpp"
#include "fugu/network/network.hpp"
#include "fugu/noise/noise.hpp"

namespace fugu::grid {

/// A CSV file whose first column is a time. No path: there is no such file.
struct TimedFile {
  std::string path = {};
  RunClock time = {};  ///< as its times imply
};

struct MeasurementFiles {
  TimedFile released = {};
  TimedFile measured = {};
  const SeriesMap* map = nullptr;  ///< what released sums add up
  /// The ledger of the release, or empty. With it, the release is refused unless it follows from the ledger to the
  /// byte and the ledger's promise holds, which is what `fugu audit` checks, and it lacks no slot between its first and
  /// its last.
  std::string ledger = {};
};

/// One quantity of one place, by stamp.
struct MeasuredSeries {
  std::vector<double> answer = {};  ///< not a number where nothing new was said
  std::vector<double> scale = {};   ///< of the noise in it: 0 for an exact value
  std::vector<double> shown = {};   ///< as the file says it, repeated releases included; not a number in gaps
  bool is_released = false;         ///< else measured by the operator

  bool is_there() const { return !shown.empty(); }
};

struct MeasuredSum {
  SumOfCustomers of;
  MeasuredSeries series;
};

struct VoltageSensor {
  std::uint32_t node = 0;
  MeasuredSeries series;  ///< V between phases
};

struct MeasurementCounts {
  std::uint64_t answers = 0;            ///< values that say something new
  std::uint64_t repeated = 0;           ///< releases that repeat an earlier one: they say nothing new about their slot
  std::uint64_t estimates = 0;          ///< releases made of several answers: no law of their noise is known
  std::uint64_t gaps = 0;               ///< series and stamps without a value
  std::uint64_t released_left_out = 0;  ///< slots of the release at which nothing was measured, before or after
  std::uint64_t measured_left_out = 0;  ///< the other way round
};

/// Powers of customers have one row a stamp, one column a customer, in the network's order. Not a number where there is
/// nothing: a customer without a series, a gap, and for answers and scales a repeated release or an estimate.
struct Measurements {
  std::size_t stamps = 0;
  std::size_t customers = 0;
  RunClock time = {};
  Slot first_slot = 0;  ///< of the clock: stamp i is slot first_slot + i

  std::vector<double> p_kw = {};  ///< new answers
  std::vector<double> p_scale_kw = {};
  std::vector<double> q_kvar = {};
  std::vector<double> q_scale_kvar = {};
  std::vector<double> shown_p_kw = {};  ///< as the files say it
  std::vector<double> shown_q_kvar = {};
  std::vector<bool> has_p = {};  ///< customers with a series of their own
  std::vector<bool> has_q = {};
  std::vector<bool> is_released = {};  ///< customers whose kW or kvar come from the release

  std::vector<MeasuredSum> sums = {};
  MeasuredSeries transformer_p_kw = {};
  MeasuredSeries transformer_q_kvar = {};
  MeasuredSeries transformer_v = {};
  std::vector<VoltageSensor> sensors = {};

  /// Of released answers. The ledger says so; without one, Gaussian where loss rates count ρ, Laplace elsewhere.
  /// `scale` is the scale of a Laplace law, the standard deviation of a Gaussian one.
  NoiseKind noise = NoiseKind::laplace;
  bool simulated = false;  ///< the release is not private: its noise came from a seed
  MeasurementCounts counts = {};
};

/// Reads both files over the time that they share. An error lists every mistake.
Result<Measurements> read_measurements(const Network& network, const MeasurementFiles& files, MatchRules rules = {});

/// The same without anything that the release says, exact values included: what the operator measures itself.
Measurements without_release(Measurements measurements);

/// Loads for a load flow that takes releases as they are.
struct PlainLoads {
  std::size_t stamps = 0;
  std::vector<double> p_kw = {};
  std::vector<double> q_kvar = {};  ///< 0 for customers whose kvar are not known
  std::uint64_t filled = 0;         ///< gaps that have the value before, or 0 at the beginning

  LoadBatch batch() const { return {.stamps = stamps, .p_kw = p_kw, .q_kvar = q_kvar}; }
};
/// Cause::bad_input when a customer has no kW of its own.
Result<PlainLoads> plain_loads(const Network& network, const Measurements& measurements);

}  // namespace fugu::grid
