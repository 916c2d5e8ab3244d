// fugu grid: what its commands write is a network or a page, and what cannot be read or written is said.
#include <gtest/gtest.h>

#include <filesystem>

#include "fugu/network/network_reader.hpp"
#include "support/process.hpp"

namespace fugu::test {
namespace {

namespace fs = std::filesystem;

class Grid : public testing::Test {
 protected:
  Finished fugu(const std::string& options) { return run_fugu(directory_, "grid " + options); }
  void expect_refused(const std::string& options, int exit_code, const std::string& part) {
    const Finished finished = fugu(options);
    EXPECT_EQ(finished.exit_code, exit_code) << options << "\n" << finished;
    EXPECT_NE(finished.err.find(part), std::string::npos) << options << "\n" << finished;
  }
  /// A small network in the SimBench layout.
  void put_simbench(const std::string& name) {
    fs::create_directory(directory_ / name);
    write_file(directory_ / (name + "/lines.csv"),
               "line,from_bus,to_bus,length_km,r_ohm_per_km,x_ohm_per_km,b_us_per_km,imax_a\n"
               "L1,B,A,0.1,0.2,0.08,80,270\n");
    write_file(directory_ / (name + "/loads.csv"), "load,bus,p_kw,q_kvar,profile\nhome,A,5,1,H0-A\n");
    write_file(directory_ / (name + "/transformer.csv"),
               "transformer,lv_bus,s_kva,hv_kv,lv_kv,uk_percent,pcu_kw,pfe_kw\nT1,B,160,20,0.4,4,2.35,0.46\n");
  }

