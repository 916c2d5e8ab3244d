// Reports as text: authentic or refused, and keys that stay where they belong.
#include "fugu/meter/report.hpp"

#include "build.hpp"
#include "fugu/meter/meter_readings.hpp"
#include "fugu/meter/report_log.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

std::string sent_text(const Gateway& gateway) {
  std::string text = std::string(kReportHeader).append("\n");
  for (const auto& [meter, report] : gateway.outbox())
    gateway.rules().format.append(text, gateway.meters().name(meter), report);
  return text;
}

/// The error of reading `text`, or how many reports there were.
std::string read_all(const std::string& text, const MeterKeyFile& file, RowsAside* aside = nullptr,
                     const MeterRules& rules = published_rules(2)) {
  const CollectorKeyFile keys = collector_keys(file);
  auto reader =
      ReportReader::open(Input::from_memory("reports.csv", text), keys,
                         {.scheme = rules.scheme, .parts = rules.parts, .format = rules.format, .aside = aside});
  if (!reader) return reader.error().message;
  ReportReader::Row row;
  std::size_t count = 0;
  while (true) {
    const auto more = reader->next(row);
    if (!more) return more.error().message;
    if (!*more) return std::to_string(count);
    ++count;
  }
}

TEST(ReportReader, ReadsWhatAMeterWrote) {
  auto gateway = Gateway::make(published_rules(2), make_keys(3));
  run_slots(*gateway, 0, 10);
  gateway->drain();
  EXPECT_EQ(read_all(sent_text(*gateway), make_keys(3)), "30");
}

TEST(ReportReader, AnythingChangedIsForged) {
  auto gateway = Gateway::make(with_periods(published_rules(2), 2), make_keys(3));
  run_slots(*gateway, 0, 2);
  gateway->drain();
  for (const auto& [id, report] : gateway->outbox()) {
    const std::string meter(gateway->meters().name(id));
    const auto text_of = [&](const Report& changed) {
      std::string text = std::string(kReportHeader).append("\n");
      ReportFormat{}.append(text, meter, changed);
      return text;
    };
    ASSERT_EQ(read_all(text_of(report), make_keys(3)), "1");
    Report number = report, arrival = report, stamp = report, value = report, mac = report;
    Report period = report, no_period = report, closes = report;
    ++number.number;
    ++arrival.arrival;  // decides whether a report is in time for an estimate
    ++stamp.stamp;
    ++value.value_steps;
    mac.mac[15] ^= 1;
    *period.period += 2;
    no_period.period.reset();
    closes.closes_after = closes.closes_after.value_or(0) + 1;
    std::vector<Report> changes = {number, arrival, stamp, mac, period, closes};
    if (!report.closes_after) {
      changes.push_back(value);
      changes.push_back(no_period);
    }
    for (const Report& changed : changes) {
      EXPECT_NE(read_all(text_of(changed), make_keys(3)).find("reports.csv:2:1: found a report that meter 'm"),
                std::string::npos);
      RowsAside aside;
      EXPECT_EQ(read_all(text_of(changed), make_keys(3), &aside), "0");
      EXPECT_EQ(aside.text().find("2,forged,"), 0) << aside.text();
    }
    std::string other = std::string(kReportHeader).append("\n");
    ReportFormat{}.append(other, meter == "m2" ? "m1" : "m2", report);
    EXPECT_NE(read_all(other, make_keys(3)).find("did not make"), std::string::npos) << "another meter's name";
  }
}

// Collected with another b, estimates would be wrong by the correction factor, and nobody would notice.
TEST(ReportReader, ReportsOfAnotherSchemeAreRefused) {
  auto gateway = Gateway::make(published_rules(2), make_keys(1));
  run_slots(*gateway, 0, 5);
  gateway->drain();
  const std::string text = sent_text(*gateway);
  MeterRules parts = published_rules(2);
  parts.parts = 2;
  MeterRules step = published_rules(2);
  step.format.unit_step = *UnitStep::parse("0.5");
  MeterRules delay{.scheme = *TemporalScheme::published(2, 1.0)};
  for (const MeterRules& other : {published_rules(1), lagged_rules(), parts, step, delay})
    EXPECT_NE(read_all(text, make_keys(1), nullptr, other).find("did not make"), std::string::npos);
  EXPECT_EQ(read_all(text, make_keys(1)), "5");
}

