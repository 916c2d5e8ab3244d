// Runs the real publisher in tests and keeps what it hands out.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fugu/accounting/audit.hpp"
#include "fugu/mechanism/publisher.hpp"
#include "support/ledger_tools.hpp"

namespace fugu::test {

/// A copy of one released slot.
struct Seen {
  Slot slot = 0;
  std::vector<ReleasedValue> values;
  std::vector<double> loss_rates;

  friend bool operator==(const Seen& a, const Seen& b) {
    const auto same_value = [](const ReleasedValue& x, const ReleasedValue& y) {
      const bool same_law = x.value.noise == y.value.noise && x.value.parameter == y.value.parameter;
      return x.known == y.known && x.sampled == y.sampled && x.estimated == y.estimated &&
             (!x.known || (x.value.steps == y.value.steps && same_law));
    };
    return a.slot == b.slot && a.loss_rates == b.loss_rates &&
           std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(), same_value);
  }
};

inline Seen seen(const Release& release) {
  return {release.slot(),
          {release.values().begin(), release.values().end()},
          {release.loss_rates().begin(), release.loss_rates().end()}};
}

/// Keeps releases, and tells those that were handed out from those only prepared.
class Collector : public ReleaseSink {
 public:
  void prepare(const Release& release) override { prepared.push_back(seen(release)); }
  Result<void> emit() override {
    emitted.insert(emitted.end(), prepared.begin(), prepared.end());
    prepared.clear();
    return {};
  }

  std::vector<Seen> prepared;
  std::vector<Seen> emitted;
};

/// A mechanism can run once, so tests name how to make one.
struct Recipe {
  Definition definition;
  Exposure exposure;
  std::function<std::unique_ptr<Strategy>()> strategy;
  NoiseKind noise = NoiseKind::laplace;

  Mechanism make() const { return {definition, exposure, noise, strategy()}; }
};

/// Publishes `rows` into a new ledger, flushing after each slot for which `flush` says so, and finishes.
inline std::vector<Seen> publish_all(const Recipe& recipe, const std::vector<SlotRow>& rows, const std::string& ledger,
                                     const std::function<bool(Slot)>& flush = {}) {
  Collector sink;
  auto writer = LedgerWriter::create(ledger, header_of(recipe.definition, recipe.exposure));
  EXPECT_TRUE(writer) << reason(writer);
  Publisher publisher(recipe.make(), std::make_unique<SecureNoise>(), sink, *std::move(writer));
  for (const SlotRow& row : rows) {
    const auto done = publisher.publish(row);
    EXPECT_TRUE(done) << "slot " << row.slot << ": " << reason(done);
    EXPECT_TRUE(!flush || !flush(row.slot) || publisher.flush());
  }
  EXPECT_TRUE(publisher.finish().has_value());
  return sink.emitted;
}

/// Releases as rows of a file whose unit step is 1.
inline std::vector<ReleaseRecord> as_rows(const std::vector<Seen>& releases, Currency currency = Currency::epsilon) {
  std::vector<ReleaseRecord> rows;
  for (const Seen& release : releases) {
    for (std::size_t i = 0; i < release.values.size(); ++i) {
      const ReleasedValue& value = release.values[i];
      ReleaseRecord& row = rows.emplace_back();
      row.slot = release.slot;
      row.series = static_cast<SeriesId>(i);
      row.known = value.known;
      row.value = value.known ? static_cast<double>(value.value.steps) : 0;
      const double p = value.value.parameter.to_double();
      row.scale = !value.known ? 0 : value.value.noise == NoiseKind::gaussian ? std::sqrt(p) : p;
      if (value.estimated) row.scale.reset();
      row.loss_rate = release.loss_rates[i];
      row.currency = currency;
      row.sampled = value.sampled;
    }
  }
  return rows;
}

/// How a run with this header and a unit step of 1 writes releases.
inline ReleaseFormat format_of(const LedgerHeader& header) {
  ReleaseFormat format;
  format.series = header.series;
  format.currency = header.definition.delta().value() > 0 ? Currency::rho : Currency::epsilon;
  if (header.facts.contains("filter")) format.filter = header.facts.at("filter");
  return format;
}

/// The file that rows without a filter come from, written without any code of the library.
inline std::string text_of(const std::vector<ReleaseRecord>& rows, const ReleaseFormat& format) {
  const auto number = [](double value) {
    char text[40];
    return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
  };
  std::string text = format.currency == Currency::rho ? "time,series,value,scale,loss_rate_rho,sampled\n"
                                                      : "time,series,value,scale,loss_rate,sampled\n";
  for (const ReleaseRecord& row : rows) {
    text += std::to_string(row.slot) + "," + format.series[row.series] + ",";
    if (row.known) text += std::to_string(static_cast<std::int64_t>(row.value));
    text += ",";
    if (row.known && row.scale) text += number(*row.scale);
    text += "," + number(row.loss_rate) + (row.sampled ? ",1\n" : ",0\n");
  }
  return text;
}

/// Compares a file's text with a ledger.
inline Result<void> compare_with_ledger(const std::string& text, const std::string& ledger, AuditReport& report) {
  FUGU_ASSIGN(const LedgerReader reader, LedgerReader::open(ledger));
  return audit_releases_against_ledger(Input::from_memory("released.csv", text), ledger, format_of(reader.header()),
                                       report);
}

inline Result<void> compare_with_ledger(const std::vector<ReleaseRecord>& rows, const std::string& ledger,
                                        AuditReport& report) {
  FUGU_ASSIGN(const LedgerReader reader, LedgerReader::open(ledger));
  return compare_with_ledger(text_of(rows, format_of(reader.header())), ledger, report);
}

inline ReleasedRows source_of(std::vector<ReleaseRecord> rows) {
  return [rows = std::move(rows), next = std::size_t{0}](ReleaseRecord& row) mutable -> Result<bool> {
    if (next == rows.size()) return false;
    row = rows[next++];
    return true;
  };
}

}  // namespace fugu::test
