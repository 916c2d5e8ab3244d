#include "fugu/accounting/ledger.hpp"

#include "ledger_format.hpp"

namespace fugu {

namespace {

using namespace ledger_format;

/// The chain with one more frame.
LedgerHead next_head(const LedgerHead& head, const Digest& seal) { return {head.frames + 1, head.slots, seal}; }

/// Counts the slots that records close.
void count_slots(const LedgerRecord& record, std::uint64_t& slots) {
  if (const auto* end = std::get_if<SlotEnd>(&record)) slots = static_cast<std::uint64_t>(end->slot) + 1;
}

}  // namespace

struct LedgerReader::State {
  explicit State(std::unique_ptr<LedgerFrames> store) : frames(std::move(store)) {}

  /// Reads the next frame. False at the end, intact or torn.
  Result<bool> read_frame();

  std::unique_ptr<LedgerFrames> frames;
  LedgerFrame frame;
  std::optional<LedgerHeader> header;
  Decoder decoder;
  LedgerHead head;
  LedgerHead head_before;
  std::uint64_t intact_bytes = 0;
  bool torn = false;
};

Result<bool> LedgerReader::State::read_frame() {
  FUGU_ASSIGN(const bool more, frames->next(frame));
  if (!more) {
    torn = frames->torn();
    return false;
  }
  if (seal_of(frame.payload, head.seal) != frame.seal) {
    // The last frame may have its length on disk, and not yet all of its bytes.
    FUGU_ASSIGN(torn, frames->at_end());
    if (torn) return false;
    return damaged_at(frames->name(), intact_bytes);
  }
  head_before = head;
  head = next_head(head, frame.seal);
  intact_bytes = frames->position();
  return true;
}

LedgerReader::LedgerReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
LedgerReader::~LedgerReader() = default;
LedgerReader::LedgerReader(LedgerReader&&) noexcept = default;
LedgerReader& LedgerReader::operator=(LedgerReader&&) noexcept = default;

Result<LedgerReader> LedgerReader::open(const std::string& path) {
  FUGU_ASSIGN(auto frames, read_ledger_file(path));
  return open(std::move(frames));
}

Result<LedgerReader> LedgerReader::open(std::unique_ptr<LedgerFrames> frames) {
  auto state = std::make_unique<State>(std::move(frames));
  const std::string& name = state->frames->name();
  FUGU_ASSIGN(const bool has_header, state->read_frame());
  if (!has_header) return Error{Cause::bad_input, name + ": the ledger ends within its header"};
  auto header = LedgerHeader::from_text(state->frame.payload);
  if (!header) return Error{Cause::bad_input, name + ": " + header.error().message};
  state->header = *std::move(header);
  return LedgerReader(std::move(state));
}

const LedgerHeader& LedgerReader::header() const { return *state_->header; }
const LedgerHead& LedgerReader::head() const { return state_->head; }
const LedgerHead& LedgerReader::head_before() const { return state_->head_before; }
std::uint64_t LedgerReader::intact_bytes() const { return state_->intact_bytes; }
bool LedgerReader::torn() const { return state_->torn; }

Result<std::optional<LedgerRecord>> LedgerReader::next() {
  while (state_->decoder.at_end()) {
    FUGU_ASSIGN(const bool more, state_->read_frame());
    if (!more) return std::optional<LedgerRecord>();
    state_->decoder.start(state_->frame.payload);
  }
  std::optional<LedgerRecord> record = state_->decoder.next();
  if (!record)
    return Error{Cause::bad_input, state_->frames->name() + ": a record before byte " +
                                       std::to_string(state_->intact_bytes) +
                                       " cannot be read; it was written by another version or damaged"};
  count_slots(*record, state_->head.slots);
  return record;
}

struct LedgerWriter::State {
  explicit State(std::unique_ptr<LedgerStore> opened) : store(std::move(opened)) {}

  enum class Sync : std::uint8_t { now, later };
  Result<void> write_frame(std::string_view payload, Sync sync = Sync::now);

