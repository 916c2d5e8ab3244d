#include "policy_feed.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "fugu/stream/location.hpp"

namespace fugu::cli {

namespace {

/// A file that others write while it is read, by whole lines.
class GrowingFile {
 public:
  explicit GrowingFile(std::string path) : path_(std::move(path)) {}

  enum class Change : std::uint8_t { none, grown, rewritten, gone };
  struct News {
    Change change = Change::none;
    /// Whole lines: those appended, or all when it was rewritten or is read for the first time. Appended ones have as
    /// many line ends before them as there are lines before, so that lines keep their numbers; a CSV's header comes
    /// again.
    std::string text;
  };

  /// What happened since the last call. A rewritten file is one that no longer begins with what was read of it.
  News look() {
    struct stat status{};
    if (::stat(path_.c_str(), &status) != 0) {
      seen_ = {};
      return {Change::gone, {}};
    }
    const Version version{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
    if (version == seen_) return {};
    seen_ = version;
    std::ifstream file(path_, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    text.resize(text.rfind('\n') + 1);  // half a line waits for its end; npos + 1 is 0
    const bool goes_on = text.size() >= bytes_ && hash_of(text, bytes_) == hash_;
    const bool first = bytes_ == 0;
    if (goes_on && text.size() == bytes_) return {};
    std::string before;
    if (goes_on && !first) before = header_ + std::string(lines_, '\n');
    const std::size_t known = goes_on ? bytes_ : 0;
    remember(text, known);
    return {goes_on ? Change::grown : Change::rewritten, before + text.substr(known)};
  }

  /// When it changes next, it counts as rewritten: no file goes on after so much.
  void forget() { bytes_ = std::string::npos; }

 private:
  struct Version {
    dev_t device = 0;
    ino_t inode = 0;
    off_t bytes = -1;
    time_t changed_s = 0;
    long changed_ns = 0;
    friend bool operator==(const Version&, const Version&) = default;
  };

  static std::size_t hash_of(const std::string& text, std::size_t bytes) {
    return bytes == 0 ? 0 : std::hash<std::string_view>()(std::string_view(text).substr(0, bytes));
  }

  /// All of `text` was read, and what is beyond `known` for the first time.
  void remember(const std::string& text, std::size_t known) {
    const auto added =
        static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(known), text.end(), '\n'));
    lines_ = known == 0 ? added : lines_ + added;
    bytes_ = text.size();
    hash_ = hash_of(text, bytes_);
    if (known > 0) return;
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    header_.clear();
    if (begin != std::string::npos && text[begin] != '{') header_ = text.substr(begin, text.find('\n', begin) - begin);
  }

  std::string path_;
  Version seen_;
  std::size_t bytes_ = 0;  // read so far
  std::size_t hash_ = 0;   // of these
  std::size_t lines_ = 0;  // in these
  std::string header_;
};

/// Events, each as often as it occurred.
struct Events {
  PolicyBook stated;
  PolicyBook withdrawn;

  bool empty() const { return stated.empty() && withdrawn.empty(); }
  PolicyBook& like(const StatedPolicy& row) { return row.withdrawn ? withdrawn : stated; }
  bool take(const StatedPolicy& row) {
    PolicyBook& book = like(row);
    const auto meter = book.find(row.meter);
    return meter && book.remove(*meter, row.policy);
  }
};

class FileFeed final : public PolicyFeed {
 public:
  explicit FileFeed(PolicyFeedOptions options) : options_(std::move(options)), file_(options_.path) {}

  Result<void> open() {
    grows_ = options_.live && !is_gzip(options_.path);
    if (!grows_) {
      FUGU_ASSIGN(Input input, Input::open(options_.path));
      return read_from(std::move(input));
    }
    std::string text = file_.look().text;
    if (text.empty()) return Error{Cause::bad_input, options_.path + ": found no whole line; expected policies"};
    return read_from(Input::from_memory(options_.path, std::move(text)));
  }

  Result<const PolicyEvent*> next(Slot slot) override {
    for (;;) {
      FUGU_ASSIGN(const bool more, next_row());
      if (more && row_.known <= started_ && !row_.withdrawn) return take(row_);
      if (more) {
        insert_later(row_);
        continue;
      }
      if (next_later_ < later_.size() && later_[next_later_].known <= slot) return take(later_[next_later_++]);
      if (!grows_ || slot == kPolicySlotMax) return nullptr;
      as_a_whole_ = false;
      started_ = slot;  // what comes now is about slots from here on
      if (!look()) return nullptr;
    }
  }

  Result<void> admit(const PolicyEvent& event, Slot slot) override {
    if (slot == 0 || !keeps_book()) return {};  // what is known from the beginning was found in order as a whole
    const Collection& collection = book_.of(book_.meter(event.meter));
    return event.withdrawn ? admit_withdrawal(collection, event.policy, slot)
                           : fugu::admit(options_.reading.admission, collection, event.policy, slot);
  }

  void accepted(const PolicyEvent& event) override {
    if (!keeps_book()) return;
    const MeterId meter = book_.meter(event.meter);
    event.withdrawn ? static_cast<void>(book_.remove(meter, event.policy)) : book_.add(meter, event.policy);
    if (!grows_) return;
    PolicyBook& said = event.withdrawn ? said_.withdrawn : said_.stated;
    said.add(said.meter(event.meter), event.policy);
  }

