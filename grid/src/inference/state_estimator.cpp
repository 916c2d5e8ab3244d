#include "fugu/inference/state_estimator.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "fugu/inference/load_filter.hpp"
#include "fugu/loadflow/branch_flows.hpp"
#include "normal_update.hpp"

namespace fugu::grid {
namespace {

/// Of a customer about whom nobody knows anything: a mean and a standard deviation that do not matter much.
constexpr Moments kUnknown{0.5, 1.0};
/// kvar of a customer that draws no kW, as a standard deviation.
constexpr double kIdleKvar = 0.02;
/// A transformer's meter is off by at least so much.
constexpr double kMeterFloorKw = 0.02;
/// Loads at which the grid is made linear, and by how much they are moved for that.
constexpr double kUsualKw = 0.5;
constexpr double kMoveKw = 0.1;

double squared(double value) { return value * value; }

/// Of a value with that noise, when nothing else is known about it.
Moments moments(const NoisyAnswer& answer) { return {answer.value, answer.variance()}; }

std::optional<NoisyAnswer> answer_at(std::span<const double> values, std::span<const double> scales, std::size_t at,
                                     NoiseKind law) {
  if (values.empty() || std::isnan(values[at])) return std::nullopt;
  return NoisyAnswer{values[at], scales[at], law};
}

}  // namespace

class StateEstimator::Impl {
 public:
  Impl(const Network& network, StateEstimatorOptions options, LoadFlowSolverPtr solver)
      : network_(network),
        options_(std::move(options)),
        solver_(std::move(solver)),
        flows_(network),
        slot_of_day_(options_.first_slot_of_day) {
    for (const Customer& customer : network.customers()) {
      customers_.push_back({.is_household = customer.kind == CustomerKind::residential});
      Known& known = customers_.back();
      if (options_.model == nullptr) continue;
      known.filter.emplace(*options_.model, customer.yearly_kwh, options_.first_slot_of_day);
      known.level_kw = known.filter->level_kw();
    }
  }

  Result<void> estimate(const GridKnowledge& known, GridEstimate& estimate) {
    FUGU_TRY(check(known));
    FUGU_TRY(learn_slopes());
    const std::size_t customers = customers_.size();
    estimate.stamps = known.stamps;
    estimate.p_kw.resize(known.stamps * customers);
    estimate.q_kvar.resize(known.stamps * customers);
    estimate.p_deviation_kw.resize(known.stamps * customers);
    estimate.surprise.resize(known.stamps);
    laws_.resize(known.stamps * customers);
    in_shares(customers, [&](std::size_t customer) { look_at(known, customer); });
    if (options_.model != nullptr) slot_of_day_ = (slot_of_day_ + known.stamps) % options_.model->slots_per_day();
    for (std::size_t i = 0; i < laws_.size(); ++i) {
      estimate.p_kw[i] = laws_[i].p;
      estimate.q_kvar[i] = laws_[i].q;
    }
    if (measures_grid(known)) {
      // Where the grid would be if the priors were right: what it measures differently corrects them.
      FUGU_TRY(solver_->solve(estimate.batch(known.voltage_pu), estimate.flow));
    }
    for (std::size_t stamp = 0; stamp < known.stamps; ++stamp) tie(known, stamp, estimate);
    return solver_->solve(estimate.batch(known.voltage_pu), estimate.flow);
  }

 private:
  struct Known {
    bool is_household;
    double level_kw = kUnknown.mean;  // by the bill
    std::optional<LoadFilter> filter = {};
    std::optional<NoisyAnswer> latest = {};
  };

  bool measures_grid(const GridKnowledge& known) const {
    return !known.transformer_p_kw.empty() || !known.transformer_q_kvar.empty() || !options_.sensors.empty();
  }

  Result<void> check(const GridKnowledge& known) const {
    const auto fits = [&](std::span<const double> values, std::size_t columns) {
      return values.size() == known.stamps * columns;
    };
    const auto fits_or_lacks = [&](std::span<const double> values, std::size_t columns) {
      return values.empty() || fits(values, columns);
    };
    const auto all_fit = [&](const std::vector<std::span<const double>>& each, std::size_t count) {
      return each.size() == count && std::ranges::all_of(each, [&](const auto& values) { return fits(values, 1); });
    };
    const std::size_t customers = customers_.size();
    if (fits(known.p_kw, customers) && fits(known.p_scale_kw, customers) && fits_or_lacks(known.q_kvar, customers) &&
        known.q_kvar.size() == known.q_scale_kvar.size() && fits_or_lacks(known.transformer_p_kw, 1) &&
        fits_or_lacks(known.transformer_q_kvar, 1) && fits_or_lacks(known.transformer_p_scale_kw, 1) &&
        fits_or_lacks(known.transformer_q_scale_kvar, 1) && all_fit(known.sensor_v, options_.sensors.size()) &&
        all_fit(known.sum_value, options_.sums.size()) && all_fit(known.sum_scale, options_.sums.size()))
      return {};
    return Error{Cause::usage, "measurements of another size than the network and its options say"};
  }

