#include "fugu/network/network_reader.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <numbers>
#include <random>

#include "fugu/network/feeder.hpp"
#include "network/builders.hpp"
#include "support/temp_dir.hpp"

namespace fugu::grid {
namespace {

namespace fs = std::filesystem;
using fugu::test::read_file;
using fugu::test::TempDir;
using fugu::test::write_file;

const std::vector<std::string> kFiles = {"nodes.csv", "lines.csv", "transformers.csv", "customers.csv"};

std::string written(const Network& network, const TempDir& folder) {
  EXPECT_TRUE(write_network(network, folder / "out"));
  std::string all;
  for (const std::string& file : kFiles) all += read_file(folder / ("out/" + file));
  return all;
}

void put_small_network(const TempDir& folder) {
  const auto network = Network::make(test::small_network());
  ASSERT_TRUE(write_network(*network, folder.path().string()));
}

std::string error_of(const TempDir& folder) {
  const auto network = read_network(folder.path().string());
  if (network) return "none";
  std::string text = network.error().message;
  for (auto at = text.find(folder.path().string()); at != std::string::npos; at = text.find(folder.path().string())) {
    text.replace(at, folder.path().string().size(), "DIR");
  }
  return text;
}

TEST(NetworkReader, ReadsWhatItWrites) {
  NetworkData data = test::small_network();
  data.frequency_hz = 60;
  data.nodes[1].position = Position{390872.663, -0.1};
  data.lines.push_back(data.lines[0]);
  data.lines[2].id = "spare";
  data.lines[2].is_closed = false;
  data.lines[2].ampacity_a = {};
  data.lines[0].r_ohm = 0.1 / 3;  // needs all its digits
  data.transformers[0].tap_percent = -2.5;
  data.transformers[0].source_pu = 1.05;
  data.customers[0] = {.id = "Müller & Söhne",
                       .node = "A",
                       .kind = CustomerKind::industrial,
                       .phase = 2,
                       .contracted_kw = 55,
                       .yearly_kwh = 40000.25,
                       .power_factor = 0.9,
                       .profile = "G0-A",
                       .profile_kw = 8};
  const auto network = Network::make(data);
  ASSERT_TRUE(network) << network.error().message;
  const TempDir folder;
  const std::string first = written(*network, folder);
  const auto again = read_network(folder / "out");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->lines()[0].r_ohm, 0.1 / 3);
  EXPECT_EQ(again->nodes()[1].position, data.nodes[1].position);
  EXPECT_FALSE(again->lines()[2].is_closed);
  EXPECT_EQ(again->customers()[0].id, "Müller & Söhne");
  EXPECT_EQ(again->customers()[0].phase, 2);
  EXPECT_EQ(again->data().frequency_hz, 60);
  const TempDir other;
  EXPECT_EQ(written(*again, other), first);
}

TEST(NetworkReader, ColumnsStandInAnyOrderAndOptionalOnesMayBeLeftOut) {
  const TempDir folder;
  put_small_network(folder);
  write_file(folder / "nodes.csv", "nominal_kv,node\n0.4,T\n0.4,A\n0.4,B\n");
  write_file(folder / "customers.csv", "kind,customer,node\nindustrial,c,B\n");
  const auto network = read_network(folder.path().string());
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->customers()[0].kind, CustomerKind::industrial);
}

TEST(NetworkReader, AFolderOfAnotherLayoutSaysWhatWasLookedFor) {
  const TempDir folder;
  write_file(folder / "Line.csv", "id;nodeA;nodeB\n");
  EXPECT_EQ(error_of(folder),
            "DIR: found files of no layout that is known; expected nodes.csv, lines.csv, transformers.csv and "
            "customers.csv (ours), or buses.csv, lines.csv, loads.csv and transformer.csv (IEEE European LV), or "
            "lines.csv, loads.csv and transformer.csv (SimBench)");
  const auto none = read_network(folder / "nowhere");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().cause, Cause::usage);
}

