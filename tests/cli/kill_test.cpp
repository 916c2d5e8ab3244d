// fugu publish --follow, killed (-9) at hundreds of points and resumed: no slot is released with fresh noise, none is
// lost, none is paid twice, and whatever can be seen at any moment is paid for in the ledger.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <random>
#include <thread>

#include "fugu/accounting/ledger.hpp"
#include "support/released.hpp"

namespace fugu::test {
namespace {

constexpr int kSlots = 48;
constexpr int kKills = 36;
constexpr int kSlotWithoutRow = 13;
constexpr int kSlotWithoutValue = 7;

struct Scenario {
  std::string name;
  std::string options;
  bool readings = false;
  bool stamps = false;
  bool to_stdout = false;
  std::uint64_t answers = 0;  // of one run
  std::string clamp = "--clamp 10";
};

void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }

/// Quarter hours around the change to summer time: slot 8 is 03:00 in summer time.
std::string stamp(int slot) {
  const int minutes = slot * 15 + (slot >= 8 ? 60 : 0);
  char text[40];
  std::snprintf(text, sizeof text, "2020-03-29T%02d:%02d:00+0%d:00", minutes / 60, minutes % 60, slot >= 8 ? 2 : 1);
  return text;
}

/// The rows of each slot, and the header before them.
struct Feed {
  std::string header;
  std::vector<std::string> rows;

  std::string from(int slot) const {
    std::string text = header;
    for (std::size_t i = static_cast<std::size_t>(slot); i < rows.size(); ++i) text += rows[i];
    return text;
  }
};

Feed make_feed(const Scenario& scenario) {
  Feed feed;
  feed.header = scenario.readings ? "time,meter,value\n" : "time,north,south\n";
  for (int slot = 0; slot < kSlots; ++slot) {
    const std::string time = scenario.stamps ? stamp(slot) : std::to_string(slot);
    std::string row;
    if (scenario.readings) {
      for (const char* meter : {"a", "b", "c"})
        row.append(time).append(",").append(meter).append(",").append(std::to_string(slot % 7)).append("\n");
    } else if (slot == kSlotWithoutValue) {
      row = time + ",," + std::to_string(2000 + slot) + "\n";
    } else if (slot != kSlotWithoutRow) {
      row = time + "," + std::to_string(1000 + slot) + "," + std::to_string(2000 + slot) + "\n";
    }
    feed.rows.push_back(std::move(row));
  }
  return feed;
}

/// What a consumer has ever seen of the releases, and that it never changes.
class Witness {
 public:
  explicit Witness(const Scenario& scenario) : scenario_(scenario) {}

  /// Takes in all whole lines of a releases file, or of what came through a pipe.
  void see(const std::string& text, bool is_file) {
    int last = -1;
    bool first = true;
    for (const std::string& line : lines_of(text, true)) {
      if (line.starts_with("time,")) {
        EXPECT_TRUE(first) << "a header among the rows";
        header_ = line;
        first = false;
        continue;
      }
      const int index = index_of(line);
      if (last < 0) {
        EXPECT_LE(index, contiguous()) << "a slot was lost: " << line;
        if (is_file) {
          EXPECT_EQ(index, 0) << line;
        }
      } else {
        EXPECT_EQ(index, last + 1) << "out of order: " << line;
      }
      first = false;
      last = index;
      const auto [known, is_new] = rows_.emplace(index, line);
      if (!is_new) {
        EXPECT_EQ(known->second, line) << "a release changed";
      }
    }
    const std::size_t end = text.rfind('\n');
    const std::string cut = text.substr(end == std::string::npos ? 0 : end + 1);
    if (!cut.empty() && last >= 0) unfinished_.emplace_back(last + 1, cut);
  }

