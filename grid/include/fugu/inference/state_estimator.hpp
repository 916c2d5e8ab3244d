// What the operator can conclude about its grid from noisy answers about its customers: state estimation.
//
// For each customer there is what is known without the grid (a *prior*: the released value, a public profile, or a
// filter that knows what households are like). Then whatever the operator measures itself ties customers together: the
// transformer, voltages at some nodes, released sums. Then a load flow. What is made of answers is
// post-processing and costs no privacy; the operator's own measurements are under no promise, and neither is what is
// made with them. docs/concepts/state-estimation.md.
//
//     FUGU_ASSIGN(auto estimator, StateEstimator::make(network, {.prior = Prior::households, .model = &model}));
//     FUGU_TRY(estimator.estimate(known, estimate));     // batch after batch, in order
//     monitor.observe(estimate.flow, states);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fugu/inference/household_model.hpp"
#include "fugu/loadflow/loadflow.hpp"
#include "fugu/measurement/series_match.hpp"
#include "fugu/network/network.hpp"
#include "fugu/noise/noise.hpp"

namespace fugu::grid {

/// What is known about a customer before the grid is looked at.
enum class Prior : std::uint8_t {
  releases,              ///< the released value alone, with its noise
  profile,               ///< no customer data: the bill and the public profile
  releases_and_profile,  ///< both, as if the noise and the loads were normal
  households,            ///< a filter for each household, with the noise's own law
};

/// Everything the operator knows in a batch of stamps. One row a stamp. What is not a number is not known.
struct GridKnowledge {
  std::size_t stamps = 0;
  /// New answers about customers, one column each; scale 0: exact. A release that repeats an earlier one is no answer.
  std::span<const double> p_kw;
  std::span<const double> p_scale_kw;
  std::span<const double> q_kvar = {};  ///< empty: P only
  std::span<const double> q_scale_kvar = {};
  /// Of the transformer, on its lower side, downwards. Empty: not measured.
  std::span<const double> transformer_p_kw = {};
  std::span<const double> transformer_q_kvar = {};
  /// Of noise in them, where the transformer's values are released ones. Empty: none.
  std::span<const double> transformer_p_scale_kw = {};
  std::span<const double> transformer_q_scale_kvar = {};
  std::span<const double> voltage_pu = {};              ///< where it is known: LoadBatch
  std::vector<std::span<const double>> sensor_v = {};   ///< of each sensor, by stamp: between phases
  std::vector<std::span<const double>> sum_value = {};  ///< of each sum, by stamp: kW or kvar
  std::vector<std::span<const double>> sum_scale = {};
  NoiseKind noise = NoiseKind::laplace;  ///< of all answers
};

struct StateEstimatorOptions {
  Prior prior = Prior::households;
  const HouseholdModel* model = nullptr;  ///< what households are like; outlives the estimator. Not for releases
  std::size_t first_slot_of_day = 0;
  /// Customers have this much kvar a kW, more or less: public. P only.
  double tan_phi = 0.33;
  double tan_phi_deviation = 0.12;
  double transformer_sigma = 0.01;  ///< of its meter, in parts of the reading
  double sensor_sigma_v = 0.2;
  std::vector<std::uint32_t> sensors = {};  ///< nodes
  std::vector<SumOfCustomers> sums = {};
  LoadFlowOptions load_flow = {};
};

/// One row a stamp, one column a customer.
struct GridEstimate {
  std::size_t stamps = 0;
  std::vector<double> p_kw = {};
  std::vector<double> q_kvar = {};
  std::vector<double> p_deviation_kw = {};  ///< standard deviation that is left
  /// By stamp: how far the operator's measurements are from what was expected, in standard deviations of both, at most.
  /// Far more than a few in many stamps: a wrong sign, unit or network.
  std::vector<double> surprise = {};
  LoadFlow flow = {};

  LoadBatch batch(std::span<const double> voltage_pu = {}) const { return {stamps, p_kw, q_kvar, voltage_pu}; }
};

/// Batches follow each other. One call at a time.
class StateEstimator {
 public:
  /// `network` outlives it.
  static Result<StateEstimator> make(const Network& network, StateEstimatorOptions options);
  StateEstimator(StateEstimator&&) noexcept;
  StateEstimator& operator=(StateEstimator&&) noexcept;
  ~StateEstimator();

  Result<void> estimate(const GridKnowledge& known, GridEstimate& estimate);

 private:
  class Impl;
  explicit StateEstimator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fugu::grid
