#include "fugu/mechanism/run.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "fugu/base/same_file.hpp"
#include "fugu/stream/location.hpp"

namespace fugu {

namespace {

bool exists(const std::string& path) {
  std::error_code unknown;  // then opening it says why
  return std::filesystem::exists(path, unknown);
}

/// A symbolic link has none of its own, and is refused when it is opened.
bool has_content(const std::string& path) {
  std::error_code not_a_file;
  if (std::filesystem::is_symlink(path, not_a_file)) return false;
  const std::uintmax_t bytes = std::filesystem::file_size(path, not_a_file);
  return !not_a_file && bytes > 0;
}

/// What of two headers is different: `NAME = … there and … here`, for each.
std::string differences(const LedgerHeader& there, const LedgerHeader& here) {
  std::string text;
  const auto compare = [&](const std::string& name, const std::string& before, const std::string& now) {
    if (before != now) text += (text.empty() ? "" : "; ") + name + " = " + before + " there and " + now + " here";
  };
  const auto value = [](const LedgerHeader& header, const std::string& name) {
    const auto found = header.facts.find(name);
    return found == header.facts.end() || found->second.empty() ? "nothing" : found->second;
  };
  compare("definition", there.definition.text(), here.definition.text());
  std::set<std::string> names;
  for (const LedgerHeader* header : {&there, &here})
    for (const auto& fact : header->facts) names.insert(fact.first);
  for (const std::string& name : names) compare(name, value(there, name), value(here, name));
  compare("number of series", std::to_string(there.series.size()), std::to_string(here.series.size()));
  const std::size_t so_far = text.size();  // of the series, the first that differs is enough
  for (SeriesId i = 0; i < std::min(there.series.size(), here.series.size()) && text.size() == so_far; ++i) {
    compare("series " + std::to_string(i + 1), shown_name(there.series[i]), shown_name(here.series[i]));
    compare("sensitivity", std::to_string(there.exposure.sensitivity_steps(i)) + " unit steps",
            std::to_string(here.exposure.sensitivity_steps(i)) + " unit steps");
  }
  if (there.exposure.over_time() != here.exposure.over_time())
    text += std::string(text.empty() ? "" : "; ") + "how sensitivities vary over time";
  return text.empty() ? "which series one meter counts into" : text;
}

/// The ledger lacks what its head file names. Says what is safe.
Error older_ledger(const std::string& ledger, const std::string& head, const EarlierRuns& earlier,
                   const Definition& definition) {
  const LedgerHead& missed = *earlier.missed;
  const auto last = std::max(static_cast<Slot>(missed.slots), earlier.next_slot) - 1;
  return {Cause::refused, ledger + ": older than " + head +
                              " says, or another ledger: it does not contain the head of " +
                              std::to_string(missed.frames) + " frames and " + std::to_string(missed.slots) +
                              " slots. Going on from slot " + std::to_string(earlier.next_slot) +
                              " would draw fresh noise for slots that were handed out. Put back the latest ledger. If "
                              "it is lost: " +
                              check_after_loss(definition, last, 0).error().message};
}

/// Reads a ledger to its end.
Result<EarlierRuns> read_earlier(const std::string& ledger, const std::optional<LedgerHead>& latest) {
  FUGU_ASSIGN(LedgerReader reader, LedgerReader::open(ledger));
  EarlierRuns earlier;
  FUGU_ASSIGN(earlier.clock, clock_of(reader.header()));
  earlier.series = reader.header().series;
  earlier.exposure = reader.header().exposure;
  earlier.utc_offset_s = earlier.clock.utc_offset_s;
  earlier.head_known = latest.has_value();
  earlier.missed = latest;
  const auto look_for_latest = [&] {
    if (earlier.missed && reader.head().seal == earlier.missed->seal) earlier.missed.reset();
  };
  look_for_latest();  // it may be that of the header
  for (;;) {
    FUGU_ASSIGN(const auto record, reader.next());
    look_for_latest();
    if (!record) break;
    if (const auto* delivered = std::get_if<Delivered>(&*record)) earlier.delivered = delivered->slot;
    if (const auto* left_out = std::get_if<LeftOut>(&*record)) earlier.left_out_before = left_out->next_slot;
    if (const auto* end = std::get_if<SlotEnd>(&*record)) {
      earlier.next_slot = end->slot + 1;
      earlier.utc_offset_s = end->utc_offset_s;
    }
  }
  earlier.head = reader.head();
  earlier.torn = reader.torn();
  return earlier;
}

}  // namespace

Result<Run> Run::open(RunFiles files) {
  ::prctl(PR_SET_DUMPABLE, 0);  // cannot fail with this argument
  Run run(std::move(files));
  if (run.files_.ledger.empty()) return run;
  FUGU_TRY(run.check_files_differ());
  if (exists(run.files_.ledger)) {
    FUGU_TRY(run.look_at_ledger());
  } else {
    FUGU_TRY(run.look_at_start());
  }
  return run;
}

std::string Run::usual_head_path() const { return path_written(files_.ledger) + ".head"; }

Result<void> Run::check_files_differ() const {
  const auto [ledger, releases, head] = std::tuple(files_.ledger, files_.releases, head_path());
  if (same_file(ledger, releases) || same_file(ledger, head) || same_file(releases, head))
    return Error{Cause::usage, "ledger, releases and head file must be three different files: found " + ledger + ", " +
                                   releases + " and " + head};
  return {};
}

Result<void> Run::look_at_start() const {
  const std::string& releases = files_.releases;
  if (releases != "-" && has_content(releases))
    return Error{Cause::refused, releases + ": holds releases, but the ledger " + files_.ledger +
                                     " that paid for them is not there: put it back. A new ledger would draw fresh "
                                     "noise for slots that were handed out. For another stream, name other files"};
  FUGU_ASSIGN(const auto head, HeadFile::read(head_path()));
  if (head && head->slots > 0)
    return Error{Cause::refused, head_path() + ": belongs to a ledger of " + std::to_string(head->slots) +
                                     " slots, but " + files_.ledger +
                                     " is not there: put it back. For another stream, name other files"};
  return {};
}

Result<void> Run::look_at_ledger() {
  FUGU_ASSIGN(LedgerWriter ledger, LedgerWriter::reopen(files_.ledger));
  FUGU_ASSIGN(const auto head, HeadFile::read(head_path()));
  if (!head && !files_.head.empty())
    return Error{Cause::usage, files_.head + ": there is no such file; it is made together with the ledger. Copy " +
                                   usual_head_path() + ", or the file named so far, to there"};
  FUGU_ASSIGN(earlier_, read_earlier(files_.ledger, head));
  ledger_.emplace(std::move(ledger));
  return {};
}

LedgerHeader Run::header(const Mechanism& mechanism, const RunIdentity& identity) const {
  const ReleaseFormat& format = identity.format;
  LedgerHeader header{mechanism.definition, mechanism.exposure, format.series, identity.facts, FUGU_VERSION};
  header.facts["clock"] = clock_to_text({format.clock, identity.utc_offset_s});
  header.facts["unit-step"] = format.unit_step.text(1);
  header.facts["noise"] = mechanism.noise == NoiseKind::gaussian ? "gaussian" : "laplace";
  header.facts["filter"] = format.filter;
  if (format.interval) header.facts["interval"] = interval_to_text(*format.interval);
  if (files_.key) header.facts["key"] = files_.key->public_key().text();
  return header;
}

Result<Publisher*> Run::begin(Mechanism mechanism, const RunIdentity& identity, std::optional<Slot> not_before) {
  if (not_before && !earlier_)
    return Error{Cause::usage,
                 "there is no ledger from which something could be lost: begin the stream with the slot "
                 "you want"};
  FUGU_TRY(check_mechanism(mechanism));
  ReleaseFormat format = identity.format;
  format.currency = mechanism.definition.delta().value() > 0 ? Currency::rho : Currency::epsilon;
  FUGU_ASSIGN(mechanism.published, PublishedSteps::make(format.filter, format.unit_step));
  LedgerHeader about = header(mechanism, identity);
  FUGU_ASSIGN(ReleaseFile releases, ReleaseFile::open(files_.releases));
  releases_ = std::make_unique<ReleaseFile>(std::move(releases));
  FUGU_ASSIGN(ReleaseWriter writer, ReleaseWriter::make(format, releases_->descriptor(), files_.releases));
  writer_ = std::make_unique<ReleaseWriter>(std::move(writer));
  if (earlier_) {
    // The same command once more, after the ledger has put it on record, asks for nothing.
    const bool on_record = !earlier_->missed && not_before == earlier_->left_out_before;
    FUGU_TRY(resume(std::move(mechanism), std::move(about), format, on_record ? std::nullopt : not_before));
  } else {
    FUGU_TRY(start(std::move(mechanism), about));
  }
  return publisher_.get();
}

Result<void> Run::start(Mechanism mechanism, const LedgerHeader& header) {
  FUGU_TRY(releases_->check_replaceable(ReleaseFile::By::publisher));
  writer_->prepare_header();
  auto noise = std::make_unique<SecureNoise>();
  if (files_.ledger.empty()) {
    FUGU_TRY(releases_->keep(0));
    publisher_ = std::make_unique<Publisher>(std::move(mechanism), std::move(noise), *writer_);
    return {};
  }
  // While this run waited for its first row, another one may have begun with the same ledger; then the output is its.
  FUGU_ASSIGN(LedgerWriter ledger, LedgerWriter::create(files_.ledger, header));
  FUGU_ASSIGN(HeadFile head, HeadFile::open(head_path(), ledger.head()));
  FUGU_TRY(head.write(ledger.head()));  // over that of a run that was killed before its first slot
  ledger.note_heads_in(std::move(head));
  if (files_.key) ledger.sign_heads_with(*files_.key);
  FUGU_TRY(releases_->keep(0));
  publisher_ = std::make_unique<Publisher>(std::move(mechanism), std::move(noise), *writer_, std::move(ledger));
  return {};
}

Result<void> Run::find_handed_out(const ReleaseFormat& format) {
  // What was handed out before, as far as can be known.
  ResumePoint point{.bytes = earlier_->delivered < 0 ? 0u : 1u, .last_slot = earlier_->delivered};
  if (releases_->is_file()) {
    FUGU_ASSIGN(point, find_resume_point(files_.releases, format));
    FUGU_TRY(writer_->expect_earlier(files_.releases));
  }
  if (point.bytes == 0) writer_->prepare_header();
  if (point.last_slot >= earlier_->next_slot)
    return Error{Cause::refused, files_.releases + ": holds releases of slots up to " +
                                     std::to_string(point.last_slot) + ", but the ledger ends before slot " +
                                     std::to_string(earlier_->next_slot) +
                                     ": it is not the one they were made with, or is older. If the latest ledger is "
                                     "lost, move this file away: what the ledger pays for is written again"};
  writer_->mute_until(point.last_slot);
  return releases_->keep(point.bytes);  // a row cut short by the kill goes
}

Result<void> Run::resume(Mechanism mechanism, LedgerHeader header, const ReleaseFormat& format,
                         std::optional<Slot> not_before) {
  FUGU_ASSIGN(LedgerReader reader, LedgerReader::open(files_.ledger));
  header.version = reader.header().version;
  if (header.to_text() != reader.header().to_text())
    return Error{Cause::usage, files_.ledger + ": written with other options: " + differences(reader.header(), header) +
                                   ". Resume with the same ones: a new ledger would spend the promise a second time"};
  if (earlier_->missed && !not_before) return older_ledger(files_.ledger, head_path(), *earlier_, mechanism.definition);
  const Slot missed = earlier_->missed ? static_cast<Slot>(earlier_->missed->slots) - 1 : -1;
  const Slot last_handed_out = std::max(missed, earlier_->next_slot - 1);
  if (not_before) FUGU_TRY(check_after_loss(mechanism.definition, last_handed_out, *not_before));
  FUGU_TRY(find_handed_out(format));
  FUGU_ASSIGN(HeadFile head, HeadFile::open(head_path(), reader.head()));
  FUGU_TRY(ledger_->sync());
  // The run before may have been killed before it noted the head of what is handed out now. After a loss the head file
  // goes on naming what was lost, until the ledger says which slots are left out for it.
  if (!earlier_->missed) FUGU_TRY(head.write(earlier_->head));
  ledger_->note_heads_in(std::move(head));
  if (files_.key) ledger_->sign_heads_with(*files_.key);
  FUGU_ASSIGN(Publisher publisher, Publisher::resume(std::move(mechanism), std::make_unique<SecureNoise>(), *writer_,
                                                     *std::move(ledger_), std::move(reader)));
  publisher_ = std::make_unique<Publisher>(std::move(publisher));
  if (!not_before) return {};
  FUGU_TRY(publisher_->leave_out_before(*not_before, last_handed_out));
  FUGU_ASSIGN(const HeadFile noted, HeadFile::open(head_path(), publisher_->head()));
  return noted.sync();  // a power cut must not bring back the head of what was lost
}

}  // namespace fugu