TEST(NetworkReader, MistakesOfAllFilesAreListedWithTheirPlace) {
  const TempDir folder;
  put_small_network(folder);
  write_file(folder / "nodes.csv", "node,nominal_kv\nT,0.4\nA,abc\nB,0.4,7\n");
  write_file(folder / "lines.csv",
             "line,from_node,to_node,length_m,r_ohm,x_ohm,c_nf,state\n"
             "TA,T,A,100,0.0208,nan,26.1,ajar\nAB,A,B,100,,0.008,26.1,\n");
  write_file(folder / "customers.csv", "customer,node,kind,phase\nc,B,bakery,L1\n");
  EXPECT_EQ(error_of(folder),
            "DIR: 9 mistakes:\n"
            "  DIR/nodes.csv:4: found 3 fields; expected 2 fields, as in the header\n"
            "  DIR/nodes.csv:3: found 'abc' in column nominal_kv; expected a number\n"
            "  DIR/lines.csv:2: found 'nan' in column x_ohm; expected a number\n"
            "  DIR/lines.csv:2: found 'ajar' in column state; expected one of closed,open\n"
            "  DIR/customers.csv:2: found 'bakery' in column kind; expected one of residential,industrial\n"
            "  DIR/customers.csv:2: found 'L1' in column phase; expected one of 1,2,3\n"
            "  line 'AB' lacks r_ohm\n"
            "  line 'AB' names node 'B', which is not there\n"
            "  customer 'c' names node 'B', which is not there");
}

TEST(NetworkReader, HeadersAreChecked) {
  const TempDir folder;
  put_small_network(folder);
  write_file(folder / "nodes.csv", "node,nominal_v\nT,400\n");
  EXPECT_EQ(error_of(folder),
            "DIR: 2 mistakes:\n"
            "  DIR/nodes.csv:1: found an unknown column 'nominal_v'; expected columns node,nominal_kv and perhaps "
            "x_m,y_m\n"
            "  DIR/nodes.csv:1: found no column 'nominal_kv'; expected columns node,nominal_kv and perhaps x_m,y_m");
  put_small_network(folder);
  write_file(folder / "nodes.csv", "node,nominal_kv,node\nT,0.4,T\nA,0.4,A\nB,0.4,B\n");
  EXPECT_EQ(error_of(folder),
            "DIR: DIR/nodes.csv:1: found column 'node' twice; expected columns node,nominal_kv and perhaps x_m,y_m");
  write_file(folder / "nodes.csv", "");
  EXPECT_EQ(error_of(folder), "DIR/nodes.csv: found an empty file; expected columns node,nominal_kv");
}

/// Every file cut anywhere, and with any byte changed: an error or a network, never a crash.
TEST(NetworkReader, DamagedFilesAreReadOrRefused) {
  const TempDir folder;
  put_small_network(folder);
  std::mt19937 words(7);
  int refused = 0;
  for (const std::string& file : kFiles) {
    const std::string whole = read_file(folder / file);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      write_file(folder / file, whole.substr(0, size));
      refused += !read_network(folder.path().string());
      std::string changed = whole;
      changed[size] = static_cast<char>(words());
      write_file(folder / file, changed);
      refused += !read_network(folder.path().string());
    }
    write_file(folder / file, whole);
  }
  EXPECT_GT(refused, 500);
  EXPECT_EQ(error_of(folder), "none");
}

struct Grid {
  const char* folder;
  NetworkLayout layout;
  std::size_t nodes;
  std::size_t customers;
  double rated_kva;
};

