// What a user does with fugu, and gets.
#include <zlib.h>

#include <algorithm>
#include <cmath>

#include "support/released.hpp"

namespace fugu::test {
namespace {

std::string stream(int slots) {
  std::string text = "time,north,south\n";
  for (int slot = 0; slot < slots; ++slot)
    text.append(std::to_string(slot)).append(",").append(std::to_string(1000 + slot)).append(",500\n");
  return text;
}

/// One column of a releases file, all rows or those of one series.
std::vector<std::string> column(const std::string& released, std::size_t index, const std::string& series = "") {
  std::vector<std::string> values;
  const std::vector<std::string> lines = lines_of(released);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = fields_of(lines[i]);
    if (series.empty() || fields[1] == series) values.push_back(fields[index]);
  }
  return values;
}

TEST(Publish, FromStandardInputToStandardOutput) {
  const TempDir directory;
  const Finished finished = run_fugu(
      directory, "publish --stream - --definition event --epsilon 1 --sensitivity 3 --mechanism uniform", stream(5));
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const std::vector<std::string> lines = lines_of(finished.out);
  ASSERT_EQ(lines.size(), 11u);
  EXPECT_EQ(lines[0], "time,series,value,scale,loss_rate,sampled");
  EXPECT_TRUE(lines[1].starts_with("0,north,"));
  EXPECT_TRUE(lines[2].starts_with("0,south,"));
  EXPECT_TRUE(lines[10].starts_with("4,south,"));
  EXPECT_NE(finished.err.find("released 5 slots of 2 series"), std::string::npos) << finished;
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

bool says(const Finished& finished, const std::string& text) { return finished.err.find(text) != std::string::npos; }

TEST(Publish, ValuesThatGetRoundedAreToldOnceAndNeverShown) {
  const TempDir directory;
  write_file(directory / "s.csv", "time,load\n0,7341\n1,7342.593\n2,7343.1\n");
  write_file(directory / "r.csv", "time,meter,value\n0,a,0.734\n0,b,0.4\n1,a,0.735\n");
  write_file(directory / "map.csv", "meter,series\na,north\nb,north\n");
  write_file(directory / "p.csv", "meter,start,end,length,magnitude,epsilon\na,0,2,1,2.2,1\na,1,2,1,2.25,1\n");
  const std::string promise = " --mechanism uniform --definition event --epsilon 1";
  const std::string stream = "publish --sensitivity 3 --stream s.csv" + promise;
  const std::string readings = "publish --readings r.csv --series-map map.csv --clamp 10" + promise;
  const std::string policies =
      "publish --sensitivity 3 --stream s.csv --policies p.csv --floor event:1 --mechanism narwhal";
  const auto notes = [&](const std::string& command) {
    const Finished finished = run_fugu(directory, command);
    EXPECT_EQ(finished.exit_code, 0) << finished;
    EXPECT_FALSE(says(finished, "734")) << finished;
    int count = 0;
    for (const std::string& line : lines_of(finished.err)) count += line.find("get rounded") != std::string::npos;
    return std::pair(count, finished);
  };
  const auto [of_stream, first] = notes(stream);
  EXPECT_EQ(of_stream, 1) << first;
  EXPECT_TRUE(says(first, "s.csv: values are not multiples of the unit step 1 and get rounded: a unit step of 0.001"));
  const auto [of_readings, second] = notes(readings);
  EXPECT_EQ(of_readings, 1) << second;
  EXPECT_TRUE(says(second, "r.csv: values")) << second;
  const auto [of_policies, third] = notes(policies);
  EXPECT_EQ(of_policies, 2) << third;
  EXPECT_TRUE(says(third, "p.csv: magnitudes are not multiples of the unit step 1 and get rounded up")) << third;
  for (const std::string& command : {stream, readings, policies})
    EXPECT_EQ(notes(std::string(command).append(" --unit-step 0.001")).first, 0) << command;
}

TEST(Publish, WithoutALedgerItSaysWhatThatMeans) {
  const TempDir directory;
  const std::string command = "publish --stream - --definition event --epsilon 1 --sensitivity 3 --mechanism uniform";
  EXPECT_TRUE(says(run_fugu(directory, command, stream(5)), "no --ledger"));
  EXPECT_FALSE(says(run_fugu(directory, command + " --seed 1", stream(5)), "no --ledger"))
      << "a simulation spends nothing";
  EXPECT_FALSE(says(run_fugu(directory, command + " --ledger l --out o.csv", stream(5)), "no --ledger"));
}

TEST(Publish, ARunThatGoesOnCountsItsOwnSlots) {
  const TempDir directory;
  const std::string command =
      "publish --stream - --definition event --epsilon 1 --sensitivity 3 --mechanism uniform --ledger l --out o.csv";
  EXPECT_TRUE(says(run_fugu(directory, command, stream(5)), "released 5 slots of"));
  EXPECT_TRUE(says(run_fugu(directory, command, stream(5)), "released 0 slots, from slot 5 on, of"));
  EXPECT_TRUE(says(run_fugu(directory, command, stream(8)), "released 3 slots, from slot 5 on, of"));
}

TEST(Publish, GzipIsReadAsItIs) {
  const TempDir directory;
  const std::string text = stream(50);
  gzFile file = gzopen((directory / "s.csv.gz").c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  write_file(directory / "s.csv", text);
  const std::string options = " --definition event --epsilon 1 --sensitivity 3 --mechanism uniform --seed 5";
  const Finished packed = run_fugu(directory, "publish --stream s.csv.gz" + options);
  const Finished plain = run_fugu(directory, "publish --stream s.csv" + options);
  const Finished piped = run_fugu(directory, "publish --stream -" + options, read_file(directory / "s.csv.gz"));
  EXPECT_EQ(packed.exit_code, 0) << packed;
  EXPECT_EQ(packed.out, plain.out);
  EXPECT_EQ(piped.out, plain.out);
  EXPECT_NE(plain.err.find("NOT private"), std::string::npos) << plain;
}

TEST(Publish, SecureNoiseDiffersSeededNoiseDoesNot) {
  const TempDir directory;
  write_file(directory / "s.csv", stream(40));
  const std::string command =
      "publish --stream s.csv --definition event --epsilon 0.1 --sensitivity 3 --mechanism uniform";
  EXPECT_NE(run_fugu(directory, command).out, run_fugu(directory, command).out);
  EXPECT_EQ(run_fugu(directory, command + " --seed 1").out, run_fugu(directory, command + " --seed 1").out);
  EXPECT_NE(run_fugu(directory, command + " --seed 1").out, run_fugu(directory, command + " --seed 2").out);
}

TEST(Publish, BudgetsOfSeveralSeries) {
  struct Case {
    std::string options;
    std::string north;
    std::string south;
  };
  const std::vector<Case> cases = {
      {"--sensitivity 3", "24", "24"},                // a meter may be in both: half the budget each
      {"--sensitivity 3 --budgets own", "12", "12"},  // no meter is in both
      {"--sensitivity 10,3 --budgets own", "40", "12"},
      {"--sensitivity 10,3", "80", "24"},
  };
  for (const Case& each : cases) {
    const TempDir directory;
    write_file(directory / "s.csv", stream(20));
    const Finished finished =
        run_fugu(directory,
                 "publish --stream s.csv --definition w-event --epsilon 1 --w 4 --mechanism uniform "
                 "--ledger run.ledger --out out.csv " +
                     each.options);
    ASSERT_EQ(finished.exit_code, 0) << finished;
    const std::string out = read_file(directory / "out.csv");
    EXPECT_EQ(column(out, 3, "north"), std::vector<std::string>(20, each.north)) << each.options;
    EXPECT_EQ(column(out, 3, "south"), std::vector<std::string>(20, each.south)) << each.options;
    const AuditVerdict verdict = expect_audit_holds(directory, "--ledger run.ledger --released out.csv");
    EXPECT_NEAR(verdict.worst_loss, 1, 1e-9);
  }
}

TEST(Publish, ReadingsShareTheBudgetOfMetersInSeveralSeries) {
  const std::string readings = "time,meter,value\n0,a,5\n0,b,6\n1,c,7\n0,c,8\n1,a,5\n2,b,1\n1,b,\n3,a,1\n";
  const std::vector<std::pair<std::string, std::string>> maps = {
      {"meter,series\na,north\nb,south\nc,south\n", "40"},           // disjoint
      {"meter,series\na,north\nb,north\nb,south\nc,south\n", "80"},  // b is in both
  };
  for (const auto& [map, scale] : maps) {
    const TempDir directory;
    write_file(directory / "r.csv", readings);
    write_file(directory / "map.csv", map);
    const Finished finished = run_fugu(directory,
                                       "publish --readings r.csv --series-map map.csv --clamp 10 --definition w-event "
                                       "--epsilon 1 --w 4 --mechanism uniform --ledger run.ledger --out out.csv");
    ASSERT_EQ(finished.exit_code, 0) << finished;
    EXPECT_NE(finished.err.find("8 readings, 1 missing"), std::string::npos) << finished;
    EXPECT_EQ(column(read_file(directory / "out.csv"), 3), std::vector<std::string>(8, scale));
    EXPECT_NEAR(expect_audit_holds(directory, "--ledger run.ledger --released out.csv").worst_loss, 1, 1e-9);
  }
}

TEST(Publish, ReadingsAreSummed) {
  const TempDir directory;
  write_file(directory / "r.csv",
             "meter,time,value\na,0,1000\nb,0,2000\nc,1,5000\nc,0,4000\na,1,100\na,1,999\nb,3,700\n");
  write_file(directory / "map.csv", "meter,series\na,north\nb,north\nb,south\nc,south\n");
  // Almost no noise: scale 10000·2/30000.
  const Finished finished = run_fugu(directory,
                                     "publish --readings r.csv --series-map map.csv --clamp 10000 --definition event "
                                     "--epsilon 30000 --mechanism uniform");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const std::vector<double> expected = {3000, 6000, 100, 5000, 0, 0, 700, 700};
  const std::vector<std::string> values = column(finished.out, 2);
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(std::strtod(values[i].c_str(), nullptr), expected[i], 40) << i;
  EXPECT_NE(finished.err.find("1 duplicates dropped"), std::string::npos) << finished;
}

/// The quarter hours of a civil day in Central Europe, as stamps with the offset then in force.
std::vector<std::string> quarter_hours(const std::string& day, int quarters) {
  const bool spring = quarters == 92;
  std::vector<std::string> stamps;
  for (int quarter = 0; quarter < quarters; ++quarter) {
    const bool changed = quarter >= (spring ? 8 : 12);
    const int minutes = quarter * 15 + (changed ? (spring ? 60 : -60) : 0);
    char text[60];
    std::snprintf(text, sizeof text, "%sT%02d:%02d:00+0%d:00", day.c_str(), minutes / 60, minutes % 60,
                  changed == spring ? 2 : 1);
    stamps.emplace_back(text);
  }
  return stamps;
}

TEST(Publish, DaysOf92And100QuarterHours) {
  for (const auto& [day, quarters] : {std::pair<std::string, int>("2026-03-29", 92), {"2026-10-25", 100}}) {
    const TempDir directory;
    const std::vector<std::string> stamps = quarter_hours(day, quarters);
    std::string text = "time,load\n";
    for (std::size_t i = 0; i < stamps.size(); ++i) {
      if (i != 10) text += stamps[i] + "," + std::to_string(i) + "\n";
    }
    write_file(directory / "s.csv", text);
    const Finished finished =
        run_fugu(directory,
                 "publish --stream s.csv --definition w-event --epsilon 1 --w 96 --sensitivity 1 "
                 "--mechanism hybrid --every 4 --interval 0.95 --ledger run.ledger --out out.csv");
    ASSERT_EQ(finished.exit_code, 0) << finished;
    const std::string out = read_file(directory / "out.csv");
    EXPECT_EQ(column(out, 0), stamps);
    expect_audit_holds(directory, "--ledger run.ledger --released out.csv");
    const Finished metrics = run_fugu(directory, "metrics --stream s.csv --released out.csv");
    EXPECT_EQ(metrics.exit_code, 0) << metrics;
    EXPECT_TRUE(lines_of(metrics.out)[1].starts_with("out.csv,load," + std::to_string(quarters - 1) + ",")) << metrics;
    const Finished report =
        run_fugu(directory, "report --stream s.csv --run hybrid=out.csv,run.ledger --out report.html --picture p.svg");
    EXPECT_EQ(report.exit_code, 0) << report;
    EXPECT_NE(read_file(directory / "report.html").find("</html>"), std::string::npos);
    EXPECT_NE(read_file(directory / "p.svg").find("</svg>"), std::string::npos);
  }
}

TEST(Publish, MissingIsNotZero) {
  const TempDir directory;
  write_file(directory / "s.csv", "time,load\n0,\n1,100000\n2,\n4,100000\n");
  const Finished finished =
      run_fugu(directory,
               "publish --stream s.csv --definition event --epsilon 1 --sensitivity 1 --mechanism "
               "uniform --interval 0.9 --ledger run.ledger --out out.csv");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const std::vector<std::string> lines = lines_of(read_file(directory / "out.csv"));
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[1], "0,load,,,0,0,,") << "nothing known yet";
  EXPECT_EQ(fields_of(lines[3])[2], fields_of(lines[2])[2]) << "the last value again";
  EXPECT_EQ(fields_of(lines[3])[5], "0");
  EXPECT_EQ(fields_of(lines[4])[4], "0") << "costs nothing";
  EXPECT_EQ(expect_audit_holds(directory, "--ledger run.ledger --released out.csv").answers, 2u);
}

TEST(Publish, EstimatesHaveNoScaleAndAreAudited) {
  const TempDir directory;
  write_file(directory / "s.csv", stream(200));
  const std::string promise = "--definition w-event --epsilon 1 --w 10 --sensitivity 1 --budgets own ";
  for (const std::string mechanism : {"fast-w", "rescuedp", "pegasus", "adapub", "smooth"}) {
    const std::string files = "--ledger " + mechanism + ".ledger --out " + mechanism + ".csv";
    const Finished finished =
        run_fugu(directory, "publish --stream s.csv " + promise + "--mechanism " + mechanism + " " + files);
    ASSERT_EQ(finished.exit_code, 0) << finished;
    std::vector<std::string> lines = lines_of(read_file(directory / (mechanism + ".csv")));
    ASSERT_EQ(lines.size(), 401u);
    for (std::size_t i = 1; i < lines.size(); ++i) {
      EXPECT_NE(fields_of(lines[i])[2], "") << lines[i];
      EXPECT_EQ(fields_of(lines[i])[3], "") << lines[i];
    }
    const std::string audit = "--ledger " + mechanism + ".ledger --released ";
    expect_audit_holds(directory, audit + mechanism + ".csv");
    lines[9].insert(lines[9].find(",,"), "1");  // another digit
    std::string changed;
    for (const std::string& line : lines) changed.append(line).append("\n");
    write_file(directory / "changed.csv", changed);
    const Finished caught = run_fugu(directory, "audit " + audit + "changed.csv");
    EXPECT_EQ(caught.exit_code, 1) << caught;
    EXPECT_NE(caught.out.find("is not the recorded estimate"), std::string::npos) << caught;
  }
}

TEST(Publish, RefusesBandsAndMixingFiltersOfEstimates) {
  const TempDir directory;
  write_file(directory / "s.csv", stream(10));
  const std::string command =
      "publish --stream s.csv --definition w-event --epsilon 1 --w 10 --sensitivity 1 --mechanism pegasus ";
  for (const char* option : {"--interval 0.9", "--filter kalman", "--filter truncate,moving-average:3"})
    EXPECT_EQ(run_fugu(directory, command + option).exit_code, 2) << option;
  EXPECT_EQ(run_fugu(directory, command + "--filter truncate").exit_code, 0);
  EXPECT_EQ(run_fugu(directory, command.substr(0, command.rfind(" ")) + "-as-published").exit_code, 3) << "no --seed";
  EXPECT_EQ(run_fugu(directory, command.substr(0, command.rfind(" ")) + "-as-published --seed 1").exit_code, 0);
}

TEST(Publish, SaysWhereDeltaAddsNoise) {
  const TempDir directory;
  write_file(directory / "s.csv", stream(3));
  const auto warned = [&](const std::string& options) {
    const Finished finished =
        run_fugu(directory, "publish --stream s.csv --epsilon 1 --sensitivity 1 --budgets own " + options);
    EXPECT_EQ(finished.exit_code, 0) << finished;
    return finished.err.find("--delta adds noise here") != std::string::npos;
  };
  EXPECT_TRUE(warned("--delta 1e-6 --definition event --mechanism uniform"));
  EXPECT_TRUE(warned("--delta 1e-6 --definition w-event --w 10 --mechanism uniform"));
  EXPECT_FALSE(warned("--delta 1e-6 --definition w-event --w 11 --mechanism uniform"));
  EXPECT_TRUE(warned("--delta 1e-6 --definition w-event --w 11 --mechanism uniform --noise laplace"));
  EXPECT_TRUE(warned("--delta 1e-6 --definition w-event --w 100 --mechanism sample"));
  EXPECT_TRUE(warned("--delta 1e-6 --definition w-event --w 100 --mechanism hybrid --every 10"));
  EXPECT_FALSE(warned("--definition event --mechanism uniform"));
}

TEST(Publish, IntervalsHoldTheTruthAsOftenAsTheySay) {
  const TempDir directory;
  constexpr int kSlots = 20000;
  write_file(directory / "s.csv", stream(kSlots));
  for (const char* noise : {"", " --delta 1e-6"}) {
    const Finished finished =
        run_fugu(directory,
                 "publish --stream s.csv --definition event --epsilon 0.01 --sensitivity 1 --budgets own --mechanism "
                 "uniform --interval 0.9" +
                     std::string(noise));
    ASSERT_EQ(finished.exit_code, 0) << finished;
    int inside = 0;
    for (const std::string& line : lines_of(finished.out)) {
      const std::vector<std::string> fields = fields_of(line);
      if (fields[1] != "south") continue;
      inside +=
          std::strtod(fields[6].c_str(), nullptr) <= 500 && 500 <= std::strtod(fields[7].c_str(), nullptr) ? 1 : 0;
    }
    // Six standard deviations: false alarm once in 5·10⁸ runs. The grid makes the band a little wider than asked.
    EXPECT_NEAR(inside, 0.9 * kSlots, 6 * std::sqrt(0.09 * kSlots) + 0.01 * kSlots) << noise;
  }
}

TEST(Metrics, AreWhatTheySay) {
  const TempDir directory;
  write_file(directory / "s.csv", "time,load\n0,10\n1,20\n2,\n3,0\n");
  write_file(
      directory / "a.csv",
      "time,series,value,scale,loss_rate,sampled\n0,load,13,1,1,1\n1,load,16,1,1,1\n2,load,16,1,0,0\n3,load,5,1,1,1\n");
  write_file(
      directory / "b.csv",
      "time,series,value,scale,loss_rate,sampled\n0,load,10,1,1,1\n1,load,20,1,1,1\n2,load,20,1,0,0\n3,load,0,1,1,1\n");
  const Finished one = run_fugu(directory, "metrics --stream s.csv --released a.csv --gamma 2");
  ASSERT_EQ(one.exit_code, 0) << one;
  EXPECT_EQ(one.out, "file,series,slots,mae,rmse,mre\na.csv,load,3,4,4.08248,1\n");
  const Finished two = run_fugu(directory, "metrics --stream s.csv --released a.csv b.csv");
  ASSERT_EQ(two.exit_code, 0) << two;
  EXPECT_EQ(lines_of(two.out).size(), 5u) << two;
  EXPECT_EQ(lines_of(two.out)[3].substr(0, 31), "quantile 0.5 of 2 runs,all,3,2,") << two;
}

TEST(Metrics, NothingReleasedYetCountsAsZero) {
  const TempDir directory;
  write_file(directory / "s.csv", "time,a,b\n0,,5\n1,40,5\n2,60,5\n");
  write_file(directory / "out.csv",
             "time,series,value,scale,loss_rate,sampled\n0,a,,,0,0\n0,b,5,0,1,1\n1,a,,,0,0\n1,b,5,0,0,0\n"
             "2,a,,,0,0\n2,b,5,0,0,0\n");
  const Finished metrics = run_fugu(directory, "metrics --stream s.csv --released out.csv");
  ASSERT_EQ(metrics.exit_code, 0) << metrics;
  ASSERT_EQ(lines_of(metrics.out).size(), 4U) << metrics;
  EXPECT_EQ(lines_of(metrics.out)[1], "out.csv,a,2,50,50.9902,1");
  EXPECT_TRUE(lines_of(metrics.out)[3].starts_with("out.csv,all,5,20,")) << metrics;
  const Finished report = run_fugu(directory, "report --stream s.csv --run r=out.csv --out page.html");
  ASSERT_EQ(report.exit_code, 0) << report;
  EXPECT_NE(report.out.find(" 20             20 "), std::string::npos) << "measured and predicted" << report;
}

TEST(Audit, NoticesChangedReleases) {
  const TempDir directory;
  write_file(directory / "s.csv", stream(20));
  ASSERT_EQ(run_fugu(directory,
                     "publish --stream s.csv --definition w-event --epsilon 1 --w 4 --sensitivity 1 --mechanism "
                     "hybrid --every 2 --ledger run.ledger --out out.csv")
                .exit_code,
            0);
  const std::vector<std::string> lines = lines_of(read_file(directory / "out.csv"));
  const auto audit_with = [&](const std::function<void(std::vector<std::string>&)>& change) {
    std::vector<std::string> changed = lines;
    change(changed);
    std::string text;
    for (const std::string& line : changed) text += line + "\n";
    write_file(directory / "changed.csv", text);
    return run_fugu(directory, "audit --ledger run.ledger --released changed.csv");
  };
  EXPECT_EQ(audit_with([](auto&) {}).exit_code, 0);
  const auto change_field = [](std::size_t index, const std::string& value) {
    return [index, value](std::vector<std::string>& rows) {
      std::vector<std::string> fields = fields_of(rows[5]);
      fields[index] = value;
      rows[5].clear();
      for (const std::string& field : fields) rows[5] += (rows[5].empty() ? "" : ",") + field;
    };
  };
  EXPECT_EQ(audit_with(change_field(2, "999999")).exit_code, 1);
  EXPECT_EQ(audit_with(change_field(3, "0.5")).exit_code, 1);
  EXPECT_EQ(audit_with(change_field(4, "0.001")).exit_code, 1);
  EXPECT_EQ(audit_with(change_field(5, "0")).exit_code, 1);
  const Finished repeated = audit_with([](auto& rows) { rows.insert(rows.begin() + 5, rows[5]); });
  EXPECT_TRUE(repeated.exit_code == 1 || repeated.exit_code == 2) << repeated;
  const Finished missing = audit_with([](auto& rows) { rows.erase(rows.begin() + 5); });
  EXPECT_EQ(missing.exit_code, 1) << missing;
}

TEST(Audit, ABrokenPromiseIsExitCodeOne) {
  const TempDir directory;
  write_file(directory / "s.csv", stream(20));
  ASSERT_EQ(run_fugu(directory,
                     "publish --stream s.csv --definition w-event --epsilon 1 --w 4 --sensitivity 1 --mechanism "
                     "uniform --out out.csv")
                .exit_code,
            0);
  const std::string claim = "audit --released out.csv --definition w-event --sensitivity 1";
  EXPECT_EQ(run_fugu(directory, claim + " --epsilon 1 --w 4").exit_code, 0);
  const Finished longer = run_fugu(directory, claim + " --epsilon 1 --w 5");
  EXPECT_EQ(longer.exit_code, 1);
  EXPECT_NE(longer.out.find("FAILS"), std::string::npos) << longer;
  EXPECT_EQ(run_fugu(directory, claim + " --epsilon 0.9 --w 4").exit_code, 1);
}

/// A stream's first `slots` hours with one loss rate each. Estimates: these may cost anything.
std::string hourly_releases(const std::vector<std::pair<int, std::string>>& rates) {
  std::string text = "time,series,value,scale,loss_rate,sampled\n";
  for (const auto& [hour, rate] : rates) {
    char time[40];
    std::snprintf(time, sizeof time, "2024-01-%02dT%02d:00:00+00:00", 1 + hour / 24, hour % 24);
    text.append(time).append(",load,5,,").append(rate).append(",1\n");
  }
  return text;
}

TEST(Audit, StatedRatesCountInTheSlotsThatTheirTimesName) {
  const TempDir directory;
  const std::string claim = "audit --released out.csv --definition w-event --epsilon 1 --w 4 --sensitivity 1";
  // Hours 4 to 8 are missing: the rest is not one window.
  std::vector<std::pair<int, std::string>> with_gap;
  for (const int hour : {0, 1, 9, 10}) with_gap.emplace_back(hour, "0.4");
  write_file(directory / "out.csv", hourly_releases(with_gap));
  const Finished gap = run_fugu(directory, claim);
  EXPECT_EQ(gap.exit_code, 0) << gap;
  EXPECT_NE(gap.out.find("slots       11\n"), std::string::npos) << gap;
  with_gap[1].first = 8;
  write_file(directory / "out.csv", hourly_releases(with_gap));
  EXPECT_EQ(run_fugu(directory, claim).exit_code, 1);
  // Rows out of order could hide a window.
  with_gap = {{0, "0.4"}, {1, "0.4"}, {9, "0.4"}, {2, "0.4"}};
  write_file(directory / "out.csv", hourly_releases(with_gap));
  const Finished unordered = run_fugu(directory, claim);
  EXPECT_EQ(unordered.exit_code, 2) << unordered;
  EXPECT_NE(unordered.err.find("expected ascending times"), std::string::npos) << unordered;
}

TEST(Audit, ClocksAndGridsOfReleasedFiles) {
  const TempDir directory;
  // Gaps of two and three slots: a slot is what both are multiples of.
  write_file(directory / "out.csv", hourly_releases({{0, "0.0000001"}, {2, "0.0000001"}, {5, "0.0000001"}}));
  const std::string claim = "audit --released out.csv --definition w-event --epsilon 1 --w 3 --sensitivity ";
  const Finished large = run_fugu(directory, claim + "5000000");  // more than 2^40 millionths
  EXPECT_EQ(large.exit_code, 0) << large;
  EXPECT_NE(large.out.find("slots       6\n"), std::string::npos) << large;
  EXPECT_NE(large.out.find("ε = 1 of 1"), std::string::npos) << large;
  EXPECT_EQ(run_fugu(directory, claim + "5000001").exit_code, 1);
  EXPECT_EQ(run_fugu(directory, claim + "0.5").exit_code, 0);
}

TEST(Audit, ALedgerIsNotCheckedAgainstAnotherPromise) {
  const TempDir directory;
  write_file(directory / "s.csv", stream(20));
  ASSERT_EQ(run_fugu(directory,
                     "publish --stream s.csv --definition user --horizon 15 --epsilon 1 --sensitivity 1 --mechanism "
                     "uniform --ledger run.ledger --out out.csv")
                .exit_code,
            3);
  expect_audit_holds(directory, "--ledger run.ledger --released out.csv");  // ended at its horizon
  for (const char* other : {"--epsilon 0.1", "--definition event", "--policies none.csv", "--unit-step 2"}) {
    const Finished refused = run_fugu(directory, std::string("audit --ledger run.ledger ").append(other));
    EXPECT_EQ(refused.exit_code, 2) << refused;
    EXPECT_NE(refused.err.find("the ledger says what was promised"), std::string::npos) << refused;
  }
  const std::vector<std::string> lines = lines_of(read_file(directory / "out.csv"));
  std::string cut;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (i == 0 || i > 10) cut += lines[i] + "\n";  // two series
  write_file(directory / "cut.csv", cut);
  const Finished lacking = run_fugu(directory, "audit --ledger run.ledger --released cut.csv");
  EXPECT_EQ(lacking.exit_code, 0) << lacking;
  EXPECT_NE(lacking.out.find("5 of these slots are not in the file"), std::string::npos) << lacking;
}

// --- Cases kept as files, and larger recorded data ----------------------------------------------------------------

std::vector<std::string> golden_cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(FUGU_TEST_DATA)) {
    if (std::filesystem::exists(entry.path() / "command.txt")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Every folder of tests/data with a command.txt: the options of `fugu publish`, run in that folder.
TEST(Golden, OutputsAreEqualToTheByte) {
  const std::vector<std::string> names = golden_cases();
  EXPECT_FALSE(names.empty());
  for (const std::string& name : names) {
    const std::filesystem::path folder = std::filesystem::path(FUGU_TEST_DATA) / name;
    std::vector<std::string> arguments = words(read_file((folder / "command.txt").string()));
    for (const char* prefix : {"fugu", "publish"}) {
      if (!arguments.empty() && arguments[0] == prefix) arguments.erase(arguments.begin());
    }
    arguments.insert(arguments.begin(), {FUGU_BINARY, "publish"});
    const Finished finished = run(arguments, {}, {.directory = folder});
    EXPECT_EQ(finished.exit_code, 0) << name << "\n" << finished;
    EXPECT_EQ(finished.out, read_file((folder / "expected.csv").string())) << name;
  }
}

TEST(SharedData, OneZoneOfGefcomFromEndToEnd) {
  const std::string data = std::string(FUGU_SHARED_DATA) + "/gefcom2012/load_kw.csv.gz";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "not there: " << data;
  const TempDir directory;
  ASSERT_EQ(run({"sh", "-c", "gzip -dc '" + data + "' | cut -d, -f1,5 | gzip -1 > zone.csv.gz"}, {}, {directory.path()})
                .exit_code,
            0);
  const std::string source = "--stream zone.csv.gz --time-column timestamp --utc-offset -05:00";
  const Finished finished =
      run_fugu(directory, "publish " + source +
                              " --definition w-event --epsilon 1 --w 24 --sensitivity 10 --mechanism "
                              "uniform --ledger run.ledger --out out.csv");
  ASSERT_EQ(finished.exit_code, 0) << finished;
  const std::vector<std::string> lines = lines_of(read_file(directory / "out.csv"));
  ASSERT_EQ(lines.size(), 39'601u);
  EXPECT_TRUE(lines[1].starts_with("2004-01-01T00:00:00-05:00,"));
  EXPECT_TRUE(lines.back().starts_with("2008-07-07T23:00:00-05:00,"));
  std::size_t repeated = 0;
  for (const std::string& line : lines) {
    if (!line.ends_with(",0,0")) continue;
    ++repeated;
    EXPECT_TRUE(line.starts_with("2008-06-30T")) << line;
  }
  EXPECT_EQ(repeated, 18u) << "hours without a value cost nothing and repeat the last one";
  const AuditVerdict verdict = expect_audit_holds(directory, "--ledger run.ledger --released out.csv");
  EXPECT_EQ(verdict.slots, 39'600u);
  EXPECT_EQ(verdict.answers, 39'582u);
  const Finished metrics = run_fugu(directory, "metrics " + source + " --released out.csv");
  ASSERT_EQ(metrics.exit_code, 0) << metrics;
  // Laplace noise of scale 240: the mean error is 240 up to six times 240/√39582.
  EXPECT_NEAR(std::strtod(fields_of(lines_of(metrics.out)[1])[3].c_str(), nullptr), 240, 7.3) << metrics;
}

}  // namespace
}  // namespace fugu::test