  /// How transformer and sensors answer to each customer, by moving one after the other.
  Result<void> learn_slopes() {
    if (!slopes_.empty()) return {};
    const std::size_t customers = customers_.size();
    const std::size_t stamps = 2 * customers + 1;
    std::vector<double> p_kw(stamps * customers, kUsualKw);
    std::vector<double> q_kvar(stamps * customers, options_.tan_phi * kUsualKw);
    for (std::size_t i = 0; i < customers; ++i) {
      p_kw[(2 * i + 1) * customers + i] += kMoveKw;
      q_kvar[(2 * i + 2) * customers + i] += kMoveKw;
    }
    LoadFlow flow;
    FUGU_TRY(solver_->solve({stamps, p_kw, q_kvar}, flow));
    if (!flow.failures.empty())
      return Error{Cause::bad_input, "the network cannot carry half a kilowatt for each customer"};
    std::vector<double> before(grid_values());
    std::vector<double> moved(grid_values());
    const auto row = [&](const std::vector<double>& all, std::size_t stamp) {
      return std::span(all).subspan(stamp * customers, customers);
    };
    read_grid(flow.row(0), row(p_kw, 0), row(q_kvar, 0), before);
    slopes_.resize(grid_values() * 2 * customers);
    for (std::size_t i = 0; i < 2 * customers; ++i) {
      read_grid(flow.row(i + 1), row(p_kw, i + 1), row(q_kvar, i + 1), moved);
      for (std::size_t k = 0; k < moved.size(); ++k) slopes_[k * 2 * customers + i] = (moved[k] - before[k]) / kMoveKw;
    }
    return {};
  }

  /// Transformer P and Q, then the sensors.
  std::size_t grid_values() const { return 2 + options_.sensors.size(); }
  void read_grid(std::span<const std::complex<double>> voltage_pu, std::span<const double> p_kw,
                 std::span<const double> q_kvar, std::span<double> values) const {
    const TransformerFlow flow = flows_.transformer(voltage_pu, p_kw, q_kvar);
    values[0] = flow.lv_kw;
    values[1] = flow.lv_kvar;
    for (std::size_t i = 0; i < options_.sensors.size(); ++i)
      values[2 + i] = network_.nominal_v() * std::abs(voltage_pu[options_.sensors[i]]);
  }

  /// Threads share the items 0 … count − 1. What is done for an item must not depend on others.
  void in_shares(std::size_t count, const std::function<void(std::size_t)>& work) const {
    const std::size_t wanted =
        options_.load_flow.threads != 0 ? options_.load_flow.threads : std::thread::hardware_concurrency();
    const std::size_t shares = std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(1, count));
    const auto work_share = [&](std::size_t share) {
      for (std::size_t i = count * share / shares; i < count * (share + 1) / shares; ++i) work(i);
    };
    std::vector<std::jthread> others;
    for (std::size_t share = 1; share < shares; ++share) others.emplace_back(work_share, share);
    work_share(0);
  }

  /// One customer over the whole batch: so that threads share customers, and matrices stay in the cache.
  void look_at(const GridKnowledge& known, std::size_t customer) {
    std::size_t slot_of_day = slot_of_day_;
    for (std::size_t stamp = 0; stamp < known.stamps; ++stamp) {
      const std::size_t at = stamp * customers_.size() + customer;
      const std::size_t hour = options_.model == nullptr ? 0 : options_.model->hour(slot_of_day);
      if (options_.model != nullptr) slot_of_day = (slot_of_day + 1) % options_.model->slots_per_day();
      laws_[at] =
          with_reactive(prior(customers_[customer], hour, answer_at(known.p_kw, known.p_scale_kw, at, known.noise)));
      if (const auto q = answer_at(known.q_kvar, known.q_scale_kvar, at, known.noise)) take_reactive(*q, laws_[at]);
    }
  }

  Moments prior(Known& customer, std::size_t hour, const std::optional<NoisyAnswer>& answer) {
    if (options_.prior == Prior::households && customer.is_household) return customer.filter->step(answer);
    if (answer) customer.latest = answer;
    if (answer && answer->scale == 0) return {answer->value, 0};
    if (options_.prior == Prior::releases) return customer.latest ? moments(*customer.latest) : kUnknown;
    const Moments usual = profile(customer, hour);
    return answer && options_.prior != Prior::profile ? product(usual, moments(*answer)) : usual;
  }

  Moments profile(const Known& customer, std::size_t hour) const {
    if (!customer.is_household) return {customer.level_kw, squared(customer.level_kw)};
    const HouseholdModel& model = *options_.model;
    return {customer.level_kw * model.mean(hour),
            squared(customer.level_kw) * (model.variance(hour) + squared(kBillDeviation * model.mean(hour)))};
  }

