// Rows wait in a compact form, apart by range of meters. A range is small enough to be sorted by meter within a cache,
// which is how rows are checked against each other and become collections. Nothing is handed out before all is read.
#include "fugu/policy/policy_rows.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "fugu/stream/location.hpp"
#include "fugu/stream/same_text.hpp"

namespace fugu {
namespace {

constexpr MeterId kMetersInRange = 1 << 13;  // their rows fit into a cache while they are sorted

struct Row {
  Slot first;
  Slot last;
  std::uint64_t length_slots;
  std::uint64_t magnitude_steps;
  Budget epsilon;
  Slot known;
  std::uint64_t line : 63;
  std::uint64_t withdrawn : 1;
  MeterId meter;
  std::uint32_t shape;  // from 1 in Shapes; 0: none

  auto meaning() const { return std::tie(meter, first, last, length_slots, magnitude_steps, epsilon, shape); }
  bool same_as(const Row& other) const { return meaning() == other.meaning(); }
};

bool earlier(const Row& a, const Row& b) {
  if (a.same_as(b)) return a.line < b.line;
  return a.meaning() < b.meaning();
}

/// Each different shape once.
class Shapes {
 public:
  std::uint32_t id(std::shared_ptr<const Shape> shape) {
    if (!shape) return 0;
    const auto [at, is_new] = ids_.try_emplace(shape, static_cast<std::uint32_t>(shapes_.size()));
    if (is_new) shapes_.push_back(std::move(shape));
    return at->second;
  }
  const std::shared_ptr<const Shape>& of(const Row& row) const { return shapes_[row.shape]; }

 private:
  struct ByContent {
    bool operator()(const std::shared_ptr<const Shape>& a, const std::shared_ptr<const Shape>& b) const {
      return *a < *b;
    }
  };
  std::vector<std::shared_ptr<const Shape>> shapes_ = {nullptr};
  std::map<std::shared_ptr<const Shape>, std::uint32_t, ByContent> ids_;
};

/// The first line of the file that is wrong, of those found so far.
struct Fault {
  std::uint64_t line = 0;  // 0: none
  std::string found;
  std::string_view expected;

  template <class Text>
  void note(std::uint64_t at, Text&& text, std::string_view instead) {
    if (line != 0 && line <= at) return;
    line = at;
    found = text();
    expected = instead;
  }
};

}  // namespace

class PolicyRows::Impl {
 public:
  explicit Impl(const PolicyOptions& options) : options_(options) {}

  Result<void> read(Input input) {
    FUGU_ASSIGN(auto reader, PolicyReader::open(std::move(input), options_));
    file_ = reader.file();
    is_json_ = reader.is_json();
    StatedPolicy stated;
    while (true) {
      FUGU_ASSIGN(const bool more, reader.next(stated));
      if (!more) break;
      FUGU_TRY(check_notice(stated));
      push(stated);
    }
    std::stable_sort(later_.begin(), later_.end(), [](const Row& a, const Row& b) { return a.known < b.known; });
    return {};
  }

  bool empty() const { return rows_ == 0; }
  bool is_json() const { return is_json_; }

  Result<void> check() {
    for (std::size_t range = 0; range < ranges_.size(); ++range) {
      build(range);
      for_meters_of(range, [this](MeterId meter) { book_.assign(meter, {}); });
    }
    return verdict();
  }

  /// Checks, too. Each range is given back before the next becomes collections.
  Result<PolicyBook> take_book() {
    for (std::size_t range = 0; range < ranges_.size(); ++range) {
      build(range);
      std::deque<Row>().swap(ranges_[range]);
    }
    FUGU_TRY(verdict());
    return std::move(book_);
  }

  bool next(StatedPolicy& stated) {
    while (next_run_ < runs_.size()) {
      Run& run = runs_[next_run_];
      if (run.rows == 0) {
        ++next_run_;
        continue;
      }
      --run.rows;
      std::deque<Row>& range = ranges_[run.range];
      const Row row = range.front();
      range.pop_front();
      if (is_later(row)) continue;
      hand_out(row, stated);
      return true;
    }
    if (next_later_ == later_.size()) return false;
    hand_out(later_[next_later_++], stated);
    return true;
  }

 private:
  /// Consecutive rows of the file whose meters are in the same range.
  struct Run {
    std::uint32_t range;
    std::uint32_t rows;
  };

  static bool is_later(const Row& row) { return row.known > 0 || row.withdrawn != 0; }