  Result<void> refused(const PolicyEvent& event, const Error& why) override {
    const std::string what = options_.path + ":" + std::to_string(event.line) + ": " + why.message;
    if (options_.strict && !options_.live) return Error{why.cause, what};
    options_.warn(what + "; the policy is not kept");
    return {};
  }

 private:
  /// Later rows are judged by what was accepted before.
  bool keeps_book() const { return options_.live || !options_.strict; }

  Result<void> read_from(Input input) {
    FUGU_ASSIGN(PolicyReader reader, PolicyReader::open(std::move(input), options_.reading));
    options_.reading.goes_on_in_json = reader.is_json();  // a file has one format, whatever is appended
    reader_.emplace(std::move(reader));
    return {};
  }

  /// Starts to read what is new in the file. False when there is nothing.
  bool look() {
    GrowingFile::News news = file_.look();
    if (news.change == GrowingFile::Change::gone && !std::exchange(is_gone_, true))
      options_.warn(options_.path + ": the file is gone: what it said stays in force, and nothing is added");
    if (news.change != GrowingFile::Change::gone) is_gone_ = false;
    const bool anew = news.change == GrowingFile::Change::rewritten;
    if (anew) expect_all_again();
    if (anew && news.text.empty()) say_what_is_gone();
    if (news.text.empty()) return false;
    // Rows that have begun are in order if they are on record.
    options_.reading.now = unseen_.empty() ? started_ : 0;
    const auto opened = read_from(Input::from_memory(options_.path, std::move(news.text)));
    is_anew_ = anew && opened;
    if (opened) return true;
    options_.warn(opened.error().message + "; nothing is added until the file changes");
    file_.forget();
    return false;
  }

  /// The file comes once more from its beginning: rows that were said are on record, the others are new.
  void expect_all_again() {
    options_.warn(options_.path + ": was changed or replaced while the stream runs (slot " + std::to_string(started_) +
                  "), not only appended to: read anew from the beginning");
    options_.reading.goes_on_in_json = false;
    later_.clear();  // comes again
    next_later_ = 0;
    unseen_ = said_;
  }

  Result<bool> next_row() {
    while (reader_) {
      auto more = reader_->next(row_);
      if (more && *more) {
        if (unseen_.take(row_)) continue;
        return true;
      }
      if (more) {
        reader_.reset();
        if (std::exchange(is_anew_, false)) say_what_is_gone();
      } else if (options_.strict && as_a_whole_) {
        return std::move(more).error();
      } else {
        options_.warn(more.error().message + "; the row is ignored");
      }
    }
    return false;
  }

  /// After the file was read anew: deleting a row takes nothing back.
  void say_what_is_gone() const {
    std::size_t count = 0;
    std::string first;
    for (MeterId meter = 0; meter < unseen_.stated.meter_count(); ++meter) {
      const std::string_view name = unseen_.stated.name(meter);
      const Collection& held = book_.of(*book_.find(name));
      for (const Policy& policy : unseen_.stated.of(meter).policies()) {
        if (policy.interval.last < started_ || !held.holds(policy)) continue;
        if (count++ == 0)
          first = "meter " + shown(name) + ", slots " + std::to_string(policy.interval.first) + " to " +
                  std::to_string(policy.interval.last);
      }
    }
    if (count == 0) return;
    options_.warn(options_.path + ": no longer has " + std::to_string(count) +
                  (count == 1 ? " policy that holds (" : " policies that hold (the first: ") + first +
                  "): what was stated stays in force until a row takes it back (\"withdraw\": true), and a restart "
                  "asks for it");
  }

  void insert_later(const StatedPolicy& row) {
    const auto at = std::upper_bound(later_.begin() + static_cast<std::ptrdiff_t>(next_later_), later_.end(), row,
                                     [](const auto& a, const auto& b) { return a.known < b.known; });
    later_.insert(at, row);
  }

  const PolicyEvent* take(const StatedPolicy& row) {
    event_ = {row.meter, options_.membership.of(row.meter), row.policy, row.withdrawn, row.line};
    return &event_;
  }

  static bool is_gzip(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return file.get() == 0x1f && file.get() == 0x8b;
  }

  PolicyFeedOptions options_;
  GrowingFile file_;
  bool grows_ = false;  // whether it may change
  bool is_gone_ = false;
  bool is_anew_ = false;    // it is being read once more
  bool as_a_whole_ = true;  // it is being read for the first time
  std::optional<PolicyReader> reader_;
  Slot started_ = 0;  // rows known by then are handed out as they are read
  StatedPolicy row_;
  std::vector<StatedPolicy> later_;  // known later, or taken back; ordered
  std::size_t next_later_ = 0;
  PolicyBook book_;
  Events said_;    // all that was accepted, if the file may change
  Events unseen_;  // of these, what was not found again in a file that is read anew
  PolicyEvent event_;
};

}  // namespace

std::vector<std::uint32_t> Membership::of(std::string_view meter) const {
  const auto id = map_ != nullptr ? map_->meter(meter) : std::nullopt;
  if (!id) return {};
  const auto series = map_->series_of(*id);
  for (std::uint32_t g = 0; g < signatures_.size(); ++g) {
    if (std::includes(signatures_[g].begin(), signatures_[g].end(), series.begin(), series.end())) return {g};
  }
  return {};
}

Result<std::unique_ptr<PolicyFeed>> open_policy_file(PolicyFeedOptions options) {
  auto made = std::make_unique<FileFeed>(std::move(options));
  FUGU_TRY(made->open());
  return std::unique_ptr<PolicyFeed>(std::move(made));
}

}  // namespace fugu::cli
