#include "fugu/report/network_map.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "fugu/base/digest.hpp"
#include "fugu/monitoring/comparison.hpp"
#include "fugu/report/network_drawing.hpp"
#include "fugu/report/number.hpp"
#include "loadflow/loads.hpp"
#include "report/balance.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"

namespace fugu::report {
namespace {

using grid::GridStates;
using grid::Network;
using grid::test::Loads;
using nlohmann::json;

// --- The drawing. ---

struct Edge {
  Place a;
  Place b;
};

double turn(const Place& a, const Place& b, const Place& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Two edges that share more than an end.
bool cross(const Edge& one, const Edge& two) {
  for (const Place& end : {one.a, one.b}) {
    if (end == two.a || end == two.b) return false;
  }
  const auto apart = [&](double Place::* axis) {
    return std::min(one.a.*axis, one.b.*axis) > std::max(two.a.*axis, two.b.*axis) ||
           std::min(two.a.*axis, two.b.*axis) > std::max(one.a.*axis, one.b.*axis);
  };
  if (apart(&Place::x) || apart(&Place::y)) return false;
  const bool one_splits = turn(one.a, one.b, two.a) * turn(one.a, one.b, two.b) <= 0;
  return one_splits && turn(two.a, two.b, one.a) * turn(two.a, two.b, one.b) <= 0;
}

std::vector<Edge> edges_of(const Network& network, const NetworkDrawing& drawing) {
  std::vector<Edge> edges;
  for (const auto& [from, to] : network.line_ends()) edges.push_back({drawing.nodes[from], drawing.nodes[to]});
  return edges;
}

std::size_t crossings(const std::vector<Edge>& edges) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (std::size_t j = i + 1; j < edges.size(); ++j) found += cross(edges[i], edges[j]);
  }
  return found;
}

TEST(NetworkDrawing, TreesHaveNoCrossingsAndAPlaceForEachNode) {
  for (const auto& [name, network] : grid::test::all_networks()) {
    const NetworkDrawing drawing = draw_tree(network);
    EXPECT_FALSE(drawing.is_geographic);
    ASSERT_EQ(drawing.nodes.size(), network.nodes().size()) << name;
    std::set<std::pair<double, double>> places;
    for (const Place& place : drawing.nodes) {
      places.emplace(place.x, place.y);
      EXPECT_TRUE(place.x >= 0 && place.x <= drawing.width && place.y >= 0 && place.y <= drawing.height) << name;
    }
    EXPECT_EQ(places.size(), network.nodes().size()) << name;
    EXPECT_EQ(crossings(edges_of(network, drawing)), 0U) << name;
  }
}

TEST(NetworkDrawing, TwoNodesThatChangePlacesAreNoticed) {
  const Network network = *grid::make_feeder();
  NetworkDrawing drawing = draw_tree(network);
  std::swap(drawing.nodes[*network.find_node("J2")], drawing.nodes[*network.find_node("C17")]);
  EXPECT_GT(crossings(edges_of(network, drawing)), 0U);
}

TEST(NetworkDrawing, EachRowIsOneLineFurtherFromTheBusbar) {
  for (const auto& [name, network] : grid::test::all_networks()) {
    const NetworkDrawing drawing = draw_tree(network);
    EXPECT_EQ(drawing.nodes[network.root()].y, 0) << name;
    const std::uint32_t first = network.order()[1];
    const double row = drawing.nodes[first].y;
    for (const std::uint32_t node : network.order().subspan(1)) {
      EXPECT_NEAR(drawing.nodes[node].y - drawing.nodes[network.parent(node)].y, row, 1e-9) << name;
    }
  }
}

TEST(NetworkDrawing, TheWayToTheMostRemoteNodeGoesStraightDown) {
  for (const auto& [name, network] : grid::test::all_networks()) {
    const NetworkDrawing drawing = draw_tree(network);
    const double x = drawing.nodes[network.root()].x;
    const double lowest = std::ranges::max(drawing.nodes, {}, &Place::y).y;
    EXPECT_TRUE(std::ranges::any_of(drawing.nodes, [&](const Place& place) {
      return place.y == lowest && std::abs(place.x - x) < 1e-9;
    })) << name;
  }
}

grid::NetworkData with_positions() {
  grid::NetworkData data = grid::make_feeder()->data();
  for (std::size_t i = 0; i < data.nodes.size(); ++i) {
    data.nodes[i].position = grid::Position{390'000.0 + 10 * static_cast<double>(i % 7), 20.0 * static_cast<double>(i)};
  }
  return data;
}

TEST(NetworkDrawing, CoordinatesAreToScaleWithNorthUp) {
  const grid::NetworkData data = with_positions();
  const NetworkDrawing drawing = draw_network(*Network::make(data));
  EXPECT_TRUE(drawing.is_geographic);
  const double scale = (drawing.nodes[1].x - drawing.nodes[0].x) / 10;
  EXPECT_GT(scale, 0);
  for (std::size_t i = 1; i < data.nodes.size(); ++i) {
    EXPECT_NEAR(drawing.nodes[i].x - drawing.nodes[0].x, scale * 10 * static_cast<double>(i % 7), 1e-6);
    EXPECT_NEAR(drawing.nodes[0].y - drawing.nodes[i].y, scale * 20 * static_cast<double>(i), 1e-6);
  }
}

TEST(NetworkDrawing, CoordinatesThatDoNotDoBecomeATree) {
  grid::NetworkData data = with_positions();
  data.nodes[5].position.reset();
  EXPECT_FALSE(draw_network(*Network::make(data)).is_geographic);
  for (grid::Node& node : data.nodes) node.position = grid::Position{3, 4};
  EXPECT_FALSE(draw_network(*Network::make(data)).is_geographic);
}

TEST(NetworkDrawing, ALongChainAndAWideStarAreDrawnQuickly) {
  for (const bool is_chain : {true, false}) {
    grid::NetworkData data = grid::make_feeder()->data();
    for (std::size_t i = 0; i < 20'000; ++i) {
      const std::string id = "N" + std::to_string(i);
      grid::Line line = data.lines[0];
      line.id = "L" + id;
      line.from = is_chain && i > 0 ? "N" + std::to_string(i - 1) : "T";
      line.to = id;
      data.nodes.push_back({id, 0.4, {}});
      data.lines.push_back(std::move(line));
    }
    EXPECT_EQ(draw_tree(*Network::make(data)).nodes.size(), data.nodes.size());
  }
}

// --- The page. ---

GridStates states_of(const Network& network, const Loads& loads) {
  GridStates states;
  grid::Monitor::make(network)->observe(grid::test::solved(make_solver(network), loads), states);
  return states;
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t start = text.find(from);
  if (start == std::string::npos) return "";
  const std::size_t first = start + from.size();
  return text.substr(first, text.find(to, first) - first);
}

/// The page without its script and data, which are no markup.
std::string markup_of(std::string page) {
  for (std::size_t at = page.find("<script"); at != std::string::npos; at = page.find("<script", at)) {
    page.erase(at, page.find("</script>", at) + 9 - at);
  }
  return page;
}

const std::string kDataStart = "<script type=\"application/json\" id=\"map-data\">";

json data_of(const std::string& page) { return json::parse(between(page, kDataStart, "</script>")); }

std::string page_of(const NetworkMap& map) {
  const auto page = network_map_page(map);
  EXPECT_TRUE(page) << page.error().message;
  return page ? *page : "";
}

/// What the script makes of a view: the same steps, so that the two can be compared.
class Decoder {
 public:
  Decoder(const json& data, std::size_t view) : data_(data) {
    const std::string text = data["views"][view]["states"];
    bytes_.resize(text.size() / 4 * 3);
    EXPECT_EQ(EVP_DecodeBlock(bytes_.data(), reinterpret_cast<const unsigned char*>(text.data()),
                              static_cast<int>(text.size())),
              static_cast<int>(bytes_.size()));
  }

  struct Stamp {
    bool is_solved = false;
    std::vector<double> voltage_v = {};
    std::vector<double> current_a = {};
    std::vector<bool> is_violated = {};  ///< nodes, then lines
  };
  Stamp next() {
    const std::size_t nodes = data_["nodes"].size();
    const std::size_t lines = data_["lines"].size();
    const unsigned kind = bytes_[at_++];
    Stamp stamp{.is_solved = kind != 0};
    if (kind == 0) return stamp;
    stamp.is_violated.resize(nodes + lines);
    if (kind == 2) {
      for (std::size_t i = 0; i < nodes + lines; ++i) stamp.is_violated[i] = bytes_[at_ + i / 8] >> (i % 8) & 1;
      at_ += (nodes + lines + 7) / 8;
    }
    std::vector<std::int64_t> tenth_v(nodes);
    std::vector<std::int64_t> tenth_a(lines);
    for (const std::size_t node : data_["order"]) {
      const std::int64_t parent = data_["parents"][node];
      tenth_v[node] = integer() + (parent < 0 ? 0 : tenth_v[static_cast<std::size_t>(parent)]);
    }
    for (const std::size_t line : data_["line_order"]) {
      const std::int64_t before = data_["lines_before"][line];
      tenth_a[line] = integer() + (before < 0 ? 0 : tenth_a[static_cast<std::size_t>(before)]);
    }
    const double nominal_v = data_["nominal_v"];
    for (const std::int64_t value : tenth_v) stamp.voltage_v.push_back(nominal_v + static_cast<double>(value) / 10);
    for (const std::int64_t value : tenth_a) stamp.current_a.push_back(static_cast<double>(value) / 10);
    return stamp;
  }

 private:
  std::int64_t integer() {
    std::uint64_t bits = 0;
    for (unsigned shift = 0;; shift += 7) {
      const unsigned byte = bytes_[at_++];
      bits |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    const auto half = static_cast<std::int64_t>(bits / 2);
    return bits % 2 == 1 ? -half - 1 : half;
  }

  const json& data_;
  std::vector<unsigned char> bytes_;
  std::size_t at_ = 0;
};

/// A number in the table, and the end of its line.
std::string cell(std::uint64_t count) { return "<td class=\"number\">" + std::to_string(count) + "</td>\n"; }

/// What a browser makes of a page at an address; empty where there is no browser.
std::string shown_by_browser(const std::string& page, const std::string& fragment) {
  const test::TempDir directory;
  test::write_file(directory / "map.html", page);
  const test::Finished finished = test::run({"chromium", "--headless", "--no-sandbox", "--disable-gpu",
                                             "--virtual-time-budget=3000", "--user-data-dir=" + (directory / "profile"),
                                             "--dump-dom", "file://" + (directory / "map.html") + fragment});
  return finished.exit_code == 0 ? finished.out : "";
}

TEST(NetworkMap, ThePageHoldsTheStatesToATwentiethOfAVolt) {
  for (const auto& [name, network] : grid::test::all_networks()) {
    constexpr std::size_t kStamps = 5;
    const GridStates mild = states_of(network, grid::test::random_loads(network, kStamps, 5));
    const GridStates wild = states_of(network, grid::test::random_loads(network, kStamps, 30, 2));
    const json data = data_of(page_of({.network = network, .title = name, .views = {{"a", &mild}, {"b", &wild}}}));
    const grid::Monitor monitor = *grid::Monitor::make(network);
    std::size_t view = 0;
    for (const GridStates* states : {&mild, &wild}) {
      Decoder decoder(data, view++);
      const auto violations = monitor.violations(*states);
      std::size_t marked = 0;
      for (std::size_t stamp = 0; stamp < kStamps; ++stamp) {
        const Decoder::Stamp read = decoder.next();
        ASSERT_EQ(read.is_solved, states->is_solved(stamp)) << name;
        if (!read.is_solved) continue;
        for (std::size_t node = 0; node < states->nodes; ++node) {
          ASSERT_NEAR(read.voltage_v[node], states->voltages_v(stamp)[node], 0.05001) << name;
        }
        for (std::size_t line = 0; line < states->lines; ++line) {
          ASSERT_NEAR(read.current_a[line], states->currents_a(stamp)[line], 0.05001) << name;
        }
        marked += static_cast<std::size_t>(std::ranges::count(read.is_violated, true));
        for (const grid::Violation& violation : violations) {
          const bool is_line = violation.kind == grid::ViolationKind::main_loading ||
                               violation.kind == grid::ViolationKind::service_loading;
          if (violation.stamp != stamp) continue;
          EXPECT_TRUE(read.is_violated[violation.place + (is_line ? states->nodes : 0)]) << name;
        }
      }
      EXPECT_EQ(marked, violations.size()) << name;
    }
  }
}

TEST(NetworkMap, StampsWithoutConvergenceAreMarkedAsSuch) {
  const Network network = *grid::make_feeder();
  Loads loads = grid::test::random_loads(network, 3, 2);
  std::fill_n(loads.p_kw.begin() + static_cast<std::ptrdiff_t>(network.customers().size()), network.customers().size(),
              900.0);
  const GridStates states = states_of(network, loads);
  ASSERT_FALSE(states.is_solved(1));
  const std::string page = page_of({.network = network, .title = "t", .views = {{"a", &states}}});
  const json data = data_of(page);
  Decoder decoder(data, 0);
  EXPECT_TRUE(decoder.next().is_solved);
  EXPECT_FALSE(decoder.next().is_solved);
  EXPECT_TRUE(decoder.next().is_solved);
  EXPECT_EQ(page.find("nan"), std::string::npos);
  const std::size_t violations = grid::Monitor::make(network)->violations(states).size();
  EXPECT_NE(page.find(cell(violations) + cell(1)), std::string::npos) << "the table counts it";
}

TEST(NetworkMap, NothingSolvedIsNoNumber) {
  const Network network = *grid::make_feeder();
  Loads loads = grid::test::random_loads(network, 2, 2);
  std::ranges::fill(loads.p_kw, 900.0);
  const GridStates states = states_of(network, loads);
  const std::string page = page_of({.network = network, .title = "t", .views = {{"a", &states}}});
  EXPECT_NE(page.find("<td class=\"number\">–</td>"), std::string::npos);
  EXPECT_EQ(page.find("∞"), std::string::npos);
}

TEST(NetworkMap, TheTableCountsWhatIsMissedAndInvented) {
  const Network network = *grid::make_feeder();
  const GridStates truth = states_of(network, grid::test::random_loads(network, 20, 25));
  const GridStates other = states_of(network, grid::test::random_loads(network, 20, 25, 2));
  const grid::Monitor monitor = *grid::Monitor::make(network);
  grid::StateComparison comparison(monitor);
  comparison.add(truth, other);
  const grid::StateErrors errors = comparison.errors();
  const auto missed = errors.voltages.missed + errors.lines.overloads.missed;
  const auto invented = errors.voltages.invented + errors.lines.overloads.invented;
  ASSERT_TRUE(missed > 0 && invented > 0 && missed != invented);
  ASSERT_EQ(errors.overvoltages.in_truth + errors.overvoltages.in_other, 0U)
      << "none is too low here and too high there";
  const std::string page = page_of(
      {.network = network, .title = "t", .views = {{"true", &truth}, {"seen", &other}}, .first_is_truth = true});
  EXPECT_NE(page.find(cell(monitor.violations(other).size()) + cell(missed) + cell(invented)), std::string::npos);
}

TEST(NetworkMap, WithoutATruthNothingIsMissedOrInvented) {
  const Network network = *grid::make_feeder();
  const GridStates released = states_of(network, grid::test::random_loads(network, 20, 25));
  const GridStates estimated = states_of(network, grid::test::random_loads(network, 20, 25, 2));
  NetworkMap map{.network = network, .title = "t", .views = {{"released", &released}, {"estimated", &estimated}}};
  const std::string page = page_of(map);
  EXPECT_EQ(data_of(page)["first_is_truth"], false);
  for (const char* absent : {">missed", ">invented", "also in"}) {
    EXPECT_EQ(markup_of(page).find(absent), std::string::npos) << absent;
  }
  map.first_is_truth = true;
  EXPECT_EQ(data_of(page_of(map))["first_is_truth"], true);
  EXPECT_NE(markup_of(page_of(map)).find(">missed"), std::string::npos);
}

/// Voltages of a network whose nodes all have the same.
GridStates flat(const Network& network, double voltage_v) {
  return {.nodes = network.nodes().size(),
          .lines = network.lines().size(),
          .voltage_v = std::vector<double>(network.nodes().size(), voltage_v),
          .current_a = std::vector<double>(network.lines().size(), 1)};
}

TEST(NetworkMap, TooHighInsteadOfTooLowIsMissedAndInvented) {
  const Network network = *grid::make_feeder();
  const GridStates low = flat(network, 340);
  const GridStates high = flat(network, 460);
  const NetworkMap map{
      .network = network, .title = "t", .views = {{"true", &low}, {"seen", &high}}, .first_is_truth = true};
  const std::string page = page_of(map);
  EXPECT_NE(page.find(cell(35) + cell(35) + cell(35)), std::string::npos) << "all nodes but the busbar";
  EXPECT_NE(markup_of(page).find("both: too low in true and too high here"), std::string::npos);
  const std::string dom = shown_by_browser(page, "");
  if (dom.empty()) GTEST_SKIP() << "needs chromium";
  EXPECT_NE(dom.find(">35 (35 missed, 35 invented)<"), std::string::npos);
  EXPECT_EQ(test::count(dom, "class=\"missed\""), 35U + 2U) << "marks and two entries of the legend";
  EXPECT_EQ(test::count(dom, "class=\"invented\""), 35U + 2U);
}

TEST(NetworkMap, ABrowserMarksNothingAsMissedWithoutATruth) {
  const Network network = *grid::make_feeder();
  const GridStates low = flat(network, 340);
  const GridStates fine = flat(network, 400);
  const std::string dom = shown_by_browser(
      page_of({.network = network, .title = "t", .views = {{"released", &low}, {"estimated", &fine}}}), "");
  if (dom.empty()) GTEST_SKIP() << "needs chromium";
  EXPECT_NE(dom.find(">0</dd>"), std::string::npos) << "violations, and nothing about them";
  EXPECT_EQ(test::count(dom, "class=\"missed\""), 0U);
}

TEST(NetworkMap, TheStripShowsTheLimitsThatVoltagesComeNear) {
  const Network network = *grid::make_feeder();
  const GridStates fine = flat(network, 402);
  const GridStates low = flat(network, 377);
  const GridStates high = flat(network, 452);
  const GridStates higher = flat(network, 485);
  const auto limits = [&](const GridStates& one, const GridStates& other) -> std::string {
    const std::string dom =
        shown_by_browser(page_of({.network = network, .title = "t", .views = {{"a", &one}, {"b", &other}}}), "");
    if (dom.empty()) return "no browser";
    const std::string strip = between(dom, "id=\"strip\"", "</svg>");
    std::string found = std::to_string(test::count(strip, "class=\"limit\""));
    for (const char* text : {"377", "380", "402", "420", "452", "485"}) {
      if (strip.find(std::string(">") + text + " V<") != std::string::npos) found.append(" ").append(text);
    }
    return found;
  };
  if (limits(fine, fine) == "no browser") GTEST_SKIP() << "needs chromium";
  EXPECT_EQ(limits(fine, fine), "1 402 420") << "no voltage is near 380 V";
  EXPECT_EQ(limits(fine, low), "2 380 420") << "377 would stand on 380";
  EXPECT_EQ(limits(fine, high), "2 380 420 452");
  EXPECT_EQ(limits(high, higher), "2 380 420 485");
  EXPECT_EQ(limits(high, high), "1 420 452");
}

TEST(NetworkMap, FourViewsStandInTwoRowsOfTwo) {
  const Network network = *grid::make_feeder();
  const GridStates states = flat(network, 400);
  const auto columns = [&](std::size_t views) {
    const NetworkMap map{.network = network, .title = "t", .views = std::vector<MapView>(views, {"a", &states})};
    return between(page_of(map), "class=\"views\" style=\"--columns:", "\"");
  };
  EXPECT_EQ(columns(1), "1");
  EXPECT_EQ(columns(2), "2");
  EXPECT_EQ(columns(3), "3");
  EXPECT_EQ(columns(4), "2");
  EXPECT_EQ(columns(5), "3");
}

TEST(NetworkMap, ManyStampsAreThinnedAndThePageSaysSo) {
  const Network network = *grid::make_feeder();
  const GridStates states = states_of(network, grid::test::random_loads(network, 100, 2));
  std::vector<std::string> times;
  for (int stamp = 0; stamp < 100; ++stamp) times.push_back("at " + std::to_string(stamp));
  NetworkMap map{.network = network, .title = "t", .times = times, .views = {{"a", &states}}};
  EXPECT_EQ(page_of(map).find("one of"), std::string::npos);
  map.values_max = 71 * 25;  // 36 nodes and 35 lines
  const std::string page = page_of(map);
  EXPECT_NE(page.find("one of 4 stamps, 25 of 100"), std::string::npos);
  const json data = data_of(page);
  EXPECT_EQ(data["step"], 4);
  ASSERT_EQ(data["times"].size(), 25U);
  EXPECT_EQ(data["times"][3], "at 12");
  Decoder decoder(data, 0);
  for (std::size_t stamp = 0; stamp < 100; stamp += 4) {
    EXPECT_NEAR(decoder.next().voltage_v[30], states.voltages_v(stamp)[30], 0.05001);
  }
}

TEST(NetworkMap, AWeekOfTheLargestRecordedFeederStaysSmall) {
  const std::string folder = std::string(FUGU_SHARED_DATA) + "/lvgrid/ieee_eulv";
  const auto network = grid::read_network(folder);
  if (!network) GTEST_SKIP() << "needs " << folder;
  const GridStates day = states_of(*network, grid::test::random_loads(*network, 96, 9));
  GridStates week = {.nodes = day.nodes, .lines = day.lines};
  for (int i = 0; i < 7; ++i) {
    week.voltage_v.insert(week.voltage_v.end(), day.voltage_v.begin(), day.voltage_v.end());
    week.current_a.insert(week.current_a.end(), day.current_a.begin(), day.current_a.end());
  }
  const std::string page =
      page_of({.network = *network, .title = "t", .views = {{"a", &week}, {"b", &week}, {"c", &week}}});
  EXPECT_EQ(data_of(page)["step"], 1);
  EXPECT_LT(page.size(), 10'000'000U);
}

TEST(NetworkMap, WithoutViewsOrStampsItIsTheDrawingAlone) {
  const Network network = *grid::make_feeder();
  const GridStates none = {.nodes = network.nodes().size(), .lines = network.lines().size()};
  for (const std::vector<MapView>& views : {std::vector<MapView>{}, {{"a", &none}, {"b", &none}}}) {
    const std::string page = page_of({.network = network, .title = "t", .views = views});
    EXPECT_EQ(test::count(page, "<svg class=\"network\""), 1U);
    EXPECT_EQ(test::count(page, "<section class=\"view\""), 1U);
    for (const char* absent : {"id=\"slider\"", "<table", "<noscript"}) {
      EXPECT_EQ(markup_of(page).find(absent), std::string::npos) << absent;
    }
  }
}

TEST(NetworkMap, LimitsWithoutSenseAreAnError) {
  const Network network = *grid::make_feeder();
  EXPECT_FALSE(network_map_page({.network = network, .title = "t", .limits = {.under_percent = -5}}));
}

TEST(NetworkMap, LinesWithoutAmpacityAreSaidToHaveNone) {
  grid::NetworkData data = grid::make_feeder()->data();
  data.lines[3].ampacity_a.reset();
  Network network = *Network::make(data);
  const GridStates states = states_of(network, grid::test::random_loads(network, 1, 2));
  EXPECT_NE(
      page_of({.network = network, .title = "t", .views = {{"a", &states}}}).find("1 of 35 lines have no ampacity"),
      std::string::npos);
}

TEST(NetworkMap, OnlyOurScriptRunsAndNothingIsLoaded) {
  const Network network = *grid::make_feeder();
  const GridStates states = states_of(network, grid::test::random_loads(network, 2, 2));
  for (const bool has_views : {true, false}) {
    NetworkMap map{.network = network, .title = "t"};
    if (has_views) map.views = {{"a", &states}};
    const std::string page = page_of(map);
    EXPECT_EQ(test::imbalance(markup_of(page)), "");
    ASSERT_EQ(test::count(page, "<script"), 2U);
    const std::string script = between(page, "<script>", "</script>");
    const Digest digest = sha256({script});
    std::array<unsigned char, 45> base64{};
    EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(digest.size()));
    const std::string hash(as_text(std::span(base64).first(44)));
    EXPECT_NE(page.find("content=\"default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; script-src "
                        "&#39;sha256-" +
                        hash + "&#39;\""),
              std::string::npos);
    for (const char* outside : {"href=", "src=", "@import", "url(", "fetch(", "XMLHttp", "innerHTML", "eval("}) {
      EXPECT_EQ(page.find(outside), std::string::npos) << outside;
    }
  }
}

TEST(NetworkMap, HostileNamesStayText) {
  const std::string id = "</script><script>alert(1)</script><!--&";
  const std::string hostile = id + "\"'\xff";
  grid::NetworkData data = grid::make_feeder()->data();
  data.nodes.push_back({id, 0.4, {}});
  grid::Line line = data.lines[0];
  line.id = id;
  line.from = "J1";
  line.to = id;
  data.lines.push_back(line);
  data.customers[0].id = id;
  const auto network = Network::make(data);
  ASSERT_TRUE(network) << network.error().message;
  const GridStates states = states_of(*network, grid::test::random_loads(*network, 1, 2));
  const std::string page = page_of({.network = *network,
                                    .title = hostile,
                                    .subtitle = hostile,
                                    .times = {hostile},
                                    .views = {{hostile, &states}, {hostile, &states}},
                                    .notes = {hostile}});
  EXPECT_EQ(test::count(page, "<script"), 2U);
  EXPECT_EQ(test::count(page, "</script"), 2U);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  EXPECT_EQ(test::imbalance(markup_of(page)), "");
  const json read = data_of(page);
  EXPECT_EQ(read["views"][0]["name"], id + "\"'\xEF\xBF\xBD");
  EXPECT_EQ(read["nodes"].back()["id"], id);
}

GridStates stamp_of(const GridStates& states, std::size_t stamp) {
  const auto voltages_v = states.voltages_v(stamp);
  const auto currents_a = states.currents_a(stamp);
  return {states.nodes, states.lines, {voltages_v.begin(), voltages_v.end()}, {currents_a.begin(), currents_a.end()}};
}

TEST(NetworkMap, ABrowserShowsTheStampOfTheAddress) {
  const Network network = *grid::make_feeder();
  const GridStates truth = states_of(network, grid::test::random_loads(network, 9, 25));
  const GridStates other = states_of(network, grid::test::random_loads(network, 9, 25, 2));
  const std::string page = page_of(
      {.network = network, .title = "t", .views = {{"true", &truth}, {"seen", &other}}, .first_is_truth = true});
  const grid::Monitor monitor = *grid::Monitor::make(network);
  for (const std::size_t stamp : {0U, 7U}) {
    const std::string dom = shown_by_browser(page, "#t=" + std::to_string(stamp));
    if (dom.empty()) GTEST_SKIP() << "needs chromium";
    grid::StateComparison comparison(monitor);
    comparison.add(stamp_of(truth, stamp), stamp_of(other, stamp));
    const grid::StateErrors errors = comparison.errors();
    const auto missed = errors.voltages.missed + errors.lines.overloads.missed;
    const auto invented = errors.voltages.invented + errors.lines.overloads.invented;
    const auto total = monitor.violations(stamp_of(other, stamp)).size();
    ASSERT_GT(missed + invented, 0U) << "the stamp shows nothing of interest";
    EXPECT_NE(dom.find(">stamp " + std::to_string(stamp) + "<"), std::string::npos);
    EXPECT_NE(dom.find(">" + std::to_string(total) + " (" + std::to_string(missed) + " missed, " +
                       std::to_string(invented) + " invented)<"),
              std::string::npos)
        << "stamp " << stamp;
    EXPECT_EQ(test::count(dom, "class=\"missed\""), 2 + missed) << "marks and two entries of the legend";
    for (const GridStates* states : {&truth, &other}) {
      auto voltages_v = stamp_of(*states, stamp).voltage_v;
      voltages_v.erase(voltages_v.begin() + network.root());
      EXPECT_NE(dom.find(">" + format_fixed(std::ranges::min(voltages_v), 1) + " V ("), std::string::npos);
      EXPECT_NE(dom.find(">" + format_fixed(std::ranges::max(voltages_v), 1) + " V ("), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace fugu::report
