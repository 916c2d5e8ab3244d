#include "sweep.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

#include "fugu/base/avx2.hpp"
#include "per_unit.hpp"

namespace fugu::grid {
namespace detail {

SweepModel::SweepModel(const Network& network, const LoadFlowOptions& options)
    : nodes(network.order().begin(), network.order().end()) {
  const bool has_transformer = options.voltage_at == VoltageAt::source;
  no_load_pu = has_transformer ? grid::detail::no_load_pu(network) : 1;
  default_voltage = has_transformer ? network.transformer().source_pu : 1;

  std::vector<std::uint32_t> places(nodes.size());
  for (std::uint32_t place = 0; place < nodes.size(); ++place) places[nodes[place]] = place;
  const Complex z = has_transformer ? transformer_z(network) : 0;
  branches.push_back({z.real(), z.imag(), has_transformer ? half_iron_kw(network) : 0, 0, 0});
  for (std::size_t place = 1; place < nodes.size(); ++place) {
    const Complex line = line_z(network, network.lines()[network.parent_line(nodes[place])]);
    branches.push_back({line.real(), line.imag(), 0, 0, places[network.parent(nodes[place])]});
  }
  for (std::size_t i = 0; i < network.lines().size(); ++i) {
    if (!network.lines()[i].is_closed) continue;
    const double half = line_half_shunt(network, network.lines()[i]);
    branches[places[network.line_ends()[i].from]].b += half;
    branches[places[network.line_ends()[i].to]].b += half;
  }
  for (const std::uint32_t node : network.customer_nodes()) {
    const auto at = std::find(loads.begin(), loads.end(), places[node]);
    load_of_customer.push_back(static_cast<std::uint32_t>(at - loads.begin()));
    if (at == loads.end()) loads.push_back(places[node]);
  }
}

SweepState::SweepState(const SweepModel& model)
    : v_re(model.nodes.size() * kSweepLanes),
      v_im(v_re),
      j_re(v_re),
      j_im(v_re),
      p_kw(model.loads.size() * kSweepLanes),
      q_kvar(p_kw) {}

}  // namespace detail

namespace {

using detail::kSweepLanes;
using detail::SweepModel;
using detail::SweepState;

/// Solves a few time stamps at once, and writes each as soon as it is done: so its result does not depend on the
/// others.
class Block {
 public:
  Block(const SweepModel& model, const LoadFlowOptions& options)
      : model_(model), options_(options), state_(model), before_re_(state_.v_re), before_im_(state_.v_im) {}

  void solve(const LoadBatch& batch, std::size_t first, LoadFlow& flow, std::vector<NoConvergence>& failures) {
    const std::size_t lanes = std::min(kSweepLanes, batch.stamps - first);
    start(batch, first, lanes);
    std::array<bool, kSweepLanes> is_done = {};
    std::size_t open = lanes;
    const auto step = fugu::detail::has_avx2() ? detail::sweep_avx2 : detail::sweep_portable;
    for (std::size_t i = 0; i < options_.iterations_max && open > 0; ++i) {
      if (i + 1 == options_.iterations_max) keep();
      step(model_, state_);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        if (is_done[lane] || !(state_.change[lane] <= options_.tolerance_pu * options_.tolerance_pu)) continue;
        if (!write(lane, first + lane, flow)) continue;
        is_done[lane] = true;
        --open;
      }
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (!is_done[lane]) failures.push_back({first + lane, restless_node(lane)});
    }
  }

