// Backward-forward sweep: currents from the leaves to the root, then voltages from the root to the leaves, until
// nothing changes any more. Several time stamps side by side. Private to loadflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fugu/loadflow/loadflow.hpp"

namespace fugu::grid::detail {

/// A radial network as the sweep wants it: nodes by their place in Network::order().
struct SweepModel {
  SweepModel(const Network& network, const LoadFlowOptions& options);

  struct Branch {  // to the parent; that of the root is the transformer
    double r;
    double x;
    double g;  // shunt at the node itself
    double b;
    std::uint32_t parent;
  };
  std::vector<Branch> branches;
  std::vector<std::uint32_t> nodes;  // which node of the network stands here
  std::vector<std::uint32_t> loads;  // places with customers
  std::vector<std::uint32_t> load_of_customer;
  double no_load_pu;       // of the root, when the known voltage is 1
  double default_voltage;  // when a batch gives none
};

inline constexpr std::size_t kSweepLanes = 8;

/// Voltages and currents of kSweepLanes time stamps: [place][lane].
struct SweepState {
  explicit SweepState(const SweepModel& model);

  std::vector<double> v_re, v_im, j_re, j_im;  // of places
  std::vector<double> p_kw, q_kvar;            // of loads
  double source[kSweepLanes];
  double change[kSweepLanes];  // square of the largest in the last iteration
};

/// One iteration. Both give the same; the second only where `has_avx2()`.
void sweep_portable(const SweepModel& model, SweepState& state);
void sweep_avx2(const SweepModel& model, SweepState& state);

}  // namespace fugu::grid::detail