TEST(ReportReader, NamesWhatIsWrong) {
  const std::string mac(32, '0');
  const auto error = [&](const std::string& row) {
    return read_all(std::string(kReportHeader).append("\n").append(row).append("\n"), make_keys(1));
  };
  EXPECT_NE(
      error("1,stranger,0,,1,5,," + mac).find(":2:3: found meter 'stranger'; expected a meter of the collector's"),
      std::string::npos);
  EXPECT_NE(error("1,m0,0,1,5").find("found 5 fields; expected 8"), std::string::npos);
  EXPECT_NE(error("noon,m0,0,,1,5,," + mac).find(":2:1: found time"), std::string::npos);
  EXPECT_NE(error("1,m0,-1,,1,5,," + mac).find(":2:6: found no whole number"), std::string::npos);
  EXPECT_NE(error("1,m0,0,day,1,5,," + mac).find(":2:8: found time"), std::string::npos);
  EXPECT_NE(error("1,m0,0,,1,five,," + mac).find(":2:11: found"), std::string::npos);
  EXPECT_NE(error("1,m0,0,0,1,5,3," + mac).find("and no value"), std::string::npos);
  EXPECT_NE(error("1,m0,0,,1,,3," + mac).find("the end of a period"), std::string::npos);
  EXPECT_NE(error("1,m0,0,,1,5,,00").find("a MAC of 32 hexadecimal digits"), std::string::npos);
  EXPECT_NE(read_all("", make_keys(1)).find("an empty file"), std::string::npos);
  EXPECT_NE(read_all("time,meter\n", make_keys(1)).find("other columns"), std::string::npos);
  EXPECT_EQ(error("1,m0,0,,1,4711.5,," + std::string(31, '0').append("x")).find("4711"), std::string::npos)
      << "no reading in a message";
}

TEST(ReportReader, RowsThatCountForNobodyStopNobody) {
  auto gateway = Gateway::make(published_rules(2), make_keys(3));
  run_slots(*gateway, 0, 4);
  gateway->drain();
  std::string text = sent_text(*gateway);
  text += "what is this, then\n";
  text += "1,stranger,0,,1,5,," + std::string(32, '0') + "\n";
  RowsAside aside;
  EXPECT_EQ(read_all(text, make_keys(3), &aside), "12");
  EXPECT_EQ(aside.count(), 2);
  EXPECT_EQ(aside.text(),
            "14,malformed,what is this, then\n15,unknown meter,1,stranger,0,,1,5,," + std::string(32, '0') + "\n");
}

TEST(Keys, TravelInTwoFiles) {
  const MeterKeyFile made = make_keys(3);
  const auto meters = MeterKeyFile::read(Input::from_memory("meters.keys", made.text()));
  ASSERT_TRUE(meters) << meters.error().message;
  EXPECT_EQ(meters->text(), made.text());
  const auto collector = CollectorKeyFile::read(Input::from_memory("collector.keys", made.collector_text()));
  ASSERT_TRUE(collector) << collector.error().message;
  EXPECT_EQ(collector->keys.size(), 3);
  EXPECT_EQ(made.collector_text().find(made.keys[1].shift.hex()), std::string::npos);
}

