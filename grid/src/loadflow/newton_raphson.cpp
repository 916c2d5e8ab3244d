// power-grid-model (LF Energy, MPL-2.0) behind our interface, through its C API.
#include "fugu/loadflow/loadflow.hpp"

#ifdef FUGU_POWER_GRID_MODEL

#include <algorithm>
#include <cmath>

#include "pgm_model.hpp"

namespace fugu::grid {
namespace {

using pgm::check;
using pgm::Handle;
using pgm::index;
using pgm::Input;
using pgm::Model;
using pgm::Options;
using pgm::Output;

std::vector<double> in_watt(std::span<const double> kilo) {
  std::vector<double> watt(kilo.size());
  std::transform(kilo.begin(), kilo.end(), watt.begin(), [](double value) { return 1000 * value; });
  return watt;
}

class NewtonRaphson final : public LoadFlowSolver {
 public:
  NewtonRaphson(const Network& network, VoltageAt voltage_at, Handle handle, Model model, Options options,
                LoadFlowSolverPtr sweep)
      : LoadFlowSolver(network),
        customers_(network.customers().size()),
        nodes_(network.nodes().size() + (voltage_at == VoltageAt::source ? 1 : 0)),
        handle_(std::move(handle)),
        model_(std::move(model)),
        options_(std::move(options)),
        sweep_(std::move(sweep)) {}

  std::string_view name() const override { return "Newton-Raphson of power-grid-model"; }

 private:
  Result<void> solve_checked(const LoadBatch& batch, LoadFlow& flow) override {
    const std::vector<double> p_w = in_watt(batch.p_kw);
    const std::vector<double> q_var = in_watt(batch.q_kvar);
    const Input update(PGM_create_dataset_const(handle_.get(), "update", 1, index(batch.stamps)));
    add(update, "sym_load", customers_ * batch.stamps, batch.stamps);
    add_values(update, "sym_load", "p_specified", p_w.data());
    add_values(update, "sym_load", "q_specified", q_var.data());
    if (!batch.voltage_pu.empty()) {
      add(update, "source", batch.stamps, batch.stamps);
      add_values(update, "source", "u_ref", batch.voltage_pu.data());
    }
    magnitudes_.resize(nodes_ * batch.stamps);
    angles_.resize(nodes_ * batch.stamps);
    const Output output(PGM_create_dataset_mutable(handle_.get(), "sym_output", 1, index(batch.stamps)));
    PGM_dataset_mutable_add_buffer(handle_.get(), output.get(), "node", index(nodes_), index(nodes_ * batch.stamps),
                                   nullptr, nullptr);
    PGM_dataset_mutable_add_attribute_buffer(handle_.get(), output.get(), "node", "u_pu", magnitudes_.data());
    PGM_dataset_mutable_add_attribute_buffer(handle_.get(), output.get(), "node", "u_angle", angles_.data());
    FUGU_TRY(check(handle_));
    PGM_calculate(handle_.get(), model_.get(), options_.get(), output.get(), update.get());
    if (PGM_error_code(handle_.get()) != PGM_batch_error) FUGU_TRY(check(handle_));
    note_failures(flow);
    PGM_clear_error(handle_.get());
    for (std::size_t stamp = 0; stamp < batch.stamps; ++stamp) {
      for (std::size_t node = 0; node < flow.nodes; ++node) {
        const std::size_t at = stamp * nodes_ + node;
        flow.voltage_pu[stamp * flow.nodes + node] = std::polar(magnitudes_[at], angles_[at]);
      }
    }
    return find_nodes(batch, flow);
  }

  void add(const Input& dataset, const char* component, std::size_t total, std::size_t stamps) {
    PGM_dataset_const_add_buffer(handle_.get(), dataset.get(), component, index(total / stamps), index(total), nullptr,
                                 nullptr);
  }
  void add_values(const Input& dataset, const char* component, const char* attribute, const double* values) {
    PGM_dataset_const_add_attribute_buffer(handle_.get(), dataset.get(), component, attribute, values);
  }

  void note_failures(LoadFlow& flow) const {
    if (PGM_error_code(handle_.get()) != PGM_batch_error) return;
    const auto count = static_cast<std::size_t>(PGM_n_failed_scenarios(handle_.get()));
    for (const PGM_Idx stamp : std::span(PGM_failed_scenarios(handle_.get()), count)) {
      flow.failures.push_back({static_cast<std::size_t>(stamp), std::nullopt});
    }
    std::sort(flow.failures.begin(), flow.failures.end(), [](auto& a, auto& b) { return a.stamp < b.stamp; });
  }

  /// The library does not say at which node it failed: a sweep over the same time stamp does.
  Result<void> find_nodes(const LoadBatch& batch, LoadFlow& flow) {
    if (sweep_ == nullptr) return {};
    LoadFlow one;
    for (NoConvergence& failure : flow.failures) {
      const std::size_t at = failure.stamp * customers_;
      FUGU_TRY(sweep_->solve(
          {.stamps = 1,
           .p_kw = batch.p_kw.subspan(at, customers_),
           .q_kvar = batch.q_kvar.subspan(at, customers_),
           .voltage_pu = batch.voltage_pu.empty() ? batch.voltage_pu : batch.voltage_pu.subspan(failure.stamp, 1)},
          one));
      if (!one.failures.empty()) failure.node = one.failures.front().node;
    }
    return {};
  }

  std::size_t customers_;
  std::size_t nodes_;  // with the one above the transformer, which is the last
  Handle handle_;
  Model model_;
  Options options_;
  LoadFlowSolverPtr sweep_;         // none in a network with loops
  std::vector<double> magnitudes_;  // of nodes, one row a stamp
  std::vector<double> angles_;
};

}  // namespace

bool has_newton_raphson() noexcept { return true; }

Result<LoadFlowSolverPtr> make_newton_raphson(const Network& network, const LoadFlowOptions& options) {
  Handle handle(PGM_create_handle());
  FUGU_ASSIGN(Model model, pgm::make_model(network, options.voltage_at, handle));
  FUGU_ASSIGN(Options settings, pgm::make_options(options, handle));
  LoadFlowSolverPtr sweep;
  if (network.is_radial()) {
    FUGU_ASSIGN(sweep, make_sweep(network, options));
  }
  return LoadFlowSolverPtr(std::make_unique<NewtonRaphson>(network, options.voltage_at, std::move(handle),
                                                           std::move(model), std::move(settings), std::move(sweep)));
}

}  // namespace fugu::grid

#else

namespace fugu::grid {

bool has_newton_raphson() noexcept { return false; }

Result<LoadFlowSolverPtr> make_newton_raphson(const Network&, const LoadFlowOptions&) {
  return Error{Cause::environment,
               "this fugu was built without power-grid-model (scripts/bootstrap fetches it), which networks with loops "
               "need"};
}

}  // namespace fugu::grid

#endif
