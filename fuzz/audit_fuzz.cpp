// Any bytes as the records of a ledger, in any order and with any numbers, audited under several promises, and what is
// left of the bytes as the releases that it is compared with. The audit must come to a report. When that says that a
// promise about windows holds, adding up the slow way must agree.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "fugu/accounting/audit.hpp"
#include "fugu/accounting/ledger.hpp"
#include "fugu/accounting/zcdp.hpp"
#include "fugu/base/check.hpp"
#include "support/reference_loss.hpp"

using namespace fugu;

namespace {

constexpr std::size_t kRecordsMax = 64;

class Bytes {
 public:
  explicit Bytes(std::string_view rest) : rest_(rest) {}

  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto next = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return next;
  }
  std::uint64_t below(std::uint64_t bound) { return byte() % bound; }
  /// Mostly small; up to 2^62.
  std::uint64_t number() {
    const std::uint8_t first = byte();
    return first < 224 ? first % 32 : (std::uint64_t{1} << (2 * (first - 224))) + byte();
  }

 private:
  std::string_view rest_;
};

/// The open slot for most bytes, any other for some.
Slot some_slot(Bytes& bytes, Slot open) {
  const std::uint64_t choice = bytes.below(8);
  return choice < 6 ? open : choice == 6 ? open + 1 : static_cast<Slot>(bytes.number());
}

Answer some_answer(Bytes& bytes, Slot open) {
  Answer answer;
  answer.statistic = static_cast<Statistic>(bytes.below(4));
  answer.noise = static_cast<NoiseKind>(bytes.below(3));
  answer.session = bytes.below(3) == 0 ? bytes.number() : 0;
  answer.slot = answer.first_slot = some_slot(bytes, open);
  if (bytes.below(3) == 0) answer.first_slot -= std::min(answer.slot, static_cast<Slot>(bytes.number()));
  for (std::uint64_t i = 0; i <= bytes.below(2); ++i) {
    const std::uint64_t choice = bytes.below(16);
    answer.series.push_back(static_cast<SeriesId>(choice < 15 ? choice % 2 : bytes.number()));
  }
  const bool exact = answer.noise == NoiseKind::none;
  for (int i = 0; i < (answer.is_comparison() ? 2 : 1); ++i)
    answer.parameter.push_back({exact ? 0 : bytes.number() * 8 + 1, bytes.number() + 1});
  const bool per_series = answer.statistic == Statistic::value && !answer.is_comparison();
  for (std::size_t i = 0; i < (per_series ? answer.series.size() : 1); ++i)
    answer.values.push_back(static_cast<std::int64_t>(bytes.number()) * (bytes.below(2) == 0 ? 1 : -1));
  return answer;
}

Policy some_policy(Bytes& bytes) {
  Policy policy;
  const auto first = static_cast<Slot>(bytes.number()) % kPolicySlotMax;
  policy.interval = {first, first + static_cast<Slot>(bytes.number()) % kPolicySlotMax};
  policy.length_slots = 1 + bytes.number() % policy.interval.slots();
  policy.magnitude_steps = 1 + bytes.number() % kMagnitudeStepsMax;
  policy.epsilon = Budget::from_units(bytes.number());
  return policy;
}

/// Keeps to the open slot by itself; `open` follows what is closed.
LedgerRecord some_record(Bytes& bytes, Slot& open) {
  switch (bytes.below(14)) {
    case 0: return MissingSeries{some_slot(bytes, open), {static_cast<SeriesId>(bytes.number())}};
    case 1:
      return Estimates{some_slot(bytes, open),
                       {{static_cast<SeriesId>(bytes.below(16) < 15 ? 0 : bytes.number()),
                         static_cast<std::int64_t>(bytes.number()), bytes.below(2) == 1}}};
    case 2: return Failed{some_slot(bytes, open)};
    case 3: return Resumed{some_slot(bytes, open)};
    case 4: return Delivered{some_slot(bytes, open)};
    case 5: return PolicyStated{some_slot(bytes, open), "m", {}, some_policy(bytes)};
    case 6: return PolicyWithdrawn{some_slot(bytes, open), "m", some_policy(bytes)};
    case 7:
    case 8:
    case 9: return some_answer(bytes, open);
    case 12: {
      const Slot slot = some_slot(bytes, open);
      const auto signature = static_cast<std::uint32_t>(bytes.below(8) < 7 ? bytes.below(2) : bytes.number());
      return UnitPlaced{slot, bytes.below(2) == 0 ? "m" : "n", signature};
    }
    case 13: return VersionUsed{some_slot(bytes, open), sha256({std::to_string(bytes.below(4))})};
    default: {
      const SlotEnd end{some_slot(bytes, open), 0, 0};
      if (end.slot == open) ++open;
      return end;
    }
  }
}