TEST(Keys, ShiftKeysDoNotReachTheCollector) {
  const auto refused = CollectorKeyFile::read(Input::from_memory("k", make_keys(1).text()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cause, Cause::refused);
  const std::string key = make_keys(1).keys[0].report.hex();
  const auto same = MeterKeyFile::read(Input::from_memory(
      "k", std::string("meter,shift_key,report_key,first_number,after_slot\na,").append(key).append(",").append(key) +=
           ",0,-\n"));
  ASSERT_FALSE(same);
  EXPECT_EQ(same.error().cause, Cause::refused);
}

TEST(Keys, BadFilesAreNamed) {
  const auto error = [](const std::string& text) {
    const auto file = CollectorKeyFile::read(Input::from_memory("k", text));
    return file ? "" : file.error().message;
  };
  const std::string key(64, 'a');
  const std::string header = "meter,report_key,first_number\n";
  const auto row = [&](const std::string& number) { return "a," + key + "," + number + "\n"; };
  EXPECT_EQ(error(header + row("0") + row("5") + row("5")), "");
  EXPECT_NE(error(header + "a,short,0\n").find("k:2:3: found something else; expected a key"), std::string::npos);
  EXPECT_NE(error(header).find("no rows"), std::string::npos);
  EXPECT_NE(error("meter\n").find("other columns"), std::string::npos);
  EXPECT_NE(error(header + "a\n").find("1 field"), std::string::npos);
  for (const std::string& wrong : {row("-1"), row(""), row("9223372036854775808"), row("5") + row("4")})
    EXPECT_NE(error(header + wrong).find(":68: found something else; expected the number of the first report"),
              std::string::npos)
        << error(header + wrong);
}

TEST(Keys, AreReplacedAndRemovedInBothFiles) {
  MeterKeyFile file = make_keys(2);
  const std::string first = file.keys[0].report.hex();
  const std::string second = file.keys[1].report.hex();
  ASSERT_TRUE(file.rotate("m0", {7, 12}, {}));
  ASSERT_TRUE(file.remove("m1", {9, {}}, {}));
  EXPECT_FALSE(file.rotate("m7", {}, {"--rotate", 0, 0}));
  EXPECT_FALSE(file.remove("m7", {}, {"--remove", 0, 0}));
  const auto read = MeterKeyFile::read(Input::from_memory("keys", file.text()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->text(), file.text());
  EXPECT_EQ(read->keys[0].former.size(), 1);
  EXPECT_FALSE(read->keys[0].removed);
  EXPECT_EQ(read->keys[0].since, (MeterProgress{7, 12}));
  EXPECT_TRUE(read->keys[1].removed);
  EXPECT_EQ(read->keys[1].since, (MeterProgress{9, {}}));
  const CollectorKeyFile collector = collector_keys(file);
  ASSERT_EQ(collector.keys[0].size(), 2);
  EXPECT_EQ(collector.keys[0][0].key.hex(), first);
  EXPECT_EQ(collector.keys[0][0].first_number, 0);
  EXPECT_EQ(collector.keys[0][1].first_number, 7);
  ASSERT_EQ(collector.keys[1].size(), 2) << "what a removed meter sent is still checked";
  EXPECT_EQ(collector.keys[1][0].key.hex(), second);
  EXPECT_EQ(collector.keys[1][1].first_number, 9) << "and what waits is sent with another key";
  TempDir directory;
  ASSERT_TRUE(file.create(directory / "keys", directory / "collector"));
  ASSERT_TRUE(file.rotate("m0", {8, 13}, {}));
  ASSERT_TRUE(file.replace(directory / "keys", directory / "collector"));
  EXPECT_EQ(read_file(directory / "keys"), file.text());
  EXPECT_EQ(read_file(directory / "collector"), file.collector_text());
  const auto error = [](const std::string& rows) {
    const auto bad =
        MeterKeyFile::read(Input::from_memory("k", "meter,shift_key,report_key,first_number,after_slot\n" + rows));
    return bad ? "" : bad.error().message;
  };
  EXPECT_NE(error("a,-,-,-,-\n").find("k:2:1: found no keys"), std::string::npos) << error("a,-,-,-,-\n");
  const std::string keys = "a," + std::string(64, 'a') + "," + std::string(64, 'b') + ",";
  EXPECT_EQ(error(keys + "0,-\n" + keys + "3,-7\n"), "");
  EXPECT_NE(error(keys + "3,-\n" + keys + "2,-\n").find("a meter's oldest key first"), std::string::npos);
  EXPECT_NE(error(keys + "0,noon\n").find("the last slot measured with the former key"), std::string::npos);
}

// Somebody stole a key. From the number on at which it was replaced it is good for nothing, although the meter has sent
// nothing with its new one yet; what the meter sent before still counts.
TEST(ReportReader, AKeyIsGoodForItsNumbersOnly) {
  const MeterRules rules = published_rules(2);
  const MeterKeyFile stolen = make_keys(2);
  for (const bool removed : {false, true}) {
    auto gateway = Gateway::make(rules, stolen);
    run_slots(*gateway, 0, 10);
    const std::string sent = sent_text(*gateway);
    const auto progress = Gateway::progress_in(Input::from_memory("s", gateway->state()), stolen);
    ASSERT_TRUE(progress) << progress.error().message;
    auto thief = Gateway::make(rules, stolen);
    ASSERT_TRUE(thief->restore(Input::from_memory("s", gateway->state())));
    thief->clear_outbox();
    thief->drain();
    std::string with_stolen_key = std::string(kReportHeader).append("\n");
    for (const auto& [meter, report] : thief->outbox())
      if (meter == 0) ReportFormat{}.append(with_stolen_key, "m0", report);
    ASSERT_NE(with_stolen_key.find(",m0,"), std::string::npos);

    MeterKeyFile keys = stolen;
    ASSERT_TRUE(removed ? keys.remove("m0", (*progress)[0], {}) : keys.rotate("m0", (*progress)[0], {}));
    RowsAside aside;
    EXPECT_EQ(read_all(with_stolen_key, keys, &aside), "0");
    EXPECT_EQ(aside.text().find("2,replaced key,"), 0) << aside.text();
    EXPECT_NE(read_all(with_stolen_key, keys).find("reports.csv:2:1: found a report made with a key that was replaced"),
              std::string::npos);
    EXPECT_EQ(read_all(sent, keys), read_all(sent, stolen)) << "what was sent before";
    EXPECT_NE(read_all(with_stolen_key, stolen), "0") << "the twin whose file does not say when the key was replaced";

    // What waited goes out with the new key.
    ASSERT_TRUE(gateway->adopt(keys, "keys"));
    gateway->clear_outbox();
    gateway->drain();
    EXPECT_EQ(read_all(sent_text(*gateway), keys), std::to_string(gateway->outbox().size()));
  }
}

TEST(KeyedHash, IsHmacSha256) {
  // RFC 4231, test case 1, whose key of 20 bytes is padded with zeros as HMAC does anyway.
  const auto key = SecretKey::parse(std::string(40, 'b').replace(0, 40, [] {
    std::string bytes;
    for (int i = 0; i < 20; ++i) bytes += "0b";
    return bytes;
  }()) + std::string(24, '0'));
  KeyedHash hash;
  const auto digest = hash(*key, "Hi There");
  EXPECT_EQ(to_hex(digest), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
}

TEST(ReportLog, GoesOnAfterAnUnfinishedRow) {
  TempDir directory;
  const std::string path = directory / "reports.csv";
  auto gateway = Gateway::make(published_rules(1), make_keys(2));
  run_slots(*gateway, 0, 5);
  ASSERT_TRUE(ReportLog::open(path)->send(*gateway));
  const std::string whole = read_file(path);
  EXPECT_EQ(whole, sent_text(*gateway));
  write_file(path, whole + "7,m1,3,");
  ASSERT_TRUE(ReportLog::open(path));
  EXPECT_EQ(read_file(path), whole);
  const auto open = ReportLog::open(path);
  const auto second = ReportLog::open(path);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another fugu meter"), std::string::npos);
  EXPECT_EQ(ReportLog::open(directory / "no/folder").error().cause, Cause::environment);
}

std::string readings_error(const std::string& text, MeterReadings::Options options = {}) {
  const MeterKeyFile file = make_keys(2);
  auto readings = MeterReadings::open(Input::from_memory("r.csv", text), file.meters, options);
  if (!readings) return readings.error().message;
  MeterReadings::Row row;
  while (true) {
    const auto more = readings->next(row);
    if (!more) return more.error().message;
    if (!*more) return "";
  }
}

TEST(MeterReadings, ReadsSlotsStampsAndMissingValues) {
  const MeterKeyFile file = make_keys(2);
  auto readings = MeterReadings::open(Input::from_memory("r.csv", "meter,time,value\nm1,4,2.5\nm0,4,\n"), file.meters,
                                      {.unit_step = *UnitStep::parse("0.5")});
  MeterReadings::Row row;
  ASSERT_TRUE(*readings->next(row));
  EXPECT_EQ(row.slot, 4);
  EXPECT_EQ(row.meter, 1);
  EXPECT_EQ(row.value_steps, 5);
  ASSERT_TRUE(*readings->next(row));
  EXPECT_FALSE(row.value_steps);
  EXPECT_FALSE(*readings->next(row));
  auto stamps = MeterReadings::open(Input::from_memory("r.csv", "time,meter,value\n2026-03-29T01:45:00+01:00,m0,1\n"),
                                    file.meters, {.slot_s = 900});
  ASSERT_TRUE(*stamps->next(row));
  EXPECT_EQ(stamps->format().time_text(row.slot - 1), "2026-03-29T01:30:00+01:00");
}

TEST(Keys, AreMadeForNamesThatCanBeReadBack) {
  MeterKeyFile file;
  ASSERT_TRUE(file.add("m0", {"--meter", 0, 0}));
  ASSERT_TRUE(file.add("Küche 1", {"--meter", 0, 0}));
  ASSERT_TRUE(file.add("m0", {"--meter", 0, 0})) << "has keys already";
  for (const char* name : {"a,b", "a\"b", "a\nb", ""}) {
    const auto refused = file.add(name, {"--meter", 0, 0});
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().message.find("--meter: found "), 0) << refused.error().message;
  }
  EXPECT_EQ(MeterKeyFile::read(Input::from_memory("keys", file.text()))->text(), file.text());
  EXPECT_EQ(file.keys.size(), 2);
}

TEST(Keys, AreMadeOnceAndForTheirOwner) {
  TempDir directory;
  const MeterKeyFile keys = make_keys(2);
  ASSERT_TRUE(keys.create(directory / "keys", directory / "collector"));
  for (const char* name : {"keys", "collector"})
    EXPECT_EQ(std::filesystem::status(directory / name).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(MeterKeyFile::read(*Input::open(directory / "keys"))->text(), keys.text());
  EXPECT_EQ(CollectorKeyFile::read(*Input::open(directory / "collector"))->keys.size(), 2);
  EXPECT_EQ(make_keys(3).create(directory / "keys", directory / "other").error().cause, Cause::usage);
  EXPECT_EQ(MeterKeyFile::read(*Input::open(directory / "keys"))->text(), keys.text());
  EXPECT_EQ(keys.create(directory / "no/such/folder", "").error().cause, Cause::environment);
}

TEST(MeterReadings, NamesWhatIsWrong) {
  EXPECT_EQ(readings_error("time,meter,value\n1,m0,3\n"), "");
  EXPECT_NE(readings_error("time,meter\n").find("a header `time,meter,value`"), std::string::npos);
  EXPECT_NE(readings_error("time,meter,value\n2,m0,3\n1,m0,3\n").find("r.csv:3:1"), std::string::npos);
  EXPECT_NE(readings_error("time,meter,value\n2,other,3\n").find("meter 'other'"), std::string::npos);
  EXPECT_NE(readings_error("time,meter,value\n2,m0,x\n").find("r.csv:2:6"), std::string::npos);
  EXPECT_NE(readings_error("time,meter,value\n2026-03-29T01:45:00Z,m0,1\n").find("state the slot length"),
            std::string::npos);
  EXPECT_NE(readings_error("time,meter,value\n2,m0,3\n2,m1,3\n2,m0,3\n")
                .find("r.csv:4:1: found a second value of meter 'm0' for this slot"),
            std::string::npos);
  EXPECT_EQ(readings_error("time,meter,value\n2,m0,\n2,m0,3\n3,m0,3\n"), "") << "one value";
  EXPECT_NE(readings_error("time,meter,value\nnoon,m0,1\n").find("a slot number such as 0, 1, 2, or a time"),
            std::string::npos);
}

}  // namespace
}  // namespace fugu::test
