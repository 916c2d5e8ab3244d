#include "fugu/loadflow/branch_flows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "per_unit.hpp"

namespace fugu::grid {

using detail::Complex;

BranchFlows::BranchFlows(const Network& network)
    : root_(network.root()),
      transformer_z_(detail::transformer_z(network)),
      half_iron_kw_(detail::half_iron_kw(network)),
      rated_kva_(network.transformer().rated_kva),
      ampere_per_kva_(detail::ampere_per_kva(network)) {
  for (std::uint32_t i = 0; i < network.lines().size(); ++i) {
    const Line& line = network.lines()[i];
    const Network::Ends ends = network.line_ends()[i];
    const Complex series = line.is_closed ? 1.0 / detail::line_z(network, line) : 0.0;
    const double half_shunt = line.is_closed ? detail::line_half_shunt(network, line) : 0.0;
    lines_.push_back({ends, series, half_shunt, line.ampacity_a.value_or(std::numeric_limits<double>::quiet_NaN())});
    if (ends.from == root_ || ends.to == root_) root_lines_.push_back(i);
  }
  for (std::uint32_t i = 0; i < network.customers().size(); ++i) {
    if (network.customer_nodes()[i] == root_) root_customers_.push_back(i);
  }
}

Complex BranchFlows::current(const LineModel& line, Complex from, Complex to) {
  // Written out: multiplying complex numbers as C++ wants it looks for infinities.
  const Complex drop = from - to;
  const double re = line.series.real() * drop.real() - line.series.imag() * drop.imag();
  const double im = line.series.real() * drop.imag() + line.series.imag() * drop.real();
  return {re - line.half_shunt * from.imag(), im + line.half_shunt * from.real()};
}

void BranchFlows::line_currents_a(std::span<const Complex> voltage_pu, std::span<double> from_a,
                                  std::span<double> to_a) const {
  FUGU_CHECK(from_a.size() == lines_.size() && to_a.size() == lines_.size());
  const auto ampere = [this](Complex j) { return ampere_per_kva_ * std::sqrt(std::norm(j)); };
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const LineModel& line = lines_[i];
    const Complex from = voltage_pu[line.ends.from];
    const Complex to = voltage_pu[line.ends.to];
    from_a[i] = ampere(current(line, from, to));
    to_a[i] = ampere(current(line, to, from));
  }
}

void BranchFlows::line_loadings_percent(std::span<const double> from_a, std::span<const double> to_a,
                                        std::span<double> percent) const {
  FUGU_CHECK(percent.size() == lines_.size() && from_a.size() == lines_.size() && to_a.size() == lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    percent[i] = 100 * std::max(from_a[i], to_a[i]) / lines_[i].ampacity_a;
  }
}

TransformerFlow BranchFlows::transformer(std::span<const Complex> voltage_pu, std::span<const double> p_kw,
                                         std::span<const double> q_kvar) const {
  const Complex busbar = voltage_pu[root_];
  Complex out = 0;  // current from the transformer into the busbar
  for (const std::uint32_t i : root_lines_) {
    const auto [from, to] = lines_[i].ends;
    out += current(lines_[i], busbar, voltage_pu[from == root_ ? to : from]);
  }
  for (const std::uint32_t i : root_customers_) out += std::conj(Complex(p_kw[i], q_kvar[i]) / busbar);
  const Complex through = out + half_iron_kw_ * busbar;
  const Complex above = busbar + transformer_z_ * through;
  const Complex lv_kva = busbar * std::conj(out);
  const Complex hv_kva = above * std::conj(through + half_iron_kw_ * above);
  return {.hv_kw = hv_kva.real(),
          .hv_kvar = hv_kva.imag(),
          .lv_kw = lv_kva.real(),
          .lv_kvar = lv_kva.imag(),
          .loading_percent = 100 * std::max(std::abs(lv_kva), std::abs(hv_kva)) / rated_kva_};
}

}  // namespace fugu::grid