  TempDir directory_;
};

TEST_F(Grid, ExamplesRunOneAfterTheOther) {
  put_simbench("ieee_eulv");  // that convert reads any layout is what matters here
  std::size_t examples = 0;
  for (const char* help : {"generate --help", "draw --help", "convert --help"}) {
    for (const std::string& line : lines_of(fugu(help).out)) {
      if (!line.starts_with("  fugu grid ")) continue;
      const Finished finished = run(fugu_command(line.substr(7)), {}, {.directory = directory_.path()});
      EXPECT_EQ(finished.exit_code, 0) << line << "\n" << finished;
      ++examples;
    }
  }
  EXPECT_EQ(examples, 4u);
}

TEST_F(Grid, GeneratesWhatWasAskedForTheSameEachTime) {
  for (const char* folder : {"one", "two"}) {
    const Finished made =
        fugu(std::string("generate --junction-boxes 3 --customers 7 --industrial 2 --seed 5 --out ") + folder);
    ASSERT_EQ(made.exit_code, 0) << made;
    EXPECT_NE(made.err.find("11 nodes, 10 lines, 7 customers"), std::string::npos) << made;
  }
  for (const char* file : {"nodes.csv", "lines.csv", "transformers.csv", "customers.csv"}) {
    EXPECT_EQ(read_file(directory_ / ("one/" + std::string(file))),
              read_file(directory_ / ("two/" + std::string(file))));
  }
  ASSERT_EQ(fugu("generate --junction-boxes 3 --customers 7 --industrial 2 --seed 6 --out three").exit_code, 0);
  EXPECT_NE(read_file(directory_ / "one/lines.csv"), read_file(directory_ / "three/lines.csv"));
  EXPECT_EQ(fugu("check one").exit_code, 0);
}

TEST_F(Grid, ConvertsWithoutLosingAnything) {
  put_simbench("simbench");
  ASSERT_EQ(fugu("convert simbench --out ours").exit_code, 0);
  EXPECT_EQ(*grid::layout_of(directory_ / "ours"), grid::NetworkLayout::fugu);
  const auto before = grid::read_network(directory_ / "simbench");
  const auto after = grid::read_network(directory_ / "ours");
  ASSERT_TRUE(before && after);
  EXPECT_EQ(after->lines()[0].r_ohm, before->lines()[0].r_ohm);
  EXPECT_EQ(after->lines()[0].c_nf, before->lines()[0].c_nf);
  EXPECT_EQ(after->customers()[0].profile, "H0-A");
  EXPECT_EQ(after->transformer().copper_loss_kw, 2.35);
}

TEST_F(Grid, NoNetworkIsOverwritten) {
  ASSERT_EQ(fugu("generate --out street").exit_code, 0);
  const std::string before = read_file(directory_ / "street/lines.csv");
  expect_refused("generate --seed 2 --out street", 2, "found nodes.csv in 'street', which would be lost");
  put_simbench("simbench");
  expect_refused("convert simbench --out street", 2, "found nodes.csv in 'street', which would be lost");
  expect_refused("convert simbench --out simbench", 2, "found lines.csv in 'simbench', which would be lost");
  for (const char* written :
       {"draw street --out ", "loads street --out ", "loads street --bills ",
        "monitor street/ --measured own.csv --violations ", "monitor street --measured own.csv --estimate ",
        "monitor street --measured own.csv --map "})
    expect_refused(written + std::string("street/../street/lines.csv"), 2, "which is a file of the network");
  EXPECT_EQ(read_file(directory_ / "street/lines.csv"), before);
  // What only lies in its folder, such as another layout's file, may be written again.
  for (int i = 0; i < 2; ++i) EXPECT_EQ(fugu("loads street --days 1 --out street/loads.csv").exit_code, 0);
  expect_refused("loads simbench --days 1 --out simbench/loads.csv", 2, "which is a file of the network");
}

TEST_F(Grid, DrawsOnePageThatNeedsNothing) {
  ASSERT_EQ(fugu("generate --out street").exit_code, 0);
  const Finished drawn = fugu("draw street/ --out street/map.html");
  ASSERT_EQ(drawn.exit_code, 0) << drawn;
  const std::string page = read_file(directory_ / "street/map.html");
  for (const char* part : {"<h1>Network street</h1>", "36 nodes, 35 lines, 25 customers", ">J10</text>",
                           "default-src &#39;none&#39;", "script-src &#39;sha256-"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  const Finished printed = fugu("draw street --out -");
  EXPECT_EQ(printed.out, page);
}

TEST_F(Grid, SaysWhatIsWrong) {
  fs::create_directory(directory_ / "empty");
  for (const char* command : {"draw nowhere --out a.html", "convert nowhere --out a", "check nowhere"}) {
    expect_refused(command, 2, "nowhere: found no folder of that name");
  }
  expect_refused("draw empty --out a.html", 2, "empty: found files of no layout that is known");
  expect_refused("convert empty --out a", 2, "empty: found files of no layout that is known");
  expect_refused("generate --out a --customers 0", 2, "--customers");
  expect_refused("generate --out a --customers 3 --industrial 4", 2, "no more industrial customers than customers");
  expect_refused("generate", 2, "--out");
  EXPECT_FALSE(fs::exists(directory_ / "a"));
  EXPECT_FALSE(fs::exists(directory_ / "a.html"));
}

TEST_F(Grid, WhatCannotBeWrittenIsTheEnvironmentsFault) {
  ASSERT_EQ(fugu("generate --out street").exit_code, 0);
  write_file(directory_ / "file", "mine\n");
  expect_refused("generate --out file/street", 4, "file/street");
  expect_refused("convert street --out file/copy", 4, "file/copy");
  expect_refused("draw street --out file/map.html", 4, "file/map.html");
  expect_refused("draw street --out nowhere/map.html", 4, "nowhere/map.html");
  EXPECT_EQ(read_file(directory_ / "file"), "mine\n");
}

TEST_F(Grid, LoopsAreDrawnWhenAllowed) {
  ASSERT_EQ(fugu("generate --out street").exit_code, 0);
  std::string lines = read_file(directory_ / "street/lines.csv");
  lines += "ring,J9,J10,50,0.01,0.004,13,270,closed\n";
  write_file(directory_ / "street/lines.csv", lines);
  expect_refused("draw street --out map.html", 2, "loop");
  EXPECT_EQ(fugu("draw street --allow-loops --out map.html").exit_code, 0);
}

}  // namespace
}  // namespace fugu::test
