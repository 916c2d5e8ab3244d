// Sensitivities and clamps that vary over time on the command line: published, resumed, audited, refused.
#include "support/released.hpp"

namespace fugu::test {
namespace {

constexpr const char* kDaily = "time,sensitivity\n00:00,2\n06:00,10\n22:00,3.5\n";

double daily_sensitivity(int hour) { return hour < 6 ? 2 : hour < 22 ? 10 : 3.5; }

/// Hours from `first_hour` o'clock on.
std::string hours(int slots, int first_hour = 0) {
  std::string text = "time,total\n";
  for (int slot = 0; slot < slots; ++slot) {
    const int hour = first_hour + slot;
    char row[64];
    std::snprintf(row, sizeof row, "2026-01-%02dT%02d:00:00+01:00,1000\n", 1 + hour / 24, hour % 24);
    text += row;
  }
  return text;
}

const std::string kPromise = "--definition discounted-exp --alpha 0.5 --epsilon 1 --unit-step 0.1 ";
const std::string kPublish = "publish --stream s.csv " + kPromise + "--sensitivity-schedule day.csv --mechanism equal ";

std::vector<double> scales_in(const std::string& released) {
  std::vector<double> scales;
  for (const std::string& line : lines_of(released))
    if (fields_of(line)[0] != "time") scales.push_back(std::stod(fields_of(line)[3]));
  return scales;
}

TEST(SensitivitySchedule, NoiseFollowsTheTimeOfDayWhereverTheStreamBegins) {
  const TempDir directory;
  write_file(directory / "day.csv", kDaily);
  for (const int first_hour : {0, 5, 6, 23}) {
    write_file(directory / "s.csv", hours(60, first_hour));
    const Finished published = run_fugu(directory, kPublish);
    ASSERT_EQ(published.exit_code, 0) << published;
    const std::vector<double> scales = scales_in(published.out);
    ASSERT_EQ(scales.size(), 60u);
    for (int slot = 0; slot < 60; ++slot)
      EXPECT_NEAR(scales[static_cast<std::size_t>(slot)],
                  daily_sensitivity((first_hour + slot) % 24) * (slot == 0 ? 1 : 2), 1e-6)
          << first_hour << " " << slot;
  }
}

TEST(SensitivitySchedule, SlotNumbersAndTimeStampsHoldForEver) {
  const TempDir directory;
  write_file(directory / "slots.csv", "time,a,b\n0,1,5\n3,2,5\n");
  std::string stream = "time,a,b\n";
  for (int slot = 0; slot < 6; ++slot) stream += std::to_string(slot) + ",10,10\n";
  const Finished by_slot =
      run_fugu(directory,
               "publish --stream - --definition event --epsilon 1 --budgets own --mechanism uniform "
               "--sensitivity-schedule slots.csv",
               stream);
  ASSERT_EQ(by_slot.exit_code, 0) << by_slot;
  EXPECT_EQ(scales_in(by_slot.out), (std::vector<double>{1, 5, 1, 5, 1, 5, 2, 5, 2, 5, 2, 5}));

  write_file(directory / "s.csv", hours(6));
  write_file(directory / "day.csv",
             "time,sensitivity\n2025-06-01T00:00Z,9\n2025-12-31T00:00Z,4\n2026-01-01T02:00+01:00,8\n");
  const Finished by_stamp = run_fugu(directory, kPublish);
  ASSERT_EQ(by_stamp.exit_code, 0) << by_stamp;
  const std::vector<double> scales = scales_in(by_stamp.out);
  EXPECT_NEAR(scales[0], 4, 1e-6);
  EXPECT_NEAR(scales[1], 8, 1e-6);
  EXPECT_NEAR(scales[2], 16, 1e-6);
  EXPECT_NEAR(scales[5], 16, 1e-6);
}

TEST(SensitivitySchedule, IsAuditedWithAndWithoutTheLedger) {
  const TempDir directory;
  write_file(directory / "day.csv", kDaily);
  write_file(directory / "s.csv", hours(60));
  const std::string schedule = "--sensitivity-schedule day.csv ";
  struct Run {
    std::string promise;
    std::string mechanism;
  };
  int number = 0;
  for (const Run& run : {Run{kPromise, "equal"}, Run{kPromise, "planned --horizon 60"}, Run{kPromise, "published"},
                         Run{"--definition discounted-hyp --beta 0.2 --epsilon 1 --unit-step 0.1 ", "equal --every 3"},
                         Run{"--definition event --epsilon 1 --unit-step 0.1 ", "uniform"},
                         Run{"--definition w-event --w 24 --epsilon 1 --unit-step 0.1 ", "hybrid --every 6"},
                         Run{"--definition w-event --w 24 --epsilon 1 --delta 1e-6 --unit-step 0.1 ", "sample"},
                         Run{"--definition user --horizon 60 --epsilon 1 --unit-step 0.1 ", "published"}}) {
    const std::string name = std::to_string(++number);
    const Finished published = run_fugu(directory, "publish --stream s.csv " + run.promise + schedule + "--mechanism " +
                                                       run.mechanism + " --ledger l" + name + " --out o" + name);
    ASSERT_EQ(published.exit_code, 0) << run.promise << published;
    expect_audit_holds(directory, "--ledger l" + name + " --released o" + name);
    expect_audit_holds(directory, "--released o" + name + " " + run.promise + schedule);
    // That every slot could change by what the busiest one can was not promised.
    EXPECT_EQ(run_fugu(directory, "audit --released o" + name + " " + run.promise + "--sensitivity 10").exit_code, 1)
        << run.promise;
  }
}

TEST(SensitivitySchedule, APlanMakesUseOfIt) {
  const TempDir directory;
  write_file(directory / "day.csv", kDaily);
  write_file(directory / "s.csv", hours(48));
  const auto mean = [&](const std::string& mechanism) {
    const Finished published =
        run_fugu(directory,
                 "publish --stream s.csv --definition discounted-exp --alpha 0.99 --epsilon 1 --unit-step "
                 "0.1 --sensitivity-schedule day.csv --mechanism " +
                     mechanism);
    EXPECT_EQ(published.exit_code, 0) << published;
    double sum = 0;
    for (const double scale : scales_in(published.out)) sum += scale;
    return sum / 48;
  };
  EXPECT_LT(mean("planned --horizon 48"), 0.7 * mean("equal"));
  // Least largest: the same noise all day long.
  const Finished level =
      run_fugu(directory, "publish --stream s.csv " + kPromise +
                              "--sensitivity-schedule day.csv --mechanism planned --horizon 48 --least largest");
  const std::vector<double> scales = scales_in(level.out);
  ASSERT_EQ(scales.size(), 48u) << level;
  for (const double scale : scales) EXPECT_NEAR(scale, scales[0], 1e-3);
}

TEST(SensitivitySchedule, AnotherScheduleIsAnotherRun) {
  const TempDir directory;
  write_file(directory / "day.csv", kDaily);
  write_file(directory / "s.csv", hours(20));
  const std::string command = kPublish + "--ledger run.ledger --out o.csv";
  ASSERT_EQ(run_fugu(directory, command).exit_code, 0);
  const std::string before = read_file(directory / "o.csv");
  write_file(directory / "s.csv", hours(40));
  for (const std::string other : {"time,sensitivity\n00:00,2\n06:00,9.9\n22:00,3.5\n",
                                  "time,sensitivity\n00:00,2\n07:00,10\n22:00,3.5\n", "time,sensitivity\n00:00,10\n"}) {
    write_file(directory / "day.csv", other);
    const Finished finished = run_fugu(directory, command);
    EXPECT_EQ(finished.exit_code, 2) << other << finished;
    EXPECT_NE(finished.err.find("how sensitivities vary over time"), std::string::npos) << finished;
  }
  EXPECT_EQ(run_fugu(directory, "publish --stream s.csv " + kPromise +
                                    "--sensitivity 10 --mechanism equal --ledger run.ledger --out o.csv")
                .exit_code,
            2);
  EXPECT_EQ(read_file(directory / "o.csv"), before);
  // The same, written otherwise.
  write_file(directory / "day.csv", "time,sensitivity\n00:00,2.0\n06:00,10\n12:00,10\n22:00,3.50\n");
  EXPECT_EQ(run_fugu(directory, command).exit_code, 0);
  EXPECT_EQ(read_file(directory / "o.csv").substr(0, before.size()), before);
  EXPECT_EQ(expect_audit_holds(directory, "--ledger run.ledger --released o.csv").slots, 40u);
}

// --- Readings --------------------------------------------------------------------------------------------------------

/// Readings of 8 for two meters, four slots; so little noise that none is to be expected.
const std::string kReadings = [] {
  std::string text = "time,meter,value\n";
  for (int slot = 0; slot < 4; ++slot)
    for (const char* meter : {"a", "b"}) text += std::to_string(slot) + "," + meter + ",8\n";
  return text;
}();
const std::string kClamped =
    "publish --readings r.csv --series-map m.csv --clamp-schedule c.csv --definition event --epsilon 30000 --mechanism "
    "uniform ";

TEST(ClampSchedule, ReadingsAreClampedToTheRangeOfTheirSlot) {
  const TempDir directory;
  write_file(directory / "m.csv", "meter,series\na,north\nb,north\n");
  write_file(directory / "r.csv", kReadings);
  write_file(directory / "c.csv", "time,clamp\n0,5\n1,10\n2,-3:6\n3,2\n");
  const Finished published = run_fugu(directory, kClamped);
  ASSERT_EQ(published.exit_code, 0) << published;
  std::vector<std::string> values;
  for (const std::string& line : lines_of(published.out)) values.push_back(fields_of(line)[2]);
  EXPECT_EQ(values, (std::vector<std::string>{"value", "10", "16", "12", "4"}));
  EXPECT_NE(published.err.find("6 clamped"), std::string::npos) << published;
  // What is beyond the range of its slot is an error when it is to be one.
  write_file(directory / "c.csv", "time,clamp\n0,8\n3,7\n");
  const Finished strict = run_fugu(directory, kClamped + "--strict");
  EXPECT_EQ(strict.exit_code, 2) << strict;
  EXPECT_NE(strict.err.find("r.csv:8: found a reading beyond the clamp"), std::string::npos) << strict;
}

TEST(ClampSchedule, ChargesTheRangeOfTheSlotAndResumes) {
  const TempDir directory;
  write_file(directory / "m.csv", "meter,series\na,north\nb,north\n");
  write_file(directory / "h.csv", "meter,household\na,home\nb,home\n");
  write_file(directory / "r.csv", kReadings);
  write_file(directory / "c.csv", "time,clamp\n0,5\n2,-3:6\n");
  const std::string command =
      "publish --readings r.csv --series-map m.csv --households h.csv --clamp-schedule c.csv --definition event "
      "--epsilon 1 --mechanism uniform --ledger run.ledger --out o.csv";
  const Finished published = run_fugu(directory, command);
  ASSERT_EQ(published.exit_code, 0) << published;
  EXPECT_EQ(scales_in(read_file(directory / "o.csv")), (std::vector<double>{10, 10, 18, 18}));
  expect_audit_holds(directory, "--ledger run.ledger --released o.csv");
  write_file(directory / "r.csv", kReadings + "4,a,8\n5,b,8\n");
  const std::string same = read_file(directory / "c.csv");
  write_file(directory / "c.csv", "time,clamp\n0,5\n2,-2:7\n");  // as wide, and another
  EXPECT_EQ(run_fugu(directory, command).exit_code, 2);
  write_file(directory / "c.csv", same);
  const Finished resumed = run_fugu(directory, command);
  EXPECT_EQ(resumed.exit_code, 0) << resumed;
  EXPECT_EQ(scales_in(read_file(directory / "o.csv")), (std::vector<double>{10, 10, 18, 18, 18, 18}));
  EXPECT_EQ(expect_audit_holds(directory, "--ledger run.ledger --released o.csv").slots, 6u);
}

// --- What is refused -------------------------------------------------------------------------------------------------

TEST(SensitivitySchedule, BadFilesAreSaidClearly) {
  struct Case {
    std::string file;
    std::string says;
  };
  const std::vector<Case> cases = {
      {"", "day.csv"},
      {"time,sensitivity\n", "day.csv: found no rows"},
      {"time,load\n00:00,2\n", "day.csv:1:1: found other columns; expected a header `time,sensitivity`"},
      {"time,sensitivity\n00:00\n", "day.csv:2:1: found 1 field; expected 2 fields"},
      {"time,sensitivity\n00:00,two\n", "day.csv:2:7: found"},
      {"time,sensitivity\n00:00,0\n", "day.csv:2:7: found a sensitivity of 0 or less"},
      {"time,sensitivity\n00:00,-1\n", "day.csv:2:7: found a sensitivity of 0 or less"},
      {"time,sensitivity\n00:00,\n", "day.csv:2:7: found"},
      {"time,sensitivity\n00:00,1\n00:00,2\n", "day.csv:3:1: found a time that is not after that of the row before"},
      {"time,sensitivity\n06:00,1\n05:00,2\n", "day.csv:3:1: found a time that is not after"},
      {"time,sensitivity\n06:00,1\n06:30,2\n", "day.csv:3:1: found time '06:30' between two slots"},
      {"time,sensitivity\n24:00,1\n", "day.csv:2:1: found time '24:00'"},
      {"time,sensitivity\n06:00,1\n7,2\n", "day.csv:3:1: found time '7'; expected a time of day"},
      {"time,sensitivity\n0,1\n", "day.csv:2:1: found time '0'"},
      {"time,sensitivity\n2026-01-01T03:00:00+01:00,1\n", "day.csv:2:1: found a first row that holds from slot 3 on"},
      {"time,sensitivity\n2026-01-01T00:00:00+01:00,1\n2026-01-01T00:30:00+01:00,2\n", "day.csv:3:1: found time"},
      {"time,sensitivity\n00:00,1e13\n", "2^40"},
  };
  const TempDir directory;
  write_file(directory / "s.csv", hours(5));
  for (const Case& one : cases) {
    write_file(directory / "day.csv", one.file);
    const Finished finished = run_fugu(directory, kPublish);
    EXPECT_EQ(finished.exit_code, 2) << one.file << finished;
    EXPECT_NE(finished.err.find(one.says), std::string::npos) << one.file << one.says << finished;
    EXPECT_TRUE(finished.out.empty()) << one.file << finished;
  }
}

TEST(SensitivitySchedule, OptionsThatDoNotGoTogetherAreRefused) {
  struct Case {
    std::string options;
    std::string says;
  };
  const std::string stream = "--stream s.csv --epsilon 1 --sensitivity-schedule day.csv ";
  const std::string readings =
      "--readings r.csv --series-map m.csv --epsilon 1 --definition event --mechanism uniform ";
  const std::vector<Case> cases = {
      {stream + "--definition event --mechanism uniform --sensitivity 10", "leave --sensitivity out"},
      {stream + "--definition w-event --w 4 --mechanism bd", "bd compares slots"},
      {stream + "--definition w-event --w 4 --mechanism pegasus", "pegasus compares slots"},
      {"--stream s.csv --sensitivity-schedule day.csv --policies p.csv --floor event:1 --mechanism narwhal",
       "does not go with --policies"},
      {stream + "--definition event --mechanism uniform --clamp-schedule day.csv", "must be different files"},
      {stream + "--definition event --mechanism uniform --clamp-schedule c.csv", "belong to --readings"},
      {readings + "--sensitivity-schedule day.csv --clamp 5", "leave it out"},
      {readings + "--clamp-schedule c.csv --clamp 5", "leave --clamp out"},
      {readings + "--clamp-schedule c.csv --distributional d.state", "does not go with --distributional"},
      {readings + "--clamp-schedule bad.csv", "bad.csv:2:5: found no range"},
      {readings + "--clamp-schedule day.csv", "day.csv:1:1: found other columns; expected a header `time,clamp`"},
      {readings + "--clamp-schedule hour.csv", "hour.csv:2:1: found a time of day; expected slot numbers"},
  };
  const TempDir directory;
  write_file(directory / "s.csv", hours(5));
  write_file(directory / "day.csv", kDaily);
  write_file(directory / "r.csv", kReadings);
  write_file(directory / "m.csv", "meter,series\na,north\nb,north\n");
  write_file(directory / "c.csv", "time,clamp\n0,5\n");
  write_file(directory / "bad.csv", "time,clamp\n000,5:3\n");
  write_file(directory / "hour.csv", "time,clamp\n00:00,5\n");
  write_file(directory / "p.csv", "meter,start,end,length,magnitude,epsilon\na,0,3,1,5,1\n");
  for (const Case& one : cases) {
    const Finished finished = run_fugu(directory, "publish " + one.options);
    EXPECT_EQ(finished.exit_code, 2) << one.options << finished;
    EXPECT_NE(finished.err.find(one.says), std::string::npos) << one.options << finished;
  }
}

}  // namespace
}  // namespace fugu::test
