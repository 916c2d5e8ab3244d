// Any bytes as reports, as keys, as a calendar, as the state of a gateway and as the memory of a collector: no crash;
// what is accepted is written as it was read.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fugu/meter/collector.hpp"
#include "fugu/meter/gateway.hpp"

using namespace fugu;

namespace {

MeterKeyFile keys() {
  MeterKeyFile file;
  file.meters.intern("m0");
  file.keys.push_back({*SecretKey::parse(std::string(64, '0')), *SecretKey::parse(std::string(64, '1'))});
  return file;
}

void read_reports(const std::string& text, const MeterKeyFile& file) {
  const auto keys = CollectorKeyFile::read(Input::from_memory("collector.keys", file.collector_text()));
  RowsAside aside;
  auto reader = ReportReader::open(Input::from_memory("reports.csv", text), *keys,
                                   {.scheme = *TemporalScheme::published(1), .aside = &aside});
  if (!reader) return;
  auto collector = Collector::make(*TemporalScheme::published(1), 1, {.first_slot = 0, .slots = 10});
  ReportReader::Row row;
  while (true) {
    const auto more = reader->next(row);
    if (!more || !*more) return;
    collector->take(row.meter, row.report);
  }
}

void read_memory(const std::string& text) {
  LineReader lines(Input::from_memory("memory", text));
  ReportBook book;
  NameTable names;
  if (!book.read(lines, names)) return;
  const std::string written = book.text(names);
  LineReader again(Input::from_memory("memory", written));
  ReportBook same;
  NameTable same_names;
  FUGU_CHECK(same.read(again, same_names) && same.text(same_names) == written);
}

void read_keys(const std::string& text) {
  const auto file = MeterKeyFile::read(Input::from_memory("keys", text));
  if (!file) return;
  const auto same = MeterKeyFile::read(Input::from_memory("keys", file->text()));
  FUGU_CHECK(same && same->text() == file->text());
}

void parse_rows(const std::string& text) {
  LineReader lines(Input::from_memory("reports.csv", text));
  while (true) {
    const auto line = lines.next();
    if (!line || !*line) return;
    const auto row = parse_report(**line, lines.at(1), {});
    if (!row) continue;
    std::string again;
    ReportFormat{}.append(again, row->meter, row->report);
    const auto same = parse_report(std::string_view(again).substr(0, again.size() - 1), {}, {});
    FUGU_CHECK(same && same->report == row->report);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const MeterKeyFile file = keys();
  read_reports(text, file);
  parse_rows(text);
  read_memory(text);
  read_keys(text);
  static_cast<void>(Periods::read(Input::from_memory("calendar", text), {}).has_value());
  auto gateway = Gateway::make({.scheme = *TemporalScheme::published(1)}, file);
  static_cast<void>(gateway->restore(Input::from_memory("state", text)).has_value());
  return 0;
}