  PairLaw with_reactive(const Moments& p) const {
    const double tan_phi = options_.tan_phi;
    return {.p = p.mean,
            .q = tan_phi * p.mean,
            .pp = p.variance,
            .pq = tan_phi * p.variance,
            .qq = squared(tan_phi) * p.variance + squared(options_.tan_phi_deviation) * (squared(p.mean) + p.variance) +
                  squared(kIdleKvar)};
  }

  static void take_reactive(const NoisyAnswer& answer, PairLaw& law) {
    const double total = law.qq + answer.variance();
    const double missed = answer.value - law.q;
    law.p += law.pq / total * missed;
    law.q += law.qq / total * missed;
    law.pp -= law.pq * law.pq / total;
    const double kept = 1 - law.qq / total;
    law.pq *= kept;
    law.qq *= kept;
  }

  void tie(const GridKnowledge& known, std::size_t stamp, GridEstimate& estimate) {
    const std::size_t customers = customers_.size();
    const auto laws = std::span(laws_).subspan(stamp * customers, customers);
    update_.clear();
    if (measures_grid(known)) add_grid(known, stamp, estimate);
    for (std::size_t i = 0; i < options_.sums.size(); ++i)
      add_sum(options_.sums[i], {known.sum_value[i][stamp], known.sum_scale[i][stamp], known.noise}, laws);
    estimate.surprise[stamp] = update_.apply(laws);
    for (std::size_t i = 0; i < customers; ++i) {
      estimate.p_kw[stamp * customers + i] = laws[i].p;
      estimate.q_kvar[stamp * customers + i] = laws[i].q;
      estimate.p_deviation_kw[stamp * customers + i] = std::sqrt(std::max(0.0, laws[i].pp));
    }
  }

  /// What transformer and sensors measure, beside what `estimate` leads to.
  void add_grid(const GridKnowledge& known, std::size_t stamp, const GridEstimate& estimate) {
    const std::size_t customers = customers_.size();
    const auto powers = [&](const std::vector<double>& all) {
      return std::span(all).subspan(stamp * customers, customers);
    };
    expected_.resize(grid_values());
    read_grid(estimate.flow.row(stamp), powers(estimate.p_kw), powers(estimate.q_kvar), expected_);
    const auto add = [&](std::size_t which, double value, double variance) {
      const double missed = value - expected_[which];
      if (std::isnan(missed)) return;  // not measured, or a load flow without convergence
      update_.add(std::span(slopes_).subspan(which * 2 * customers, 2 * customers), missed, variance);
    };
    const auto add_power = [&](std::size_t which, std::span<const double> measured, std::span<const double> scale) {
      if (measured.empty()) return;
      const NoisyAnswer answer{measured[stamp], scale.empty() ? 0 : scale[stamp], known.noise};
      const double meter = std::max(kMeterFloorKw, options_.transformer_sigma * std::abs(answer.value));
      add(which, answer.value, squared(meter) + answer.variance());
    };
    add_power(0, known.transformer_p_kw, known.transformer_p_scale_kw);
    add_power(1, known.transformer_q_kvar, known.transformer_q_scale_kvar);
    for (std::size_t i = 0; i < options_.sensors.size(); ++i)
      add(2 + i, known.sensor_v[i][stamp], squared(options_.sensor_sigma_v));
  }

  void add_sum(const SumOfCustomers& sum, const NoisyAnswer& answer, std::span<const PairLaw> laws) {
    if (std::isnan(answer.value)) return;
    sum_slopes_.assign(2 * laws.size(), 0.0);
    double expected = 0;
    for (const std::uint32_t customer : sum.customers) {
      sum_slopes_[2 * customer + sum.is_reactive] = 1;
      expected += sum.is_reactive ? laws[customer].q : laws[customer].p;
    }
    update_.add(sum_slopes_, answer.value - expected, answer.variance() + squared(kMeterFloorKw));
  }

  const Network& network_;
  StateEstimatorOptions options_;
  LoadFlowSolverPtr solver_;
  BranchFlows flows_;
  std::size_t slot_of_day_;
  std::vector<Known> customers_;
  std::vector<double> slopes_;  // of each value of the grid, by customer's P and Q in turn
  std::vector<PairLaw> laws_;
  NormalUpdate update_;
  std::vector<double> expected_;
  std::vector<double> sum_slopes_;
};

StateEstimator::StateEstimator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StateEstimator::StateEstimator(StateEstimator&&) noexcept = default;
StateEstimator& StateEstimator::operator=(StateEstimator&&) noexcept = default;
StateEstimator::~StateEstimator() = default;

Result<StateEstimator> StateEstimator::make(const Network& network, StateEstimatorOptions options) {
  if (options.model == nullptr && options.prior != Prior::releases)
    return Error{Cause::usage, "a model of households is missing: only releases alone go without one"};
  FUGU_ASSIGN(LoadFlowSolverPtr solver, make_solver(network, options.load_flow));
  return StateEstimator(std::make_unique<Impl>(network, std::move(options), std::move(solver)));
}

Result<void> StateEstimator::estimate(const GridKnowledge& known, GridEstimate& estimate) {
  return impl_->estimate(known, estimate);
}

}  // namespace fugu::grid