  void hand_out(const Row& row, StatedPolicy& stated) const {
    stated.meter = book_.name(row.meter);
    stated.policy = policy_of(row);
    stated.known = row.known;
    stated.withdrawn = row.withdrawn != 0;
    stated.line = row.line;
  }

  /// What build() found wrong.
  Result<void> verdict() const {
    if (fault_.line != 0) return found_but_expected({file_, fault_.line, 0}, fault_.found, fault_.expected);
    if (repeats_ > 0 && options_.warn)
      options_.warn(file_ + ":" + std::to_string(first_repeat_) + ": " + std::to_string(repeats_) +
                    (repeats_ == 1 ? " row says" : " rows say") +
                    " the same as an earlier one, this the first: kept as wishes of their own, each counts");
    return {};
  }

  Result<void> check_notice(const StatedPolicy& stated) const {
    const Slot told = std::max(stated.known, options_.now);
    const Slot notice = stated.policy.interval.first - told;
    if (told == 0 || stated.withdrawn || notice >= options_.admission.notice_slots) return {};
    return found_but_expected({file_, stated.line, 0}, "a policy known " + std::to_string(notice) + " slots ahead",
                              "a notice of " + std::to_string(options_.admission.notice_slots) + " slots");
  }

  void push(const StatedPolicy& stated) {
    const Policy& policy = stated.policy;
    const MeterId meter = meter_of(stated.meter);
    const std::uint32_t range = meter / kMetersInRange;
    if (range >= ranges_.size()) ranges_.resize(range + 1);
    if (runs_.empty() || runs_.back().range != range) runs_.push_back({range, 0});
    ++runs_.back().rows;
    ++rows_;
    const Row row{policy.interval.first,
                  policy.interval.last,
                  policy.length_slots,
                  policy.magnitude_steps,
                  policy.epsilon,
                  stated.known,
                  stated.line & ~(std::uint64_t{1} << 63),
                  stated.withdrawn,
                  meter,
                  shapes_.id(policy.shape)};
    ranges_[range].push_back(row);
    if (is_later(row)) [[unlikely]]
      later_.push_back(row);
  }

  // Files are mostly sorted by meter, or list meters in the same order again and again: comparing with the same one or
  // with the one that came next before is faster than searching.
  MeterId meter_of(std::string_view name) {
    if (after_.empty()) after_.push_back(0), book_.meter(name);
    if (same_text(book_.name(last_meter_), name)) return last_meter_;
    const MeterId guess = after_[last_meter_];
    if (same_text(book_.name(guess), name)) return last_meter_ = guess;
    const MeterId meter = book_.meter(name);
    if (meter == after_.size()) after_.push_back(0);
    after_[last_meter_] = meter;
    return last_meter_ = meter;
  }

  template <class Visit>
  void for_meters_of(std::size_t range, Visit&& visit) const {
    const std::size_t end = std::min<std::size_t>((range + 1) * kMetersInRange, book_.meter_count());
    for (std::size_t meter = range * kMetersInRange; meter < end; ++meter) visit(static_cast<MeterId>(meter));
  }

  // By meter first, then each meter's few rows on their own. Leaves their collections in the book.
  void build(std::size_t range) {
    const auto base = static_cast<MeterId>(range * kMetersInRange);
    const std::size_t meters = std::min<std::size_t>(kMetersInRange, book_.meter_count() - base);
    std::vector<std::size_t> ends(meters + 1);
    for (const Row& row : ranges_[range]) ++ends[row.meter - base];
    std::size_t total = 0;
    for (std::size_t& end : ends) end = std::exchange(total, total + end);
    sorted_.resize(total);
    for (const Row& row : ranges_[range]) sorted_[ends[row.meter - base]++] = row;
    for_meters_of(range, [&](MeterId meter) {
      const std::size_t begin = meter == base ? 0 : ends[meter - base - 1];
      build(meter, std::span(sorted_).subspan(begin, ends[meter - base] - begin));
    });
  }

  void build(MeterId meter, std::span<Row> rows) {
    if (!std::is_sorted(rows.begin(), rows.end(), earlier)) std::sort(rows.begin(), rows.end(), earlier);
    std::vector<Policy> policies;
    policies.reserve(rows.size());
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
      while (end < rows.size() && rows[end].same_as(rows[begin])) ++end;
      const std::size_t left = count_left(rows.subspan(begin, end - begin));
      policies.insert(policies.end(), left, policy_of(rows[begin]));
    }
    if (policies.empty()) return;
    book_.assign(meter, std::move(policies));
    if (options_.admission.most_overlapping) check_overlap(meter, rows);
  }

