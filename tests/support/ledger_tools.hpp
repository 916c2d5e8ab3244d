// Ledgers in tests: writing any records with valid checksums, and reading all of them back.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "fugu/accounting/ledger.hpp"
#include "support/builders.hpp"

namespace fugu::test {

inline LedgerHeader header_of(const Definition& definition, const Exposure& exposure) {
  LedgerHeader header{definition, exposure, {}, {{"mechanism", "test"}}, "0.0"};
  for (std::size_t i = 0; i < exposure.series_count(); ++i) header.series.emplace_back(1, static_cast<char>('a' + i));
  return header;
}

/// Writes `frames` after `header`, each frame committed on its own. A frame must end outside a slot.
inline void write_ledger(const std::string& path, const LedgerHeader& header,
                         const std::vector<std::vector<LedgerRecord>>& frames) {
  auto writer = LedgerWriter::create(path, header);
  ASSERT_TRUE(writer) << reason(writer);
  for (const auto& frame : frames) {
    for (const LedgerRecord& record : frame) writer->append(record);
    const auto done = writer->commit();
    ASSERT_TRUE(done) << reason(done);
  }
}

/// What a reader makes of a file.
struct ReadLedger {
  bool opened = false;
  bool damaged = false;  ///< next() gave an error
  bool torn = false;
  std::vector<LedgerRecord> records;
};

inline ReadLedger read_ledger(const std::string& path) {
  ReadLedger result;
  auto reader = LedgerReader::open(path);
  if (!reader) return result;
  result.opened = true;
  for (;;) {
    auto record = reader->next();
    if (!record) {
      result.damaged = true;
      return result;
    }
    if (!*record) break;
    result.records.push_back(**record);
  }
  result.torn = reader->torn();
  return result;
}

template <class Record>
std::vector<Record> only(const std::vector<LedgerRecord>& records) {
  std::vector<Record> found;
  for (const LedgerRecord& record : records) {
    if (const auto* wanted = std::get_if<Record>(&record)) found.push_back(*wanted);
  }
  return found;
}

inline bool same(const Answer& a, const Answer& b) {
  const auto identical = [](Rational x, Rational y) { return x.num == y.num && x.den == y.den; };
  return a.statistic == b.statistic && a.noise == b.noise && a.first_slot == b.first_slot && a.slot == b.slot &&
         a.session == b.session && a.series == b.series && a.values == b.values &&
         std::equal(a.parameter.begin(), a.parameter.end(), b.parameter.begin(), b.parameter.end(), identical);
}

inline bool same(const LedgerRecord& a, const LedgerRecord& b) {
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<Answer>(&a)) return same(*x, std::get<Answer>(b));
  if (const auto* x = std::get_if<MissingSeries>(&a)) {
    const auto& y = std::get<MissingSeries>(b);
    return x->slot == y.slot && x->series == y.series;
  }
  if (const auto* x = std::get_if<Estimates>(&a)) return *x == std::get<Estimates>(b);
  if (const auto* x = std::get_if<SlotEnd>(&a)) {
    const auto& y = std::get<SlotEnd>(b);
    return x->slot == y.slot && x->utc_offset_s == y.utc_offset_s && x->loss_rate == y.loss_rate;
  }
  if (const auto* x = std::get_if<Failed>(&a)) return x->slot == std::get<Failed>(b).slot;
  if (const auto* x = std::get_if<Resumed>(&a)) return x->slot == std::get<Resumed>(b).slot;
  if (const auto* x = std::get_if<LeftOut>(&a)) {
    const auto& y = std::get<LeftOut>(b);
    return x->slot == y.slot && x->next_slot == y.next_slot;
  }
  if (const auto* x = std::get_if<SignedHead>(&a)) return x->signature == std::get<SignedHead>(b).signature;
  if (const auto* x = std::get_if<Delivered>(&a)) return x->slot == std::get<Delivered>(b).slot;
  if (const auto* x = std::get_if<PolicyStated>(&a)) {
    const auto& y = std::get<PolicyStated>(b);
    return x->slot == y.slot && x->meter == y.meter && x->signatures == y.signatures && x->policy == y.policy;
  }
  if (const auto* x = std::get_if<UnitPlaced>(&a)) return *x == std::get<UnitPlaced>(b);
  if (const auto* x = std::get_if<VersionUsed>(&a)) return *x == std::get<VersionUsed>(b);
  if (const auto* x = std::get_if<PolicyWithdrawn>(&a)) {
    const auto& y = std::get<PolicyWithdrawn>(b);
    return x->slot == y.slot && x->meter == y.meter && x->policy == y.policy;
  }
  return true;
}

inline bool same(const std::vector<LedgerRecord>& a, const std::vector<LedgerRecord>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const LedgerRecord& x, const LedgerRecord& y) { return same(x, y); });
}

}  // namespace fugu::test
