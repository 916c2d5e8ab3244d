#include "fugu/loadflow/loadflow.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "../grid/src/loadflow/sweep.hpp"
#include "fugu/base/avx2.hpp"
#include "fugu/loadflow/branch_flows.hpp"
#include "loadflow/loads.hpp"
#include "network/builders.hpp"

namespace fugu::grid {
namespace {

using test::all_networks;
using test::Loads;
using test::random_loads;
using test::solved;
using Complex = std::complex<double>;

/// One line without capacitance, from a busbar of known voltage.
Network two_nodes() {
  NetworkData data = test::small_network();
  data.nodes.pop_back();
  data.lines = {{.id = "L", .from = "T", .to = "A", .length_m = 200, .r_ohm = 0.2, .x_ohm = 0, .ampacity_a = 100}};
  data.customers = {{.id = "c", .node = "A"}};
  return *Network::make(data);
}

std::vector<Result<LoadFlowSolverPtr>> both_solvers(const Network& network, const LoadFlowOptions& options = {}) {
  std::vector<Result<LoadFlowSolverPtr>> solvers;
  solvers.push_back(make_sweep(network, options));
  if (has_newton_raphson()) solvers.push_back(make_newton_raphson(network, options));
  return solvers;
}

/// What each customer has of this part of the transformer's power.
double kw_each(const Network& network, double part) {
  return part * network.transformer().rated_kva / static_cast<double>(network.customers().size());
}

/// The largest difference of voltages, relative.
double difference(const LoadFlow& a, const LoadFlow& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.voltage_pu.size(); ++i) {
    const double each = std::abs(a.voltage_pu[i] - b.voltage_pu[i]) / std::abs(b.voltage_pu[i]);
    most = std::isnan(each) ? std::numeric_limits<double>::infinity() : std::max(most, each);
  }
  return most;
}

/// P = 20 kW over 0.2 ohm from 400 V: v² - 400·v + 0.2·20000 = 0, so v = 200 + sqrt(36000) = 389.7367 V; the current is
/// 20000/(√3·389.7367) = 29.628 A.
TEST(LoadFlow, TwoNodesByHand) {
  const Network network = two_nodes();
  const double volts = 200 + std::sqrt(200.0 * 200 - 4000);
  for (const auto& solver : both_solvers(network, {.voltage_at = VoltageAt::busbar})) {
    ASSERT_TRUE(solver);
    const LoadFlow flow = solved(solver, {.stamps = 1, .p_kw = {20}, .q_kvar = {0}});
    EXPECT_TRUE(flow.failures.empty());
    EXPECT_NEAR(std::abs(flow.row(0)[0]) * network.nominal_v(), 400, 1e-6) << (*solver)->name();
    EXPECT_NEAR(std::abs(flow.row(0)[1]) * network.nominal_v(), volts, 1e-6) << (*solver)->name();
    const BranchFlows flows(network);
    double from = 0;
    double to = 0;
    double loading = 0;
    flows.line_currents_a(flow.row(0), {&from, 1}, {&to, 1});
    flows.line_loadings_percent({&from, 1}, {&to, 1}, {&loading, 1});
    EXPECT_NEAR(from, 20000 / (std::numbers::sqrt3 * volts), 1e-5);
    EXPECT_NEAR(to, from, 1e-6);
    EXPECT_NEAR(loading, from, 1e-5) << "of 100 A";
  }
}

/// The same with a transformer of 250 kVA, uk 4 %, no losses: x = 0.04·400²/250e3 = 0.0256 ohm in series. In volts,
/// with A real: U = v + (r + jx)·P/v, |U|² = (v + r·P/v)² + (x·P/v)² = 400². Tap and source shift U.
TEST(LoadFlow, TransformerByHand) {
  NetworkData data = two_nodes().data();
  data.transformers[0].copper_loss_kw = 0;
  data.transformers[0].iron_loss_kw = 0;
  data.transformers[0].tap_percent = 2.5;
  data.transformers[0].source_pu = 1.05;
  const Network network = *Network::make(data);
  const double source = 400 * 1.05 / 1.025;
  const double p = 20000;
  for (const auto& solver : both_solvers(network)) {
    const LoadFlow flow = solved(solver, {.stamps = 1, .p_kw = {20}, .q_kvar = {0}});
    const double v = std::abs(flow.row(0)[1]) * 400;
    EXPECT_NEAR(std::hypot(v + 0.2 * p / v, 0.0256 * p / v), source, 1e-5) << (*solver)->name();
    const TransformerFlow transformer =
        BranchFlows(network).transformer(flow.row(0), std::vector<double>{20}, std::vector<double>{0});
    EXPECT_NEAR(transformer.lv_kw, 20 + 0.2 * p * p / (v * v) / 1000, 1e-6);
    EXPECT_NEAR(transformer.hv_kw, transformer.lv_kw, 1e-9) << "no losses";
    EXPECT_NEAR(transformer.hv_kvar, 0.0256 * p * p / (v * v) / 1000, 1e-6);
    EXPECT_NEAR(transformer.loading_percent, 100 * std::hypot(transformer.hv_kw, transformer.hv_kvar) / 250, 1e-9);
  }
}

TEST(LoadFlow, BothSolversAgreeOnAllNetworks) {
  if (!has_newton_raphson()) GTEST_SKIP() << "built without power-grid-model";
  for (const auto& [name, network] : all_networks()) {
    for (const VoltageAt at : {VoltageAt::source, VoltageAt::busbar}) {
      Loads loads = random_loads(network, 50, kw_each(network, 0.8));
      for (std::size_t i = 0; i < loads.stamps; ++i) loads.voltage_pu.push_back(0.9 + 0.004 * static_cast<double>(i));
      const LoadFlow sweep = solved(make_sweep(network, {.voltage_at = at}), loads);
      const LoadFlow newton = solved(make_newton_raphson(network, {.voltage_at = at}), loads);
      EXPECT_TRUE(sweep.failures.empty() && newton.failures.empty()) << name;
      EXPECT_LT(difference(sweep, newton), 1e-8) << name;
      const Loads usual = {loads.stamps, loads.p_kw, loads.q_kvar, {}};
      EXPECT_LT(difference(solved(make_sweep(network, {.voltage_at = at}), usual),
                           solved(make_newton_raphson(network, {.voltage_at = at}), usual)),
                1e-8)
          << name;
    }
  }
}

/// Networks that differ a little from what was asked for: the comparison above has to see it. What counts least is the
/// capacitance of cables.
TEST(LoadFlow, ASolverThatForgetsSomethingDisagrees) {
  if (!has_newton_raphson()) GTEST_SKIP() << "built without power-grid-model";
  const Network network = *make_feeder();
  const Loads loads = random_loads(network, 20, 5);
  const LoadFlow right = solved(make_newton_raphson(network), loads);
  const auto twin = [&](auto&& forget) {
    NetworkData data = network.data();
    forget(data);
    return difference(solved(make_sweep(*Network::make(data)), loads), right);
  };
  EXPECT_LT(twin([](NetworkData&) {}), 1e-8);
  EXPECT_GT(twin([](NetworkData& data) {
              for (Line& line : data.lines) line.c_nf = 0;
            }),
            1e-7);
  EXPECT_GT(twin([](NetworkData& data) { data.transformers[0].iron_loss_kw = 0; }), 1e-7);
  EXPECT_GT(twin([](NetworkData& data) { data.lines.back().r_ohm *= 1.001; }), 1e-7);
}

/// What enters at the transformer is what customers draw and lines and transformer lose; reactive power likewise, less
/// what capacitances give.
TEST(LoadFlow, NoEnergyGetsLost) {
  for (const auto& [name, network] : all_networks()) {
    const Loads loads = random_loads(network, 10, kw_each(network, 0.5));
    const LoadFlow flow = solved(make_sweep(network), loads);
    const BranchFlows flows(network);
    const std::size_t customers = network.customers().size();
    for (std::size_t stamp = 0; stamp < loads.stamps; ++stamp) {
      const auto row = flow.row(stamp);
      const std::span p = std::span(loads.p_kw).subspan(stamp * customers, customers);
      const std::span q = std::span(loads.q_kvar).subspan(stamp * customers, customers);
      double p_sum = 0;
      double q_sum = 0;
      for (std::size_t i = 0; i < customers; ++i) {
        p_sum += p[i];
        q_sum += q[i];
      }
      for (std::size_t i = 0; i < network.lines().size(); ++i) {
        const Line& line = network.lines()[i];
        const Complex from = row[network.line_ends()[i].from] * network.nominal_v();
        const Complex to = row[network.line_ends()[i].to] * network.nominal_v();
        const double ampere2 = std::norm((from - to) / Complex(line.r_ohm, line.x_ohm));
        const double half_b = std::numbers::pi * 50 * line.c_nf * 1e-9;
        p_sum += ampere2 * line.r_ohm / 1000;
        q_sum += (ampere2 * line.x_ohm - half_b * (std::norm(from) + std::norm(to))) / 1000;
      }
      const TransformerFlow transformer = flows.transformer(row, p, q);
      EXPECT_NEAR(transformer.lv_kw, p_sum, 1e-5) << name;
      EXPECT_NEAR(transformer.lv_kvar, q_sum, 1e-5) << name;
      EXPECT_GT(transformer.hv_kw, transformer.lv_kw - 1e-9) << name << ": no losses where no resistance is given";
    }
  }
}

/// The transformer's flow is derived from the busbar; the source's voltage has to come out above it.
TEST(LoadFlow, IronLossesAreThereWithoutLoad) {
  const Network network = *make_feeder();
  const Loads none = {1, std::vector<double>(25), std::vector<double>(25), {}};
  const LoadFlow flow = solved(make_sweep(network), none);
  const TransformerFlow transformer = BranchFlows(network).transformer(flow.row(0), none.p_kw, none.q_kvar);
  EXPECT_NEAR(transformer.hv_kw, 0.425, 1e-4);
  EXPECT_NEAR(transformer.lv_kw, 0, 1e-4);
}

TEST(LoadFlow, FeedInRaisesTheVoltage) {
  const Network network = two_nodes();
  const LoadFlow flow = solved(make_solver(network), {.stamps = 2, .p_kw = {-10, 10}, .q_kvar = {0, 0}});
  EXPECT_GT(std::abs(flow.row(0)[1]), std::abs(flow.row(0)[0]));
  EXPECT_LT(std::abs(flow.row(1)[1]), std::abs(flow.row(1)[0]));
}

/// From 400 V over 0.2 ohm no more than 400²/(4·0.2) = 200 kW arrive.
TEST(LoadFlow, NoConvergenceIsCountedAndTheOthersAreSolved) {
  const Network network = two_nodes();
  const Loads loads = {4, {20, 250, 190, 1e6}, {0, 0, 0, 0}, {}};
  for (const auto& solver : both_solvers(network, {.voltage_at = VoltageAt::busbar})) {
    const LoadFlow flow = solved(solver, loads);
    ASSERT_EQ(flow.failures.size(), 2u) << (*solver)->name();
    EXPECT_EQ(flow.failures[0].stamp, 1u);
    EXPECT_EQ(flow.failures[0].node, 1u) << "the loaded one";
    EXPECT_EQ(flow.failures[1].stamp, 3u);
    EXPECT_TRUE(std::isnan(flow.row(1)[0].real()) && std::isnan(flow.row(1)[1].imag()));
    EXPECT_NEAR(std::abs(flow.row(0)[1]) * 400, 200 + std::sqrt(36000.0), 1e-6);
    EXPECT_NEAR(std::abs(flow.row(2)[1]) * 400, 200 + std::sqrt(200.0 * 200 - 0.2 * 190e3), 1e-4);
  }
}

TEST(LoadFlow, NoConvergenceNamesTheOverloadedBranch) {
  const Network network = *make_feeder();
  Loads loads = random_loads(network, 3, 5);
  loads.p_kw[25 + 6] = 5000;  // C7 at stamp 1
  for (const auto& solver : both_solvers(network)) {
    const LoadFlow flow = solved(solver, loads);
    ASSERT_EQ(flow.failures.size(), 1u);
    EXPECT_EQ(flow.failures[0].stamp, 1u);
    ASSERT_TRUE(flow.failures[0].node);
    EXPECT_EQ(network.nodes()[*flow.failures[0].node].id, "C7");
  }
}

/// Neither its neighbours nor the number of threads change a stamp's result, not even its last bit.
TEST(LoadFlow, AStampDependsOnItselfOnly) {
  const Network network = *make_feeder();
  const std::size_t customers = network.customers().size();
  Loads loads = random_loads(network, 101, 5);
  loads.p_kw[40 * customers] = 1e5;  // a neighbour that takes all iterations
  const LoadFlow together = solved(make_sweep(network, {.threads = 3}), loads);
  ASSERT_EQ(together.failures.size(), 1u);
  for (const std::size_t stamp : {0u, 7u, 39u, 41u, 100u}) {
    const auto from = static_cast<std::ptrdiff_t>(stamp * customers);
    const auto to = from + static_cast<std::ptrdiff_t>(customers);
    const Loads alone = {1,
                         {loads.p_kw.begin() + from, loads.p_kw.begin() + to},
                         {loads.q_kvar.begin() + from, loads.q_kvar.begin() + to},
                         {}};
    const LoadFlow flow = solved(make_sweep(network, {.threads = 1}), alone);
    EXPECT_TRUE(std::ranges::equal(flow.row(0), together.row(stamp))) << stamp;
  }
}

TEST(LoadFlow, VectorCodeGivesTheSame) {
  if (!fugu::detail::has_avx2()) GTEST_SKIP() << "no AVX2 here";
  const Network network = *make_feeder();
  const detail::SweepModel model(network, {});
  detail::SweepState portable(model);
  std::fill(portable.v_re.begin(), portable.v_re.end(), 1.0);
  std::fill(portable.source, portable.source + detail::kSweepLanes, 1.02);
  for (std::size_t i = 0; i < portable.p_kw.size(); ++i) portable.p_kw[i] = 0.1 * static_cast<double>(i);
  detail::SweepState vectors = portable;
  for (int i = 0; i < 5; ++i) {
    detail::sweep_portable(model, portable);
    detail::sweep_avx2(model, vectors);
  }
  EXPECT_LT(portable.v_re.back(), 1);
  EXPECT_EQ(portable.v_re, vectors.v_re);
  EXPECT_EQ(portable.v_im, vectors.v_im);
}

TEST(LoadFlow, WrongBatchesAreRefused) {
  const Network network = two_nodes();
  const auto refusal = [&](const Loads& loads) {
    std::string text;
    for (const auto& solver : both_solvers(network)) {
      LoadFlow flow;
      const auto done = (*solver)->solve(loads.batch(), flow);
      text = done ? "none" : done.error().message;
    }
    return text;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal({2, {1}, {1, 2}, {}}), "a batch with 1 values of p_kw; expected 2, one row a time stamp");
  EXPECT_EQ(refusal({2, {1, 2}, {}, {}}), "a batch with 0 values of q_kvar; expected 2, one row a time stamp");
  EXPECT_EQ(refusal({2, {1, 2}, {1, 2}, {1}}), "a batch with 1 values of voltage_pu; expected 2, one row a time stamp");
  EXPECT_EQ(refusal({3, {1, nan, nan}, {1, 2, 3}, {}}),
            "time stamp 1, customer 'c': found no number for p_kw; expected one for every customer and time stamp (2 "
            "missing)");
  EXPECT_EQ(refusal({2, {1, 2}, {1, 2}, {1, 0}}), "time stamp 1: found a voltage_pu that is none; expected about 1");
  EXPECT_EQ(refusal({0, {}, {}, {}}), "none");
}

/// A ring of three: by symmetry nothing flows in the line between the loaded nodes.
TEST(LoadFlow, LoopsNeedNewtonRaphson) {
  NetworkData data = test::small_network();
  data.lines[1] = data.lines[0];
  data.lines[1].id = "TB";
  data.lines[1].to = "B";
  data.lines.push_back(data.lines[0]);
  data.lines[2].id = "AB";
  data.lines[2].from = "B";
  data.customers = {{.id = "a", .node = "A"}, {.id = "b", .node = "B"}};
  const Network ring = *Network::make(data, {.radial = false});
  EXPECT_FALSE(make_sweep(ring));
  if (!has_newton_raphson()) {
    EXPECT_FALSE(make_solver(ring));
    return;
  }
  const LoadFlow flow = solved(make_solver(ring), {2, {30, 30, 1e6, 0}, {5, 5, 0, 0}, {}});
  ASSERT_EQ(flow.failures.size(), 1u);
  EXPECT_EQ(flow.failures[0].stamp, 1u);
  EXPECT_FALSE(flow.failures[0].node);
  std::vector<double> from(3);
  std::vector<double> to(3);
  BranchFlows(ring).line_currents_a(flow.row(0), from, to);
  EXPECT_GT(from[0], 40);
  EXPECT_NEAR(from[0], from[1], 1e-6);
  EXPECT_LT(from[2], 0.01) << "its own capacitance only";
  // Opened there, both solvers agree on the rest.
  data.lines[2].is_closed = false;
  const Network open = *Network::make(data);
  const Loads loads = random_loads(open, 5, 30);
  EXPECT_LT(difference(solved(make_sweep(open), loads), solved(make_newton_raphson(open), loads)), 1e-8);
  const LoadFlow opened = solved(make_sweep(open), loads);
  BranchFlows(open).line_currents_a(opened.row(0), from, to);
  EXPECT_EQ(from[2], 0);
}

}  // namespace
}  // namespace fugu::grid
