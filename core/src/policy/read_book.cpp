// Loads a whole file of policies: millions of rows, so rows wait in a compact form, apart by range of meters, and
// become collections one range after the other, each given back before the next. Nothing is applied until all is known
// to be right.
#include <deque>
#include <map>
#include <tuple>

#include "fugu/policy/policy_reader.hpp"
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

class Loader {
 public:
  explicit Loader(const PolicyOptions& options) : options_(options) {}

  Result<void> read(PolicyReader& reader) {
    StatedPolicy stated;
    while (true) {
      FUGU_ASSIGN(const bool more, reader.next(stated));
      if (!more) return {};
      FUGU_TRY(check_notice(stated, reader.file()));
      push(stated);
    }
  }

  Result<PolicyBook> finish(std::string_view file) && {
    for (std::size_t range = 0; range < ranges_.size(); ++range) {
      build(range);
      std::deque<Row>().swap(ranges_[range]);
    }
    if (fault_.line != 0) return found_but_expected({file, fault_.line, 0}, fault_.found, fault_.expected);
    if (repeats_ > 0 && options_.warn)
      options_.warn(std::string(file) + ":" + std::to_string(first_repeat_) + ": " + std::to_string(repeats_) +
                    (repeats_ == 1 ? " row says" : " rows say") +
                    " the same as an earlier one, this the first: kept as wishes of their own, each counts");
    return std::move(book_);
  }

 private:
  Result<void> check_notice(const StatedPolicy& stated, std::string_view file) const {
    const Slot told = std::max(stated.known, options_.now);
    const Slot notice = stated.policy.interval.first - told;
    if (told == 0 || stated.withdrawn || notice >= options_.admission.notice_slots) return {};
    return found_but_expected({file, stated.line, 0}, "a policy known " + std::to_string(notice) + " slots ahead",
                              "a notice of " + std::to_string(options_.admission.notice_slots) + " slots");
  }

  void push(const StatedPolicy& stated) {
    ++rows_;
    const Policy& policy = stated.policy;
    const MeterId meter = meter_of(stated.meter);
    const std::size_t range = meter / kMetersInRange;
    if (range >= ranges_.size()) ranges_.resize(range + 1);
    ranges_[range].push_back({policy.interval.first, policy.interval.last, policy.length_slots, policy.magnitude_steps,
                              policy.epsilon, stated.known, stated.line & ~(std::uint64_t{1} << 63), stated.withdrawn,
                              meter, shapes_.id(policy.shape)});
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

  // By meter first, then each meter's few rows on their own.
  void build(std::size_t range) {
    const auto base = static_cast<MeterId>(range * kMetersInRange);
    const std::size_t meters = std::min<std::size_t>(kMetersInRange, book_.meter_count() - base);
    std::vector<std::size_t> ends(meters + 1);
    for (const Row& row : ranges_[range]) ++ends[row.meter - base];
    std::size_t total = 0;
    for (std::size_t& end : ends) end = std::exchange(total, total + end);
    sorted_.resize(total);
    for (const Row& row : ranges_[range]) sorted_[ends[row.meter - base]++] = row;
    for (std::size_t meter = 0; meter < meters; ++meter) {
      const std::size_t begin = meter == 0 ? 0 : ends[meter - 1];
      build(base + static_cast<MeterId>(meter), std::span(sorted_).subspan(begin, ends[meter] - begin));
    }
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
        "each policy once (or --repeats keep, if both are meant)");
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
    const Crowd crowd = busiest_slot(collection, {0, kPolicySlotMax});
    if (crowd.policies <= most) return;
    std::vector<std::uint64_t> lines;
    for (const Row& row : rows) {
      if (row.first <= crowd.slot && crowd.slot <= row.last && collection.holds(policy_of(row)))
        lines.push_back(row.line);
    }
    std::sort(lines.begin(), lines.end());
    fault_.note(
        lines[most],
        [&] { return "more than " + std::to_string(most) + " policies of a meter relevant in the same slot"; },
        "fewer, as many as the administrator admits");
  }

  const PolicyOptions& options_;
  PolicyBook book_;
  MeterId last_meter_ = 0;
  std::vector<MeterId> after_;  // which meter came after each
  Shapes shapes_;
  std::vector<std::deque<Row>> ranges_;  // by meter / kMetersInRange
  std::vector<Row> sorted_;
  std::uint64_t rows_ = 0;
  std::uint64_t repeats_ = 0;       // kept
  std::uint64_t first_repeat_ = 0;  // its line
  Fault fault_;
};

}  // namespace

Result<PolicyBook> read_policy_book(Input input, const PolicyOptions& options) {
  FUGU_ASSIGN(auto reader, PolicyReader::open(std::move(input), options));
  Loader loader(options);
  FUGU_TRY(loader.read(reader));
  return std::move(loader).finish(reader.file());
}

}  // namespace fugu
