// Save, then send, as the library does it: killed (-9) before, within and after every send, no number is used twice and
// nothing that was taken before the last save is lost.
#include "fugu/meter/durable_gateway.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>

#include "build.hpp"
#include "fugu/meter/report_log.hpp"
#include "support/process.hpp"

namespace fugu::test {
namespace {

constexpr std::size_t kMeters = 3;
constexpr Slot kSlots = 12;

enum class Killed { before_writing, after_writing };

/// Sends to a file, and kills its process at the n-th send.
class DeadlySink final : public ReportSink {
 public:
  DeadlySink(ReportLog log, int send, Killed when) : log_(std::move(log)), left_(send), when_(when) {}
  bool had_reports() const override { return log_.had_reports(); }
  const std::string& name() const override { return log_.name(); }
  Result<void> send(const Gateway& gateway) override {
    const bool last = --left_ == 0;
    if (last && when_ == Killed::before_writing) ::kill(::getpid(), SIGKILL);
    FUGU_TRY(log_.send(gateway));
    if (last) ::kill(::getpid(), SIGKILL);
    return {};
  }

 private:
  ReportLog log_;
  int left_;
  Killed when_;
};

/// The broken twin: sends, then saves.
Result<void> send_then_save(Gateway& gateway, ReportSink& sink, const std::string& state) {
  FUGU_TRY(sink.send(gateway));
  gateway.clear_outbox();
  return gateway.save(state);
}

/// What one run takes: slots from `first` on, live, noted before they are taken; sends after each slot.
Result<void> run(const TempDir& directory, Slot first, int deadly_send, Killed when, bool broken) {
  const std::string state = directory / "gateway.state";
  FUGU_ASSIGN(StateLock lock, StateLock::take(state));
  FUGU_ASSIGN(SigningTurn turn, SigningTurn::wait(state));
  FUGU_ASSIGN(ReportLog log, ReportLog::open(directory / "reports.csv"));
  FUGU_ASSIGN(Gateway fresh, Gateway::make(published_rules(1), make_keys(kMeters)));
  auto sink = std::make_unique<DeadlySink>(std::move(log), deadly_send, when);
  if (broken) {
    if (::access(state.c_str(), F_OK) == 0) FUGU_TRY(fresh.load(state));
    for (Slot slot = first; slot < kSlots; ++slot) {
      write_file(directory / "slot", std::to_string(slot));
      run_slots(fresh, slot, slot + 1);
      FUGU_TRY(send_then_save(fresh, *sink, state));
    }
    fresh.drain();
    return send_then_save(fresh, *sink, state);
  }
  FUGU_ASSIGN(DurableGateway gateway,
              DurableGateway::open(std::move(fresh), std::move(lock), std::move(turn), std::move(sink)));
  for (Slot slot = first; slot < kSlots; ++slot) {
    write_file(directory / "slot", std::to_string(slot));
    for (NameTable::Id meter = 0; meter < kMeters; ++meter)
      FUGU_TRY(gateway.take({slot, meter, load_steps(meter, slot)}));
    FUGU_TRY(gateway.send());
  }
  return gateway.finish(true);
}

/// Runs, is killed, goes on with the slots after it: a live meter does not measure again. True when each number was
/// given to one report, and all readings arrived.
bool survives(Killed when, int deadly_send, bool broken) {
  const TempDir directory;
  Slot next = 0;
  for (const int send : {deadly_send, -1}) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(run(directory, next, send, when, broken) ? 0 : 1);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    const bool was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    const bool was_done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    EXPECT_TRUE(send > 0 ? was_killed : was_done) << "send " << send << " of " << deadly_send;
    next = std::stol(read_file(directory / "slot")) + 1;
  }
  const MeterKeyFile keys = make_keys(kMeters);
  const CollectorKeyFile checking = collector_keys(keys);
  std::map<std::pair<NameTable::Id, std::uint64_t>, Report> reports;
  auto reader =
      ReportReader::open(*Input::open(directory / "reports.csv"), checking, {.scheme = published_rules(1).scheme});
  EXPECT_TRUE(reader);
  ReportReader::Row row;
  bool once = true;
  while (*reader->next(row)) {
    const auto [known, is_new] = reports.try_emplace({row.meter, row.report.number}, row.report);
    once = once && (is_new || known->second == row.report);
  }
  std::map<NameTable::Id, std::int64_t> left;
  for (const auto& [key, report] : reports) left[key.first] -= report.value_steps;
  for (NameTable::Id meter = 0; meter < kMeters; ++meter)
    for (Slot slot = 0; slot < kSlots; ++slot) left[meter] += load_steps(meter, slot);
  return once && std::ranges::all_of(left, [](const auto& entry) { return entry.second == 0; });
}

TEST(DurableGateway, KilledAtAnySendLosesNothingAndUsesNoNumberTwice) {
  for (int send = 2; send <= kSlots + 1; ++send) {  // the first send is before the first reading
    EXPECT_TRUE(survives(Killed::before_writing, send, false)) << send;
    EXPECT_TRUE(survives(Killed::after_writing, send, false)) << send;
  }
}

TEST(DurableGateway, TheTwinThatSendsBeforeItSavesDoesNot) {
  int caught = 0;
  for (int send = 2; send < 12; ++send) caught += survives(Killed::after_writing, send, true) ? 0 : 1;
  EXPECT_GE(caught, 5) << "or the test above sees nothing";
}

TEST(DurableGateway, DoesNotGoOnWithoutItsState) {
  const TempDir directory;
  ASSERT_TRUE(run(directory, 0, -1, Killed::before_writing, false));
  std::filesystem::remove(directory / "gateway.state");
  const auto refused = run(directory, 0, -1, Killed::before_writing, false);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("reports, and no state"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace fugu::test
