#include "fugu/policy/policy_file.hpp"

#include <algorithm>
#include <optional>

#include "fugu/policy/policy_rows.hpp"
#include "fugu/stream/location.hpp"
#include "growing_file.hpp"

namespace fugu {

namespace {

/// Rows, each as often as it occurred.
struct RowCounts {
  PolicyBook stated;
  PolicyBook withdrawn;

  void add(const StatedPolicy& row) {
    PolicyBook& book = like(row);
    book.add(book.meter(row.meter), row.policy);
  }
  bool remove(const StatedPolicy& row) {
    PolicyBook& book = like(row);
    const auto meter = book.find(row.meter);
    return meter && book.remove(*meter, row.policy);
  }

 private:
  PolicyBook& like(const StatedPolicy& row) { return row.withdrawn ? withdrawn : stated; }
};

}  // namespace

class PolicyFile::Impl {
 public:
  explicit Impl(PolicyFileOptions options) : options_(std::move(options)), file_(options_.path) {}

  Result<void> open() {
    PolicyOptions reading = options_.reading;
    options_.reading.admission = {};
    FUGU_ASSIGN(Input input, first_input());
    FUGU_ASSIGN(PolicyRows rows, PolicyRows::read(std::move(input), options_.fresh ? reading : options_.reading));
    if (options_.fresh) FUGU_TRY(rows.check());
    began_empty_ = rows.empty();
    options_.reading.goes_on_in_json = rows.is_json();  // a file has one format, whatever is appended
    first_rows_.emplace(std::move(rows));
    advance_first();
    return {};
  }

  bool began_empty() const { return began_empty_; }

  Result<const PolicyEvent*> next(Slot slot, const PolicyBook& in_force) {
    for (;;) {
      FUGU_ASSIGN(const bool more, next_new_row(in_force));
      if (more && row_.known <= now_ && !row_.withdrawn) return hand_out(row_, false);
      if (more) {
        insert_later(row_);
        continue;
      }
      if (const PolicyEvent* event = next_known(slot)) return event;
      if (!options_.live || slot == kPolicySlotMax) return nullptr;
      now_ = slot;  // what comes now is about slots from here on
      FUGU_ASSIGN(const bool changed, look());
      if (!changed) return nullptr;
    }
  }

 private:
  void warn(const std::string& text) const {
    if (options_.warn) options_.warn(text);
  }

  Result<Input> first_input() {
    if (!options_.live) return Input::open(options_.path);
    FUGU_ASSIGN(std::string text, file_.read_whole());
    return Input::from_memory(options_.path, std::move(text));
  }

  void advance_first() {
    if (first_rows_ && !first_rows_->next(first_)) first_rows_.reset();
  }

  /// Of the rows that were there at first and of later ones that wait, the one that is known first and by `slot`.
  const PolicyEvent* next_known(Slot slot) {
    const bool any_waits = next_later_ < later_.size();
    const bool is_first = first_rows_ && (!any_waits || first_.known <= later_[next_later_].known);
    if (is_first && first_.known <= slot) {
      const PolicyEvent* event = hand_out(first_, options_.fresh);
      advance_first();
      return event;
    }
    if (is_first || !any_waits || later_[next_later_].known > slot) return nullptr;
    return hand_out(later_[next_later_++], false);
  }

  /// Starts to read what is new in the file. False when there is nothing.
  Result<bool> look() {
    FUGU_ASSIGN(GrowingFile::News news, file_.look());
    if (news.text.empty()) return false;
    if (news.rewritten) expect_all_again();
    // Recurring wishes that were stated before began before.
    options_.reading.now = news.rewritten ? 0 : now_;
    auto reader = PolicyReader::open(Input::from_memory(options_.path, std::move(news.text)), options_.reading);
    if (!reader) {
      file_.forget();
      return Error{reader.error().cause, reader.error().message + "; nothing is added until the file changes"};
    }
    options_.reading.goes_on_in_json = reader->is_json();
    reader_.emplace(*std::move(reader));
    is_anew_ = news.rewritten;
    return true;
  }

