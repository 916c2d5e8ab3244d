#include "fugu/base/avx2.hpp"
#include "sweep.hpp"

namespace fugu::grid::detail {
namespace {

constexpr std::size_t kLanes = kSweepLanes;

// A branch and its parent are different places, hence __restrict.

/// Adds what customers draw: conj(s / v) = conj(s)·v / |v|².
[[gnu::always_inline]] inline void draw_loads(const SweepModel& model, SweepState& state) {
  for (std::size_t load = 0; load < model.loads.size(); ++load) {
    const std::size_t at = model.loads[load] * kLanes;
    const double* __restrict const v_re = &state.v_re[at];
    const double* __restrict const v_im = &state.v_im[at];
    const double* __restrict const p = &state.p_kw[load * kLanes];
    const double* __restrict const q = &state.q_kvar[load * kLanes];
    double* __restrict const j_re = &state.j_re[at];
    double* __restrict const j_im = &state.j_im[at];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double scale = 1 / (v_re[lane] * v_re[lane] + v_im[lane] * v_im[lane]);
      j_re[lane] += (p[lane] * v_re[lane] + q[lane] * v_im[lane]) * scale;
      j_im[lane] += (p[lane] * v_im[lane] - q[lane] * v_re[lane]) * scale;
    }
  }
}

/// Every branch carries what its node and all below draw.
[[gnu::always_inline]] inline void gather(const SweepModel& model, SweepState& state) {
  for (std::size_t place = model.branches.size() - 1; place > 0; --place) {
    const double* __restrict const re = &state.j_re[place * kLanes];
    const double* __restrict const im = &state.j_im[place * kLanes];
    double* __restrict const parent_re = &state.j_re[model.branches[place].parent * kLanes];
    double* __restrict const parent_im = &state.j_im[model.branches[place].parent * kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      parent_re[lane] += re[lane];
      parent_im[lane] += im[lane];
    }
  }
}

/// New voltages, and the shunts' currents at them for the next iteration.
[[gnu::always_inline]] inline void spread(const SweepModel& model, SweepState& state) {
  double change[kLanes] = {};
  double zero[kLanes] = {};
  for (std::size_t place = 0; place < model.branches.size(); ++place) {
    const auto [r, x, g, b, parent] = model.branches[place];
    const double* __restrict const up_re = place == 0 ? state.source : &state.v_re[parent * kLanes];
    const double* __restrict const up_im = place == 0 ? zero : &state.v_im[parent * kLanes];
    double* __restrict const v_re = &state.v_re[place * kLanes];
    double* __restrict const v_im = &state.v_im[place * kLanes];
    double* __restrict const j_re = &state.j_re[place * kLanes];
    double* __restrict const j_im = &state.j_im[place * kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double re = up_re[lane] - (r * j_re[lane] - x * j_im[lane]);
      const double im = up_im[lane] - (r * j_im[lane] + x * j_re[lane]);
      const double moved_re = re - v_re[lane];
      const double moved_im = im - v_im[lane];
      const double moved = moved_re * moved_re + moved_im * moved_im;
      change[lane] = moved > change[lane] ? moved : change[lane];
      v_re[lane] = re;
      v_im[lane] = im;
      j_re[lane] = g * re - b * im;
      j_im[lane] = g * im + b * re;
    }
  }
  for (std::size_t lane = 0; lane < kLanes; ++lane) state.change[lane] = change[lane];
}

[[gnu::always_inline]] inline void sweep(const SweepModel& model, SweepState& state) {
  draw_loads(model, state);
  gather(model, state);
  spread(model, state);
}

}  // namespace

void sweep_portable(const SweepModel& model, SweepState& state) { sweep(model, state); }
FUGU_AVX2 void sweep_avx2(const SweepModel& model, SweepState& state) { sweep(model, state); }

}  // namespace fugu::grid::detail