  /// Whole slots seen, from the first on.
  int slots() const { return contiguous() / 2; }
  /// The seen whole slots as a releases file.
  std::string file() const {
    std::string text = header_ + "\n";
    for (int i = 0; i < slots() * 2; ++i) text += rows_.at(i) + "\n";
    return text;
  }
  bool has_header() const { return !header_.empty(); }
  /// At the end: everything is there, and rows that were once cut in the middle began like the whole ones.
  void expect_complete() const {
    EXPECT_EQ(slots(), kSlots);
    for (const auto& [index, cut] : unfinished_) {
      if (rows_.contains(index)) {
        EXPECT_TRUE(rows_.at(index).starts_with(cut)) << rows_.at(index) << " / " << cut;
      }
    }
  }

 private:
  // Two rows a slot: 2·slot + series.
  int index_of(const std::string& line) const {
    const std::vector<std::string> fields = fields_of(line);
    for (int slot = 0; slot < kSlots; ++slot) {
      // Readings are printed with one offset, so compare what names the slot there.
      std::string time = std::to_string(slot);
      if (scenario_.stamps) time = stamp(slot);
      if (scenario_.stamps && scenario_.readings) {
        char text[40];
        std::snprintf(text, sizeof text, "2020-03-29T%02d:%02d:00+01:00", slot / 4, slot % 4 * 15);
        time = text;
      }
      if (fields[0] == time && fields.size() >= 6) return 2 * slot + (fields[1] == "south" ? 1 : 0);
    }
    ADD_FAILURE() << "not a row of this stream: " << line;
    return 0;
  }
  int contiguous() const {
    int count = 0;
    for (const auto& [index, line] : rows_) {
      if (index != count) break;
      ++count;
    }
    return count;
  }

  const Scenario& scenario_;
  std::string header_;
  std::map<int, std::string> rows_;
  std::vector<std::pair<int, std::string>> unfinished_;
};

/// The intact bytes of a ledger.
std::string intact_part(const std::string& path) {
  auto reader = LedgerReader::open(path);
  EXPECT_TRUE(reader) << reader.error().message;
  if (!reader) return {};
  for (;;) {
    const auto record = reader->next();
    EXPECT_TRUE(record) << record.error().message;
    if (!record || !*record) break;
  }
  return read_file(path).substr(0, reader->intact_bytes());
}

class Kill : public testing::TestWithParam<Scenario> {
 protected:
  void SetUp() override {
    write_file(directory_ / "map.csv", "meter,series\na,north\nb,north\nb,south\nc,south\n");
    write_file(directory_ / "policies.csv",
               "meter,start,end,length,magnitude,epsilon,known\n"
               "a,4,15,3,2,1,0\nb,10,17,8,1,0.5,6\na,12,20,2,3,1,0\nc,30,41,4,2,2,9\nb,30,33,1,1,1,29\n");
    write_file(directory_ / "households.csv", "meter,household\na,home\nb,home\n");
    write_file(directory_ / "clamps.csv", "series,clamp\nnor*,0:12\nsouth,-2:6\n");
    write_file(directory_ / "profiles.jsonl",
               R"({"meter": "a", "start": 4, "end": 15, "profile": {"north": [2, 2], "south": [1, 0]}, "epsilon": 1})"
               "\n"
               R"({"meter": "c", "start": 10, "end": 30, "profile": {"south": [3]}, "epsilon": 0.5})"
               "\n");
    std::random_device device;
    seed_ = device();
    random_.seed(seed_);
  }

  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }

  /// From a microsecond to ten milliseconds, each order of magnitude alike.
  void doze() {
    const double exponent = std::uniform_real_distribution<double>(0, 4)(random_);
    std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(std::pow(10, exponent)));
  }

  std::string command() const {
    const Scenario& scenario = GetParam();
    return std::string("publish ") +
           (scenario.readings ? "--readings - --series-map map.csv " + scenario.clamp : "--stream - --sensitivity 3") +
           (scenario.stamps ? " --slot-length 15m" : "") + " --follow --ledger run.ledger --out " +
           (scenario.to_stdout ? "- " : "out.csv ") + scenario.options;
  }

  /// One life of the publisher, from its start to a kill or to the end of the stream.
  Finished live_once(bool to_the_end) {
    Process process(fugu_command(command()), {.directory = directory_.path()});
    const int from = below(2) == 0 ? 0 : witness_.slots();
    const bool everything = to_the_end || below(8) == 0;
    const std::string text = feed_.from(from);
    std::size_t bytes = text.size();
    if (!everything) {
      const int rows = witness_.slots() - from + below(6);
      bytes = feed_.header.size();
      for (int i = from; i < std::min(from + rows, kSlots); ++i)
        bytes += feed_.rows[static_cast<std::size_t>(i)].size();
      bytes = std::min(text.size(), bytes + static_cast<std::size_t>(below(12)));
    }
    std::string_view rest = std::string_view(text).substr(0, bytes);
    while (!rest.empty()) {
      const std::size_t chunk = below(3) == 0 ? 1 + static_cast<std::size_t>(below(20)) : rest.size();
      if (!process.feed(rest.substr(0, chunk))) break;
      rest.remove_prefix(std::min(chunk, rest.size()));
      if (below(4) == 0) doze();
    }
    if (everything) process.close_input();
    if (!to_the_end) {
      const int moment = below(3);
      if (moment == 0) {  // once it has read something: the time it needs to start hides the rest otherwise
        const std::string path = directory_ / "out.csv";
        const std::size_t before = GetParam().to_stdout ? 0 : read_file(path).size();
        process.wait_until([&] { return (GetParam().to_stdout ? process.out() : read_file(path)).size() > before; },
                           0.1);
      }
      if (moment == 1) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      doze();
      process.kill();
    }
    return process.wait();
  }

  /// What holds after every kill, checked on copies.
  void check(const Finished& finished) {
    const std::string ledger = directory_ / "run.ledger";
    const std::string seen = GetParam().to_stdout ? finished.out : read_file(directory_ / "out.csv");
    if (!std::filesystem::exists(ledger)) {
      EXPECT_EQ(seen, "") << "released without a ledger";
      return;
    }
    write_file(directory_ / "copy.ledger", read_file(ledger));
    witness_.see(seen, !GetParam().to_stdout);
    write_file(directory_ / "copy.csv", witness_.file());
    expect_audit_holds(
        directory_, std::string("--ledger copy.ledger --open") + (witness_.has_header() ? " --released copy.csv" : ""));
    const std::string intact = intact_part(directory_ / "copy.ledger");
    EXPECT_TRUE(intact.starts_with(spent_)) << "the ledger lost what was spent";
    spent_ = intact;
  }

  TempDir directory_;
  unsigned seed_ = 0;
  std::mt19937 random_;
  Feed feed_ = make_feed(GetParam());
  Witness witness_{GetParam()};
  std::string spent_;
};

TEST_P(Kill, ResumesWithTheSameValues) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  int killed = 0;
  for (int life = 0; life < kKills; ++life) {
    const Finished finished = live_once(false);
    killed += finished.signal == SIGKILL ? 1 : 0;
    EXPECT_TRUE(finished.signal == SIGKILL || finished.exit_code == 0) << finished;
    check(finished);
    if (HasFailure()) return;
  }
  const Finished finished = live_once(true);
  ASSERT_EQ(finished.exit_code, 0) << finished;
  check(finished);
  witness_.expect_complete();
  EXPECT_GT(killed, kKills / 3);
  RecordProperty("kills", killed);

  // One more run over the same stream finds everything done.
  const std::string out = read_file(directory_ / "out.csv");
  const Finished again = live_once(true);
  ASSERT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(read_file(directory_ / "out.csv"), out);
  check(again);

  write_file(directory_ / "all.csv", witness_.file());
  if (!GetParam().to_stdout) {
    EXPECT_EQ(out, witness_.file()) << "every slot once, in order";
  }
  const AuditVerdict verdict = expect_audit_holds(directory_, "--ledger run.ledger --released all.csv");
  EXPECT_EQ(verdict.slots, kSlots);
  EXPECT_EQ(verdict.answers, GetParam().answers) << "as many as in one run";
}

constexpr std::uint64_t kUniformStream = kSlots - 1;  // one slot has no row
constexpr std::uint64_t kEveryThird = kSlots / 3;
constexpr std::uint64_t kEveryEighth = kSlots / 8;
constexpr const char* kPromise = " --definition w-event --epsilon 1 --w 8";

