// Currents, loadings and what the transformer carries: all follows from the voltages of a time stamp.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "fugu/network/network.hpp"

namespace fugu::grid {

/// What a transformer takes from above and hands on to the busbar. Positive: downwards.
struct TransformerFlow {
  double hv_kw;
  double hv_kvar;
  double lv_kw;
  double lv_kvar;
  double loading_percent;  ///< larger apparent power of both sides, of the rated one
};

/// One time stamp at a time; `voltage_pu` is a row of a LoadFlow. Not-a-number voltages give not-a-number flows.
class BranchFlows {
 public:
  explicit BranchFlows(const Network& network);

  /// The currents at both ends of every line, which differ by what its capacitance draws. 0 in open lines.
  void line_currents_a(std::span<const std::complex<double>> voltage_pu, std::span<double> from_a,
                       std::span<double> to_a) const;
  /// The larger current of both ends, of the ampacity. Not a number for a line without one.
  void line_loadings_percent(std::span<const double> from_a, std::span<const double> to_a,
                             std::span<double> percent) const;
  /// With what the customers drew: the busbar may have some.
  TransformerFlow transformer(std::span<const std::complex<double>> voltage_pu, std::span<const double> p_kw,
                              std::span<const double> q_kvar) const;

 private:
  struct LineModel {
    Network::Ends ends;
    std::complex<double> series;  // admittance, kVA
    double half_shunt;            // susceptance of one end, kvar
    double ampacity_a;
  };
  /// What flows into the line at `from`.
  static std::complex<double> current(const LineModel& line, std::complex<double> from, std::complex<double> to);

  std::vector<LineModel> lines_;
  std::vector<std::uint32_t> root_lines_;
  std::vector<std::uint32_t> root_customers_;
  std::uint32_t root_;
  std::complex<double> transformer_z_;
  double half_iron_kw_;
  double rated_kva_;
  double ampere_per_kva_;
};

}  // namespace fugu::grid