void check_against_reference(const LedgerHeader& header, const std::string& path, const AuditReport& report) {
  const Definition& definition = header.definition;
  if (!report.holds() || definition.protects() == Protects::swellfish || definition.discount()) return;
  test::ReferenceLoss reference(definition, header.exposure);
  auto reader = LedgerReader::open(path);
  for (;;) {
    const auto record = reader->next();
    if (!record || !*record) break;
    if (const auto* answer = std::get_if<Answer>(&**record)) reference.add(*answer);
  }
  const auto worst = static_cast<double>(reference.worst().exact);
  const double promised = definition.delta().value() == 0
                              ? definition.epsilon().value()
                              : zcdp_rho(definition.epsilon(), definition.delta()).to_double();
  FUGU_CHECK(worst <= promised * (1 + 1e-6));
}

/// The total rates are filled in: a fuzzer does not guess doubles.
void append_with_rate(LedgerWriter& writer, LedgerRecord record, double& rate) {
  if (const auto* answer = std::get_if<Answer>(&record)) {
    for (std::size_t i = 0; i < answer->series.size(); ++i) {
      const double gain = answer->statistic == Statistic::deviation ? 2 : 1;
      rate += answer->is_comparison()
                  ? gain / answer->parameter[0].to_double() + 2 * gain / answer->parameter[1].to_double()
                  : gain / answer->parameter_of(i).to_double();
    }
  }
  if (auto* end = std::get_if<SlotEnd>(&record)) {
    end->loss_rate = rate;
    rate = 0;
  }
  writer.append(record);
}

void audit_under(std::string_view promise, std::string_view input, const std::string& path) {
  std::string text("version 0\n");
  text.append(promise).append("series 1 a\nseries 5 b\nsignature 0 1\nsignature 1\n");
  const auto header = LedgerHeader::from_text(text);
  FUGU_CHECK(header.has_value());
  Bytes bytes(input);
  std::filesystem::remove(path);
  {
    auto writer = LedgerWriter::create(path, *header);
    FUGU_CHECK(writer.has_value());
    Slot open = 0;
    double rate = 0;
    for (std::size_t i = 0; i < kRecordsMax && !bytes.empty(); ++i)
      append_with_rate(*writer, some_record(bytes, open), rate);
    writer->append(StreamEnd{});
    FUGU_CHECK(writer->commit().has_value());
  }
  auto report = audit_ledger(path);
  FUGU_CHECK(report.has_value());
  check_against_reference(*header, path, *report);

  ReleaseFormat format;
  format.series = header->series;
  format.filter = "truncate";
  format.interval = 0.9;
  std::string released = ReleaseRows::make(format)->header() + "\n";
  released += bytes.rest();
  FUGU_CHECK(audit_releases_against_ledger(Input::from_memory("fuzz", released), path, format, *report).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/dev/shm/fugu_audit_fuzz." + std::to_string(::getpid());
  static constexpr std::string_view kPromises[] = {"definition w-event\nepsilon 1\ndelta 0\nwindow 3\n",
                                                   "definition w-event\nepsilon 1\ndelta 0.001\nwindow 2\n",
                                                   "definition user\nepsilon 4\ndelta 0\nwindow 9\n",
                                                   "definition swellfish\ndelta 0\nidle exact\n",
                                                   "definition swellfish\ndelta 1e-06\nfloor w-event 1 3\n",
                                                   "definition discounted-exp\nepsilon 1\ndelta 0\ndiscount 0.5\n",
                                                   "definition discounted-hyp\nepsilon 1\ndelta 0\ndiscount 1\n"};
  if (size == 0) return 0;
  audit_under(kPromises[data[0] % std::size(kPromises)], {reinterpret_cast<const char*>(data) + 1, size - 1}, path);
  std::filesystem::remove(path);
  return 0;
}