/// The counts of the data's own description.
TEST(NetworkReader, ReadsTheSharedGrids) {
  const fs::path at = fs::path(FUGU_SHARED_DATA) / "lvgrid";
  if (!fs::exists(at)) GTEST_SKIP() << "no recorded data here";
  for (const Grid& grid : {Grid{"ieee_eulv", NetworkLayout::ieee_eulv, 906, 55, 800},
                           Grid{"simbench_rural1", NetworkLayout::simbench, 14, 13, 160},
                           Grid{"simbench_rural2", NetworkLayout::simbench, 96, 99, 250},
                           Grid{"simbench_rural3", NetworkLayout::simbench, 128, 118, 400},
                           Grid{"simbench_semiurb4", NetworkLayout::simbench, 43, 41, 400},
                           Grid{"simbench_semiurb5", NetworkLayout::simbench, 110, 104, 630},
                           Grid{"simbench_urban6", NetworkLayout::simbench, 58, 111, 630}}) {
    const std::string folder = (at / grid.folder).string();
    EXPECT_EQ(*layout_of(folder), grid.layout);
    const auto network = read_network(folder);
    ASSERT_TRUE(network) << network.error().message;
    EXPECT_EQ(network->nodes().size(), grid.nodes);
    EXPECT_EQ(network->lines().size(), grid.nodes - 1);
    EXPECT_EQ(network->customers().size(), grid.customers);
    EXPECT_EQ(network->transformer().rated_kva, grid.rated_kva);
  }
}

TEST(NetworkReader, ConvertsTheUnitsOfOtherLayouts) {
  const TempDir folder;
  write_file(folder / "lines.csv",
             "line,from_bus,to_bus,length_km,r_ohm_per_km,x_ohm_per_km,b_us_per_km,imax_a,type\n"
             "L,A,B,0.05,0.2,0.08,100,270,NAYY\n");
  write_file(folder / "loads.csv", "load,bus,p_kw,q_kvar,s_kva,profile\nhome,B,3,4,5,H0-A\nfarm,B,3,0,3,L1-A\n");
  write_file(folder / "transformer.csv",
             "transformer,lv_bus,s_kva,hv_kv,lv_kv,uk_percent,pcu_kw,pfe_kw,type\nt,A,160,20,0.4,4,2.35,0.46,x\n");
  const auto network = read_network(folder.path().string());
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_DOUBLE_EQ(network->lines()[0].length_m, 50);
  EXPECT_DOUBLE_EQ(network->lines()[0].r_ohm, 0.01);
  EXPECT_DOUBLE_EQ(network->lines()[0].c_nf * 1e-9 * 2 * std::numbers::pi * 50, 5e-6);  // siemens
  EXPECT_DOUBLE_EQ(*network->customers()[0].power_factor, 0.6);
  EXPECT_EQ(network->customers()[0].kind, CustomerKind::residential);
  EXPECT_EQ(network->customers()[1].kind, CustomerKind::industrial);
  EXPECT_EQ(network->nodes()[0].nominal_kv, 0.4);
}

TEST(Feeder, IsShapedLikeTheThesis) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto feeder = make_feeder({.seed = seed});
    ASSERT_TRUE(feeder) << feeder.error().message;
    EXPECT_TRUE(feeder->is_radial());
    EXPECT_EQ(feeder->nodes().size(), 36u);
    EXPECT_EQ(feeder->customers().size(), 25u);
    std::size_t industrial = 0;
    for (const Customer& customer : feeder->customers()) industrial += customer.kind == CustomerKind::industrial;
    EXPECT_EQ(industrial, 4u);
  }
}

TEST(Feeder, IsTheSameEverywhere) {
  const TempDir folder;
  const std::string text = written(*make_feeder(), folder);
  // FNV-1a of the files, worked out once.
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  EXPECT_EQ(hash, 7850148710055606187u);
  const TempDir other;
  EXPECT_NE(written(*make_feeder({.seed = 2}), other), text);
}

TEST(Feeder, RefusesWhatIsNoFeeder) {
  EXPECT_FALSE(make_feeder({.junction_boxes = 0}));
  EXPECT_FALSE(make_feeder({.customers = 0, .industrial = 0}));
  EXPECT_FALSE(make_feeder({.customers = 3, .industrial = 4}));
  EXPECT_TRUE(make_feeder({.junction_boxes = 1, .customers = 1, .industrial = 1}));
}

}  // namespace
}  // namespace fugu::grid