std::vector<Scenario> scenarios() {
  const std::string promise = kPromise;
  const std::string uniform = promise + " --mechanism uniform";
  const std::string sample = promise + " --mechanism sample";
  const std::string hybrid = promise + " --mechanism hybrid --every 3";
  return {
      {.name = "uniform", .options = uniform, .answers = kUniformStream},
      {.name = "uniform_stdout", .options = uniform, .to_stdout = true, .answers = kUniformStream},
      {.name = "uniform_stamps_kalman",
       .options = uniform + " --filter kalman",
       .stamps = true,
       .answers = kUniformStream},
      {.name = "uniform_stdout_stamps",
       .options = uniform,
       .stamps = true,
       .to_stdout = true,
       .answers = kUniformStream},
      {.name = "uniform_gaussian_interval",
       .options = uniform + " --delta 1e-6 --interval 0.9 --unit-step 0.5",
       .answers = kUniformStream},
      {.name = "sample_kalman", .options = sample + " --filter kalman", .answers = kEveryEighth},
      {.name = "sample_stdout", .options = sample, .to_stdout = true, .answers = kEveryEighth},
      {.name = "hybrid_interval", .options = hybrid + " --interval 0.95", .answers = kEveryThird},
      {.name = "hybrid_stdout_truncate",
       .options = hybrid + " --interval 0.5 --filter truncate:0:3000",
       .to_stdout = true,
       .answers = kEveryThird},
      {.name = "readings_uniform", .options = uniform, .readings = true, .answers = kSlots},
      {.name = "readings_hybrid_stdout_kalman",
       .options = hybrid + " --filter kalman:4",
       .readings = true,
       .to_stdout = true,
       .answers = kEveryThird},
      {.name = "readings_sample_stamps",
       .options = sample + " --interval 0.95 --grace 0",
       .readings = true,
       .stamps = true,
       .answers = kEveryEighth},
      {.name = "narwhal_floor",
       .options = " --policies policies.csv --floor event:1 --mechanism narwhal",
       .answers = kUniformStream},
      {.name = "unicorn_ps_true_values",
       .options = " --policies policies.csv --exact-when-idle --mechanism unicorn-ps",
       .answers = kUniformStream},
      {.name = "readings_narwhal_stdout",
       .options = " --policies policies.csv --floor w-event:1:4 --mechanism narwhal",
       .readings = true,
       .to_stdout = true,
       .answers = kSlots},
      {.name = "two_registers_split",
       .options = uniform + " --households households.csv --split nor*=0.7,south=0.3",
       .readings = true,
       .answers = 2 * kSlots,  // one for each part
       .clamp = "--clamp-by-series clamps.csv"},
      {.name = "two_registers_narwhal",
       .options = " --households households.csv --policies profiles.jsonl --floor event:1 --mechanism narwhal",
       .readings = true,
       .answers = kSlots,
       .clamp = "--clamp-by-series clamps.csv"},
      {.name = "pegasus_estimates",
       .options = promise + " --mechanism pegasus --filter truncate:-100000:100000",
       .answers = kUniformStream + 2 * kUniformStream - 1},  // and one comparison for each series, where it has a value
      {.name = "pegasus_estimates_stdout",
       .options = promise + " --mechanism pegasus",
       .to_stdout = true,
       .answers = kUniformStream + 2 * kUniformStream - 1},
      {.name = "discounted_equal",
       .options = " --definition discounted-hyp --beta 1 --epsilon 1 --mechanism equal",
       .answers = kUniformStream},
      {.name = "discounted_planned_stdout",
       .options = " --definition discounted-exp --alpha 0.9 --epsilon 1 --mechanism planned --horizon 40",
       .to_stdout = true,
       .answers = kUniformStream},
      {.name = "user_level",
       .options = " --definition user --horizon 48 --epsilon 1 --mechanism uniform",
       .answers = kUniformStream},
  };
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Kill, testing::ValuesIn(scenarios()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace fugu::test
