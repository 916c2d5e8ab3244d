#include "fugu/study/grid_study.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace fugu {
namespace {

const GridStudy& study() {
  static const GridStudy made = *GridStudy::make({.days = 4, .runs = 4});
  return made;
}

GridMeasures run(GridPart part, const GridPlace& place, GridNoise noise, double scale_kw, GridMethod method,
                 bool has_q = false) {
  for (const GridCell& cell : study().cells()) {
    if (cell.part == part && cell.place == place && cell.has_q == has_q && cell.noise == noise &&
        cell.scale_kw == scale_kw && cell.method == method)
      return *study().run(cell);
  }
  ADD_FAILURE() << "no such cell";
  return {};
}

const GridPlace kTrace{"feeder", "trace"};
const GridPlace kFeeder{"feeder", "simulated"};

TEST(GridStudy, WithoutNoiseTheLoadFlowIsTheTruth) {
  const GridMeasures exact = run(GridPart::chapter, kTrace, GridNoise::none, 0, GridMethod::load_flow, true);
  EXPECT_LT(exact.voltage_v, 1e-6);
  EXPECT_EQ(exact.voltage_missed + exact.voltage_invented, 0);
  EXPECT_EQ(exact.stamps, 100);
}

TEST(GridStudy, TheTraceHasAnUndervoltageLikeTheThesis) {
  const GridStudy::Trace trace = *study().trace();
  ASSERT_EQ(trace.lowest_v.size(), 100U);
  EXPECT_GE(std::ranges::count_if(trace.highest_v, [](double v) { return v < 380; }), 40);
  EXPECT_GT(*std::ranges::min_element(trace.lowest_v), 355);
  EXPECT_GT(trace.lowest_v.front(), 395);
  const GridMeasures exact = run(GridPart::chapter, kTrace, GridNoise::none, 0, GridMethod::load_flow, true);
  EXPECT_NEAR(exact.voltage_violations, 1'555, 200);  // the thesis has 1,555
}

TEST(GridStudy, ReleasesTakenForTheTruthGoWrongInProportionToTheNoise) {
  const double at_one = run(GridPart::networks, kFeeder, GridNoise::laplace, 1, GridMethod::load_flow).voltage_v;
  const double at_ten = run(GridPart::networks, kFeeder, GridNoise::laplace, 9.7, GridMethod::load_flow).voltage_v;
  EXPECT_GT(at_ten, 6 * at_one);
}

TEST(GridStudy, EstimationStaysBelowNoCustomerDataAtUsefulScales) {
  const double nothing = run(GridPart::networks, kFeeder, GridNoise::laplace, 1, GridMethod::nothing).voltage_v;
  for (const double scale : {0.1, 0.5, 1.0}) {
    const double filter = run(GridPart::networks, kFeeder, GridNoise::laplace, scale, GridMethod::households).voltage_v;
    EXPECT_LT(filter, 0.9 * nothing) << scale;
  }
  const double filter = run(GridPart::networks, kFeeder, GridNoise::laplace, 9.7, GridMethod::households).voltage_v;
  EXPECT_LT(filter, 1.05 * nothing);
}

TEST(GridStudy, MethodsSeeTheSameNoise) {
  const auto of = [](GridMethod method) { return run(GridPart::networks, kFeeder, GridNoise::laplace, 2, method); };
  EXPECT_EQ(of(GridMethod::load_flow).mean_scale_kw, 2);
  EXPECT_NEAR(of(GridMethod::load_flow).p_kw, 2, 0.1);  // the mean magnitude of Laplace noise is its scale
  EXPECT_LT(of(GridMethod::households).p_kw, 0.5);
}

TEST(GridStudy, NarwhalHidesLessWhereLessIsHidden) {
  const auto scale = [](GridNoise noise, double epsilon) {
    return run(GridPart::policies, kFeeder, noise, epsilon, GridMethod::load_flow).mean_scale_kw;
  };
  EXPECT_LT(scale(GridNoise::narwhal_small, 1), scale(GridNoise::narwhal, 1));
  EXPECT_NEAR(scale(GridNoise::narwhal, 2), 0.5 * scale(GridNoise::narwhal, 1), 1e-3 * scale(GridNoise::narwhal, 1));
  EXPECT_GE(scale(GridNoise::narwhal_floor, 1), 10);
}

// --- The report, of made-up rows ---

/// Errors in V: without customers' data 1; of the filter the scale in kW over `frontier_kw`; of a load flow three times
/// the scale.
std::vector<GridMeasures> rows_with(const std::function<double(const GridPlace&)>& frontier_kw) {
  std::vector<GridMeasures> rows;
  for (const GridCell& cell : study().cells()) {
    GridMeasures row{};
    row.voltage_v = 1;
    if (cell.noise == GridNoise::laplace && cell.method == GridMethod::households)
      row.voltage_v = std::min(0.9 * cell.scale_kw / frontier_kw(cell.place), 1.0);
    if (cell.noise == GridNoise::laplace && cell.method == GridMethod::load_flow) row.voltage_v = 3 * cell.scale_kw;
    if (cell.noise == GridNoise::meter) row.voltage_v = cell.has_q ? 0.0123 : 0.456;
    row.voltage_violations = row.voltage_missed = row.voltage_invented = 2345;
    rows.push_back(row);
  }
  return rows;
}

std::string conclusions_of(const std::vector<GridMeasures>& rows) {
  std::string text;
  for (const std::string& sentence : grid_conclusions(study(), rows)) text += sentence + "\n";
  return text;
}

void expect_in(const std::string& text, const std::string& wanted) {
  EXPECT_NE(text.find(wanted), std::string::npos) << wanted << " is not in\n" << text;
}

TEST(GridStudyReport, ConclusionsComeFromTheRows) {
  const auto by_place = [](const GridPlace& place) { return place.loads == "cars" ? 4.5 : 0.5; };
  const std::string text = conclusions_of(rows_with(by_place));
  expect_in(text, "At a noise scale of 1 kW the household filter lowers");
  expect_in(text, "in 1 of 2 places");
  expect_in(text,
            "It does so in every place up to 0.50 kW (feeder, simulated); at the best place it does up to 4.5 kW "
            "(feeder, cars)");
  expect_in(text,
            "At 1 kW a load flow on releases has a larger error than no customer data in 2 of 2 places: it is 3.0 to "
            "3.0 times as large");
  expect_in(text, "with meters off by 1 % by 0.46 V. With kvar as well (PQ), such meters lead to 0.012 V");
}

TEST(GridStudyReport, ConclusionsSayWhenDataAreWorthNothing) {
  const std::string text =
      conclusions_of(rows_with([](const GridPlace& place) { return place.loads == "cars" ? 100 : 0.01; }));
  expect_in(text, "in 1 of 2 places");
  expect_in(text, "Not even at the smallest scale that was tried does it so in 1 of 2 places");
  expect_in(text, "at the best place it does up to 9.7 kW, the largest that was tried (feeder, cars)");
  EXPECT_EQ(text.find("every place"), std::string::npos);
  expect_in(conclusions_of(rows_with([](const GridPlace&) { return 0.01; })), "It does so nowhere");
}

TEST(GridStudyReport, ThereIsNoConclusionWithoutRows) { EXPECT_EQ(conclusions_of({}), ""); }

std::vector<std::string> between_all(const std::string& text, const std::string& from, const std::string& to) {
  std::vector<std::string> found;
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    at += from.size();
    found.push_back(text.substr(at, text.find(to, at) - at));
  }
  return found;
}

/// Characters that a cell needs at least: numbers are on one line, all else may break at blanks.
std::size_t least_width(const std::string& cell) {
  const std::string text = cell.substr(cell.find('>') + 1);
  if (cell.starts_with(" class=\"number\">")) return text.size();
  std::size_t widest = 0;
  std::size_t begin = 0;
  for (std::size_t end = 0; end <= text.size(); ++end) {
    if (end < text.size() && text[end] != ' ') continue;
    widest = std::max(widest, end - begin);
    begin = end + 1;
  }
  return widest;
}

/// On a page of 1,000 pixels, with 9 pixels a character and 20 between columns.
TEST(GridStudyReport, NoTableIsWiderThanThePage) {
  const std::string page = *grid_page(study(), rows_with([](const GridPlace&) { return 1; }));
  const auto tables = between_all(page, "<table>", "</table>");
  ASSERT_GT(tables.size(), 8U);
  for (const std::string& table : tables) {
    const auto headers = between_all(table, "<th ", "</th>");
    const auto cells = between_all(table, "<td", "</td>");
    std::vector<std::size_t> widths;
    for (std::string header : headers) {
      const auto text = header.find('>');
      widths.push_back(least_width(header.substr(text)));  // headers break, also those of numbers
    }
    for (std::size_t i = 0; i < cells.size(); ++i)
      widths[i % widths.size()] = std::max(widths[i % widths.size()], least_width(cells[i]));
    std::size_t px = 0;
    for (const std::size_t width : widths) px += 9 * width + 20;
    EXPECT_LE(px, 1'000U) << table.substr(0, 200);
  }
}

TEST(GridStudyReport, ThePageExplainsItsMethodsAndNamesItsYardstick) {
  const std::string page = *grid_page(study(), rows_with([](const GridPlace&) { return 1; }));
  const auto explained = between_all(page, "<table>", "</table>").front();
  for (const char* method : {"load flow on releases", "least squares", "with profile", "household filter",
                             "sums of boxes", "no customer data", "filter, 3 sensors", "none, 3 sensors"})
    expect_in(explained, std::string("<td>") + method + "</td>");
  EXPECT_LT(page.find("In short"), page.find("The chapter"));
  // Its figures are an error of meters with PQ, and mostly missing kvar with P only.
  for (const std::string& label : between_all(page, "eters off by 1 %", "<"))
    EXPECT_TRUE(label.starts_with(", P only") || label.starts_with(", PQ") || label.starts_with(" by 0")) << label;
  EXPECT_EQ(page.find("meters 1 %"), std::string::npos);
}

TEST(GridStudy, OptionsOutOfRangeAreRefused) {
  EXPECT_FALSE(GridStudy::make({.days = 1}).has_value());
  EXPECT_FALSE(GridStudy::make({.runs = 0}).has_value());
}

}  // namespace
}  // namespace fugu
