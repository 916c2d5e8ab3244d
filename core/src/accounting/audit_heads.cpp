#include "fugu/accounting/audit_heads.hpp"

#include "fugu/accounting/ledger.hpp"

namespace fugu {

namespace {

class HeadAudit {
 public:
  HeadAudit(const HeadQuestions& questions, AuditReport& report) : questions_(questions), report_(report) {}

  Result<HeadReport> run(LedgerReader reader);

 private:
  void look_at_head(const LedgerHead& head) {
    if (questions_.head && head.seal == *questions_.head) heads_.kept = head;
    heads_.last = head;
  }
  void take(const LedgerRecord& record, const LedgerReader& reader);
  void check_signature(const SignedHead& record, const LedgerReader& reader);
  void end_frame();
  void conclude();

  /// The frame that is being read. A signature covers the frames before its own, so nothing else may be in that one but
  /// the mark of delivery, which pays for nothing.
  struct Frame {
    std::uint64_t number = 0;
    bool has_signature = false;
    bool verified = false;
    bool needs_signature = false;
  };

  const HeadQuestions& questions_;
  AuditReport& report_;
  HeadReport heads_;
  Frame frame_;
  std::uint64_t signed_frames_ = 0;
};

void HeadAudit::take(const LedgerRecord& record, const LedgerReader& reader) {
  if (reader.head().frames != frame_.number) {
    end_frame();
    frame_ = {.number = reader.head().frames};
  }
  if (const auto* signature = std::get_if<SignedHead>(&record)) {
    check_signature(*signature, reader);
  } else if (!std::holds_alternative<Delivered>(record)) {
    frame_.needs_signature = true;
  }
}

void HeadAudit::check_signature(const SignedHead& record, const LedgerReader& reader) {
  if (!questions_.key) return;
  frame_.has_signature = true;
  if (!questions_.key->verifies(reader.head_before().seal, record.signature)) {
    report_.add("the signature in frame " + std::to_string(reader.head().frames) +
                " is not one of this key for the frames before");
    return;
  }
  ++heads_.signatures;
  frame_.verified = true;
}

void HeadAudit::end_frame() {
  if (frame_.has_signature && frame_.needs_signature)
    report_.add("frame " + std::to_string(frame_.number) + " holds a signature and records that no signature covers");
  if (frame_.verified) signed_frames_ = frame_.needs_signature ? frame_.number - 1 : frame_.number;
}

void HeadAudit::conclude() {
  end_frame();
  if (questions_.head && !heads_.kept)
    report_.add(
        "the ledger does not contain the head that was kept: its history was rewritten, cut, or is another one");
  heads_.frames_not_signed = heads_.last.frames - signed_frames_;
  if (questions_.key && heads_.frames_not_signed > 0 && !questions_.open_ended)
    report_.add("the last " + std::to_string(heads_.frames_not_signed) + " of " + std::to_string(heads_.last.frames) +
                " frames are not signed");
}

Result<HeadReport> HeadAudit::run(LedgerReader reader) {
  const auto named = reader.header().facts.find("key");
  if (questions_.key && (named == reader.header().facts.end() || named->second != questions_.key->text()))
    report_.add("the ledger was not begun with this key");
  look_at_head(reader.head());
  for (;;) {
    const auto record = reader.next();
    look_at_head(reader.head());
    if (!record && record.error().cause != Cause::bad_input) return record.error();
    if (!record || !*record) break;
    take(**record, reader);
  }
  conclude();
  return heads_;
}

}  // namespace

Result<HeadReport> audit_heads(const std::string& ledger, const HeadQuestions& questions, AuditReport& report) {
  FUGU_ASSIGN(LedgerReader reader, LedgerReader::open(ledger));
  return HeadAudit(questions, report).run(std::move(reader));
}

}  // namespace fugu