  /// The file comes once more from its beginning: rows that were handed out are known, the others are new.
  void expect_all_again() {
    warn(options_.path + ": was changed or replaced while the stream runs (slot " + std::to_string(now_) +
         "), not only appended to: read anew from the beginning");
    options_.reading.goes_on_in_json = false;
    first_rows_.reset();  // what was not handed out comes again
    later_.clear();
    next_later_ = 0;
    unseen_ = handed_out_;
  }

  /// The next row of the text that is being read, if it was not handed out before.
  Result<bool> next_new_row(const PolicyBook& in_force) {
    while (reader_) {
      auto more = reader_->next(row_);
      if (!more) return Error{more.error().cause, more.error().message + "; the row is ignored"};
      if (!*more) {
        reader_.reset();
        if (std::exchange(is_anew_, false)) say_what_is_gone(in_force);
      } else if (!unseen_.remove(row_)) {
        return true;
      }
    }
    return false;
  }

  /// After the file was read anew: deleting a row takes nothing back.
  void say_what_is_gone(const PolicyBook& in_force) const {
    std::size_t count = 0;
    std::string first;
    for (MeterId meter = 0; meter < unseen_.stated.meter_count(); ++meter) {
      const std::string_view name = unseen_.stated.name(meter);
      const auto holder = in_force.find(name);
      if (!holder) continue;
      for (const Policy& policy : unseen_.stated.of(meter).policies()) {
        if (policy.interval.last < now_ || !in_force.of(*holder).holds(policy)) continue;
        if (count++ == 0)
          first = "meter " + shown(name) + ", slots " + std::to_string(policy.interval.first) + " to " +
                  std::to_string(policy.interval.last);
      }
    }
    if (count == 0) return;
    warn(options_.path + ": no longer has " + std::to_string(count) +
         (count == 1 ? " policy that holds (" : " policies that hold (the first: ") + first +
         "): what was stated stays in force until a row takes it back (\"withdraw\": true), and a restart "
         "asks for it");
  }

  void insert_later(const StatedPolicy& row) {
    const auto at = std::upper_bound(later_.begin() + static_cast<std::ptrdiff_t>(next_later_), later_.end(), row,
                                     [](const auto& a, const auto& b) { return a.known < b.known; });
    later_.insert(at, row);
  }

  const PolicyEvent* hand_out(const StatedPolicy& row, bool judged) {
    if (options_.live) handed_out_.add(row);
    event_ = {row.meter, options_.signatures_of.of(row.meter), row.policy, row.withdrawn, row.line, judged};
    return &event_;
  }

  PolicyFileOptions options_;
  GrowingFile file_;
  bool began_empty_ = false;
  std::optional<PolicyRows> first_rows_;  // of the file as it was opened; none are left without
  StatedPolicy first_;                    // the next of these
  std::optional<PolicyReader> reader_;    // of what came since, while it is read
  StatedPolicy row_;
  bool is_anew_ = false;             // reader_ reads the file from its beginning
  std::vector<StatedPolicy> later_;  // read by it, known later or taken back; ordered
  std::size_t next_later_ = 0;
  Slot now_ = 0;          // of the last look: rows known by then are handed out as they are read
  RowCounts handed_out_;  // if the file may change
  RowCounts unseen_;      // of these, what was not found again in a file that is read anew
  PolicyEvent event_;
};

std::vector<std::uint32_t> UnitSignatures::of(std::string_view unit) const {
  const auto id = map_ ? map_->unit(unit) : std::nullopt;
  if (!id) return {};
  const auto series = map_->series_of_unit(*id);
  if (series.empty()) return {};  // it counts nowhere yet: it may be anywhere later
  for (std::uint32_t g = 0; g < signatures_.size(); ++g) {
    if (std::includes(signatures_[g].begin(), signatures_[g].end(), series.begin(), series.end())) return {g};
  }
  return {};
}

PolicyFile::PolicyFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PolicyFile::~PolicyFile() = default;

Result<std::unique_ptr<PolicyFile>> PolicyFile::open(PolicyFileOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  FUGU_TRY(impl->open());
  return std::unique_ptr<PolicyFile>(new PolicyFile(std::move(impl)));
}

bool PolicyFile::began_empty() const { return impl_->began_empty(); }

Result<const PolicyEvent*> PolicyFile::next(Slot slot, const PolicyBook& in_force) {
  return impl_->next(slot, in_force);
}

}  // namespace fugu