  // The same policy, stated and taken back in turn: how often it holds in the end.
  std::size_t count_left(std::span<const Row> rows) {
    std::size_t left = 0;
    const Row* stated = nullptr;
    for (const Row& row : rows) {
      if (row.withdrawn) {
        if (left == 0) {
          fault_.note(row.line, [] { return "a policy taken back that no row before states"; }, "one that is there");
        } else if (row.known < stated->known) {
          note_too_early(row, *stated);
        }
        left -= left > 0 ? 1 : 0;
      } else {
        if (left > 0) note_repeat(row, *stated);
        stated = &row;
        ++left;
      }
    }
    return left;
  }

  void note_too_early(const Row& withdrawal, const Row& stated) {
    fault_.note(
        withdrawal.line,
        [&] {
          return "a policy taken back in slot " + std::to_string(withdrawal.known) + ", though line " +
                 std::to_string(stated.line) + " makes it known in slot " + std::to_string(stated.known);
        },
        "`known` not before that");
  }

  void note_repeat(const Row& row, const Row& earlier) {
    if (keeps_repeats()) {
      if (repeats_ == 0 || row.line < first_repeat_) first_repeat_ = row.line;
      ++repeats_;
      return;
    }
    fault_.note(
        row.line, [&] { return "the same policy as in line " + std::to_string(earlier.line); },
        "each policy once (or that repeats are kept, if both are meant)");
  }
  bool keeps_repeats() const {
    return options_.repeats == Repeats::keep || (options_.repeats == Repeats::by_size && rows_ > kTypedRowsMax);
  }

  Policy policy_of(const Row& row) const {
    return {{row.first, row.last}, row.length_slots, row.magnitude_steps, row.epsilon, shapes_.of(row)};
  }

  // Of those in the busiest slot, the first row that is one too many.
  void check_overlap(MeterId meter, std::span<const Row> rows) {
    const Collection& collection = book_.of(meter);
    const std::size_t most = *options_.admission.most_overlapping;
    if (collection.policies().size() <= most) return;
    const BusySlot busiest = busiest_slot(collection, {0, kPolicySlotMax});
    if (busiest.policies <= most) return;
    std::vector<std::uint64_t> lines;
    for (const Row& row : rows) {
      if (row.first <= busiest.slot && busiest.slot <= row.last && collection.holds(policy_of(row)))
        lines.push_back(row.line);
    }
    std::sort(lines.begin(), lines.end());
    fault_.note(
        lines[most],
        [&] { return "more than " + std::to_string(most) + " policies of a meter relevant in the same slot"; },
        "fewer, as many as the administrator admits");
  }

  PolicyOptions options_;
  std::string file_;
  bool is_json_ = false;
  PolicyBook book_;  // numbers the meters
  MeterId last_meter_ = 0;
  std::vector<MeterId> after_;  // which meter came after each
  Shapes shapes_;
  std::vector<std::deque<Row>> ranges_;  // by meter / kMetersInRange
  std::vector<Run> runs_;                // in the order of the file
  std::size_t next_run_ = 0;
  std::uint64_t rows_ = 0;
  std::vector<Row> later_;  // once more: known later, or taken back; by `known`
  std::size_t next_later_ = 0;
  std::vector<Row> sorted_;
  std::uint64_t repeats_ = 0;       // kept
  std::uint64_t first_repeat_ = 0;  // its line
  Fault fault_;
};

PolicyRows::PolicyRows(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PolicyRows::PolicyRows(PolicyRows&&) noexcept = default;
PolicyRows& PolicyRows::operator=(PolicyRows&&) noexcept = default;
PolicyRows::~PolicyRows() = default;

Result<PolicyRows> PolicyRows::read(Input input, const PolicyOptions& options) {
  auto impl = std::make_unique<Impl>(options);
  FUGU_TRY(impl->read(std::move(input)));
  return PolicyRows(std::move(impl));
}

bool PolicyRows::empty() const { return impl_->empty(); }
bool PolicyRows::is_json() const { return impl_->is_json(); }
Result<void> PolicyRows::check() const { return impl_->check(); }
bool PolicyRows::next(StatedPolicy& stated) { return impl_->next(stated); }

Result<PolicyBook> read_policy_book(Input input, const PolicyOptions& options) {
  FUGU_ASSIGN(PolicyRows rows, PolicyRows::read(std::move(input), options));
  return rows.impl_->take_book();
}

}  // namespace fugu