 private:
  /// No load: the voltage of the source everywhere. Lanes beyond the batch repeat its last stamp.
  void start(const LoadBatch& batch, std::size_t first, std::size_t lanes) {
    std::fill(state_.p_kw.begin(), state_.p_kw.end(), 0.0);
    std::fill(state_.q_kvar.begin(), state_.q_kvar.end(), 0.0);
    const std::size_t customers = model_.load_of_customer.size();
    for (std::size_t lane = 0; lane < kSweepLanes; ++lane) {
      const std::size_t stamp = first + std::min(lane, lanes - 1);
      const double known = batch.voltage_pu.empty() ? model_.default_voltage : batch.voltage_pu[stamp];
      state_.source[lane] = known * model_.no_load_pu;
      for (std::size_t i = 0; i < customers; ++i) {
        const std::size_t at = model_.load_of_customer[i] * kSweepLanes + lane;
        state_.p_kw[at] += batch.p_kw[stamp * customers + i];
        state_.q_kvar[at] += batch.q_kvar[stamp * customers + i];
      }
    }
    for (std::size_t place = 0; place < model_.nodes.size(); ++place) {
      for (std::size_t lane = 0; lane < kSweepLanes; ++lane) {
        const std::size_t at = place * kSweepLanes + lane;
        state_.v_re[at] = state_.source[lane];
        state_.v_im[at] = 0;
        state_.j_re[at] = model_.branches[place].g * state_.source[lane];
        state_.j_im[at] = model_.branches[place].b * state_.source[lane];
      }
    }
  }

  void keep() {
    before_re_ = state_.v_re;
    before_im_ = state_.v_im;
  }

  /// False when there is something that is no number.
  bool write(std::size_t lane, std::size_t stamp, LoadFlow& flow) const {
    std::complex<double>* const row = &flow.voltage_pu[stamp * flow.nodes];
    double sum = 0;
    for (std::size_t place = 0; place < model_.nodes.size(); ++place) {
      const std::complex value(state_.v_re[place * kSweepLanes + lane], state_.v_im[place * kSweepLanes + lane]);
      row[model_.nodes[place]] = value;
      sum += std::abs(value.real()) + std::abs(value.imag());
    }
    return std::isfinite(sum);
  }

  /// Whose voltage changed most in the last iteration. Something that is no number has changed more than anything.
  std::uint32_t restless_node(std::size_t lane) const {
    std::size_t most = 0;
    double change = -1;
    for (std::size_t place = 0; place < model_.nodes.size(); ++place) {
      const std::size_t at = place * kSweepLanes + lane;
      const double moved = std::hypot(state_.v_re[at] - before_re_[at], state_.v_im[at] - before_im_[at]);
      if (moved <= change) continue;
      most = place;
      change = moved;
      if (!std::isfinite(moved)) break;
    }
    return model_.nodes[most];
  }

  const SweepModel& model_;
  const LoadFlowOptions& options_;
  SweepState state_;
  std::vector<double> before_re_;
  std::vector<double> before_im_;
};

class Sweep final : public LoadFlowSolver {
 public:
  Sweep(const Network& network, const LoadFlowOptions& options)
      : LoadFlowSolver(network), model_(network, options), options_(options) {}

  std::string_view name() const override { return "backward-forward sweep"; }

 private:
  Result<void> solve_checked(const LoadBatch& batch, LoadFlow& flow) override {
    const std::size_t blocks = (batch.stamps + kSweepLanes - 1) / kSweepLanes;
    const std::size_t wanted = options_.threads != 0 ? options_.threads : std::thread::hardware_concurrency();
    const std::size_t threads = std::clamp<std::size_t>(wanted, 1, blocks);
    std::vector<std::vector<NoConvergence>> failures(threads);
    const auto solve_share = [&](std::size_t share) {
      Block block(model_, options_);
      for (std::size_t i = blocks * share / threads; i < blocks * (share + 1) / threads; ++i) {
        block.solve(batch, i * kSweepLanes, flow, failures[share]);
      }
    };
    {
      std::vector<std::jthread> others;
      for (std::size_t share = 1; share < threads; ++share) others.emplace_back(solve_share, share);
      solve_share(0);
    }
    for (const auto& each : failures) flow.failures.insert(flow.failures.end(), each.begin(), each.end());
    return {};
  }

  SweepModel model_;
  LoadFlowOptions options_;
};

}  // namespace

Result<LoadFlowSolverPtr> make_sweep(const Network& network, const LoadFlowOptions& options) {
  if (!network.is_radial()) {
    return Error{Cause::usage,
                 "a network with loops; expected a radial one, which a sweep needs (power-grid-model does not)"};
  }
  return LoadFlowSolverPtr(std::make_unique<Sweep>(network, options));
}

}  // namespace fugu::grid