  std::unique_ptr<LedgerStore> store;
  LedgerHead head;     // of what was written
  LedgerHead durable;  // of what was synced
  std::uint64_t slots = 0;
  Encoder encoder;
  std::optional<HeadFile> head_file;
  std::optional<OperatorKey> key;
  bool failed = false;
};

Result<void> LedgerWriter::State::write_frame(std::string_view payload, Sync sync) {
  FUGU_CHECK(payload.size() <= kLargestFrameBytes);
  // After a failure nobody knows what is on disk: a second attempt could follow half a frame, or a sync that was
  // reported once and forgotten. Only a new run, which reads the file, may go on.
  if (failed) return Error{Cause::environment, store->name() + ": an earlier write failed; start again to resume"};
  failed = true;
  const Digest seal = seal_of(payload, head.seal);
  FUGU_TRY(store->append(seal, payload));
  if (sync == Sync::now) FUGU_TRY(store->sync());
  head = next_head(head, seal);
  head.slots = slots;
  if (sync == Sync::now) {
    durable = head;
    if (head_file) FUGU_TRY(head_file->write(durable));
  }
  failed = false;
  return {};
}

LedgerWriter::LedgerWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
LedgerWriter::~LedgerWriter() = default;
LedgerWriter::LedgerWriter(LedgerWriter&&) noexcept = default;
LedgerWriter& LedgerWriter::operator=(LedgerWriter&&) noexcept = default;

Result<LedgerWriter> LedgerWriter::create(const std::string& path, const LedgerHeader& header) {
  const std::string text = header.to_text();
  const Digest seal = seal_of(text, {});
  FUGU_ASSIGN(auto store, create_ledger_file(path, {seal, text}));
  auto state = std::make_unique<State>(std::move(store));
  state->head = state->durable = next_head({}, seal);
  return LedgerWriter(std::move(state));
}

Result<LedgerWriter> LedgerWriter::create(std::unique_ptr<LedgerStore> store, const LedgerHeader& header) {
  auto state = std::make_unique<State>(std::move(store));
  FUGU_TRY(state->write_frame(header.to_text()));
  return LedgerWriter(std::move(state));
}

Result<LedgerWriter> LedgerWriter::reopen(const std::string& path) {
  FUGU_ASSIGN(auto store, open_ledger_file(path));
  return reopen(std::move(store));
}

LedgerWriter LedgerWriter::reopen(std::unique_ptr<LedgerStore> store) {
  return LedgerWriter(std::make_unique<State>(std::move(store)));
}

Result<void> LedgerWriter::sync() { return state_->store->sync(); }

Result<void> LedgerWriter::continue_after(const LedgerReader& reader) {
  FUGU_TRY(state_->store->keep(reader.intact_bytes()));
  state_->head = state_->durable = reader.head();
  state_->slots = reader.head().slots;
  return {};
}

void LedgerWriter::note_heads_in(HeadFile file) { state_->head_file.emplace(std::move(file)); }
void LedgerWriter::sign_heads_with(OperatorKey key) { state_->key.emplace(std::move(key)); }

void LedgerWriter::append(const LedgerRecord& record) {
  state_->encoder.add(record);
  count_slots(record, state_->slots);
}
void LedgerWriter::append(const Answer& answer) { state_->encoder.add(answer); }
void LedgerWriter::append(const Estimates& estimates) { state_->encoder.add(estimates); }

void LedgerWriter::abandon_slot(Slot slot) {
  if (state_->encoder.has_open_answers()) {
    state_->encoder.add(LedgerRecord(Failed{slot}));
  } else {
    state_->encoder.discard_open_slot();
  }
}

std::size_t LedgerWriter::pending_bytes() const { return state_->encoder.bytes().size(); }

Result<void> LedgerWriter::commit() {
  FUGU_CHECK(!state_->encoder.within_slot());
  if (state_->encoder.bytes().empty()) return {};
  FUGU_TRY(state_->write_frame(state_->encoder.bytes()));
  state_->encoder.clear();
  return {};
}

Result<void> LedgerWriter::mark_delivered(Slot last_slot) {
  Encoder mark;
  if (state_->key) mark.add(LedgerRecord(SignedHead{state_->key->sign(state_->head.seal)}));
  mark.add(LedgerRecord(Delivered{last_slot}));
  return state_->write_frame(mark.bytes(), State::Sync::later);
}

Result<void> LedgerWriter::finish() {
  append(LedgerRecord(StreamEnd{}));
  FUGU_TRY(commit());
  if (!state_->key) return {};
  append(LedgerRecord(SignedHead{state_->key->sign(state_->head.seal)}));
  return commit();
}

const LedgerHead& LedgerWriter::head() const { return state_->durable; }

}  // namespace fugu
