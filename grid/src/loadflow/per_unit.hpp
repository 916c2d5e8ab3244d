// A network in units that suit its size. Private to loadflow.
//
// Voltages v are parts of the nominal voltage. Currents j are such that v·conj(j) is the power of all three phases in
// kVA; so the drop over z ohm is z·1000/nominal² (in V²) times j.
#pragma once

#include <complex>
#include <numbers>

#include "fugu/network/network.hpp"

namespace fugu::grid::detail {

using Complex = std::complex<double>;

inline double per_unit_of_ohm(const Network& network) { return 1000 / (network.nominal_v() * network.nominal_v()); }

/// Ampere in a conductor for j = 1.
inline double ampere_per_kva(const Network& network) { return 1000 / (std::numbers::sqrt3 * network.nominal_v()); }

/// Series impedance, 1/kVA.
inline Complex line_z(const Network& network, const Line& line) {
  return Complex(line.r_ohm, line.x_ohm) * per_unit_of_ohm(network);
}

/// Susceptance of half the line's capacitance, which stands at each of its ends: what it draws there, in kvar.
inline double line_half_shunt(const Network& network, const Line& line) {
  return std::numbers::pi * network.data().frequency_hz * line.c_nf * 1e-9 / per_unit_of_ohm(network);
}

/// Rated over nominal voltage of the lower side.
inline double rated_pu(const Network& network) { return 1000 * network.transformer().lv_kv / network.nominal_v(); }

/// Series impedance seen from below, 1/kVA.
inline Complex transformer_z(const Network& network) {
  const Transformer& transformer = network.transformer();
  const double z = transformer.uk_percent / 100;
  const double r = transformer.copper_loss_kw / transformer.rated_kva;
  return Complex(r, std::sqrt(z * z - r * r)) * (rated_pu(network) * rated_pu(network) / transformer.rated_kva);
}

/// Half of the iron losses, which stand on each side, at nominal voltage.
inline double half_iron_kw(const Network& network) {
  return network.transformer().iron_loss_kw / (2 * rated_pu(network) * rated_pu(network));
}

/// The source seen from below, when it has its nominal voltage: no-load voltage of the busbar.
inline double no_load_pu(const Network& network) {
  return rated_pu(network) / (1 + network.transformer().tap_percent / 100);
}

}  // namespace fugu::grid::detail
