#include "policy_options.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "command.hpp"
#include "source_options.hpp"

namespace fugu::cli {

namespace {

Error usage(std::string message) { return {Cause::usage, std::move(message)}; }

template <class T>
bool parse_whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

/// A policies file as events, in the order in which they become known.
class FileFeed final : public PolicyFeed {
 public:
  FileFeed(std::string path, PolicyOptions options, std::vector<std::vector<SeriesId>> signatures, bool strict,
           bool live, std::function<void(const std::string&)> warn)
      : path_(std::move(path)),
        options_(std::move(options)),
        signatures_(std::move(signatures)),
        strict_(strict),
        live_(live),
        warn_(std::move(warn)) {}

  Result<void> open() {
    FUGU_ASSIGN(Input input, Input::open(path_));
    FUGU_ASSIGN(PolicyReader reader, PolicyReader::open(std::move(input), options_));
    reader_.emplace(std::move(reader));
    bytes_ = size_of_file();
    return {};
  }

  Result<const PolicyEvent*> next(Slot slot) override {
    for (;;) {
      FUGU_ASSIGN(const bool more, next_row());
      if (!more) break;
      if (row_.known == 0 && !row_.withdrawn) return take(row_);
      later_.push_back(row_);
    }
    if (!sorted_) {
      std::stable_sort(later_.begin(), later_.end(), [](const auto& a, const auto& b) { return a.known < b.known; });
      sorted_ = true;
    }
    if (next_later_ < later_.size() && later_[next_later_].known <= slot) return take(later_[next_later_++]);
    while (live_ && slot != kPolicySlotMax && has_grown()) {
      FUGU_ASSIGN(const bool more, next_appended());
      if (!more) break;
      const auto admitted = check_appended(slot);
      if (admitted) return take(row_);
      line_ = row_.line;
      FUGU_TRY(refused(admitted.error()));
    }
    return nullptr;
  }

  Result<void> refused(const Error& why) override {
    const std::string what = path_ + ":" + std::to_string(line_) + ": " + why.message;
    if (!live_) return Error{why.cause, what};
    warn_(what + "; the policy is not kept");
    return {};
  }

 private:
  /// The next row of what was there when the file was opened.
  Result<bool> next_row() {
    while (reader_) {
      auto more = reader_->next(row_);
      if (more && *more) {
        rows_ = row_.line;
        return true;
      }
      if (!more && strict_) return std::move(more).error();
      if (!more) {
        warn_(more.error().message + "; the row is ignored");
        continue;
      }
      reader_.reset();
    }
    return false;
  }

  /// Reads the file again from the start, up to the first row that has not been seen.
  Result<bool> next_appended() {
    if (!appended_) {
      FUGU_ASSIGN(Input input, Input::open(path_));
      FUGU_ASSIGN(PolicyReader reader, PolicyReader::open(std::move(input), options_));
      appended_.emplace(std::move(reader));
      bytes_ = size_of_file();
    }
    for (;;) {
      auto more = appended_->next(row_);
      if (!more) {
        warn_(more.error().message + "; the row is ignored");
        continue;
      }
      if (!*more) {
        appended_.reset();
        return false;
      }
      if (row_.line <= rows_) continue;
      rows_ = row_.line;
      return true;
    }
  }

  Result<void> check_appended(Slot now) {
    const Collection& collection = book_.of(book_.meter(row_.meter));
    return row_.withdrawn ? admit_withdrawal(collection, row_.policy, now)
                          : admit(options_.admission, collection, row_.policy, now);
  }

  std::uint64_t size_of_file() const {
    struct stat status{};
    return ::stat(path_.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }
  /// Whether whole rows were appended; half a row waits for its end.
  bool has_grown() const {
    if (appended_) return true;
    if (size_of_file() <= bytes_) return false;
    std::ifstream file(path_, std::ios::binary);
    file.seekg(-1, std::ios::end);
    return file.get() == '\n';
  }

  const PolicyEvent* take(const StatedPolicy& row) {
    line_ = row.line;
    event_.meter = row.meter;
    event_.policy = row.policy;
    event_.withdrawn = row.withdrawn;
    event_.signatures = signatures_of(row.meter);
    if (live_) {  // what later rows are compared with
      const MeterId meter = book_.meter(row.meter);
      row.withdrawn ? static_cast<void>(book_.remove(meter, row.policy)) : book_.add(meter, row.policy);
    }
    return &event_;
  }

  /// The first set of series that holds all the meter counts into.
  std::vector<std::uint32_t> signatures_of(const std::string& meter) const {
    if (options_.map == nullptr) return {};
    const auto id = options_.map->meter(meter);
    if (!id) return {};
    const auto series = options_.map->series_of(*id);
    for (std::uint32_t g = 0; g < signatures_.size(); ++g) {
      if (std::includes(signatures_[g].begin(), signatures_[g].end(), series.begin(), series.end())) return {g};
    }
    return {};
  }

  std::string path_;
  PolicyOptions options_;
  std::vector<std::vector<SeriesId>> signatures_;
  bool strict_;
  bool live_;
  std::function<void(const std::string&)> warn_;
  std::optional<PolicyReader> reader_;    // of what was there at first
  std::optional<PolicyReader> appended_;  // of what came later
  StatedPolicy row_;
  std::vector<StatedPolicy> later_;  // known later, or taken back
  std::size_t next_later_ = 0;
  bool sorted_ = false;
  std::uint64_t rows_ = 0;  // lines seen
  std::uint64_t bytes_ = 0;
  std::uint64_t line_ = 0;
  PolicyBook book_;  // live: of what was handed out
  PolicyEvent event_;
};

}  // namespace

Result<Definition> parse_floor(const std::string& text, Delta delta) {
  const std::vector<std::string> parts = split(text, ':');
  const Error wrong = usage("--floor: found '" + text + "'; expected event:EPS, w-event:EPS:W or user:EPS:HORIZON");
  double number = 0;
  if (parts.size() < 2 || !parse_whole(parts[1], number)) return wrong;
  const auto epsilon = Epsilon::make(number);
  if (!epsilon) return usage("--floor: " + epsilon.error().message);
  Definition::Options options{.protects = Protects::event, .epsilon = *epsilon, .delta = delta};
  if (parts[0] == "event") {
    if (parts.size() != 2) return wrong;
    return Definition::make(options);
  }
  std::uint64_t window = 0;
  if (parts.size() != 3 || !parse_whole(parts[2], window)) return wrong;
  if (parts[0] != "w-event" && parts[0] != "user") return wrong;
  options.protects = parts[0] == "user" ? Protects::user : Protects::w_event;
  options.window_slots = window;
  return Definition::make(options);
}

void PolicyArguments::add_to(CLI::App& command) {
  const std::string group = "Policies";
  command
      .add_option("--policies", policies,
                  "What households want hidden: CSV meter,start,end,length,magnitude,epsilon, or JSON Lines")
      ->group(group);
  command
      .add_option("--floor", floor, "What holds for everybody besides: event:EPS, w-event:EPS:W or user:EPS:HORIZON")
      ->group(group);
  command
      .add_flag("--exact-when-idle", exact_when_idle,
                "Release the true value where no policy is relevant: exposes who stated none")
      ->group(group);
  command
      .add_option("--repeats", repeats,
                  "Two rows that say the same: refuse, keep (each counts), or auto: refuse in files of up to 100 rows")
      ->check(CLI::IsMember({"auto", "refuse", "keep"}))
      ->capture_default_str()
      ->group(group);
}

void PolicyArguments::add_admission_to(CLI::App& command) {
  const std::string group = "Admission of policies";
  command.add_option("--notice", notice_slots, "Policies that come later must begin this many slots ahead")
      ->capture_default_str()
      ->group(group);
  command.add_option("--largest-magnitude", largest_magnitude, "Refuse larger ones, in the stream's unit")
      ->group(group);
  command.add_option("--smallest-epsilon", smallest_epsilon, "Refuse smaller ones")->group(group);
  command.add_option("--most-overlapping", most_overlapping, "Refuse more policies of one meter at a time")
      ->group(group);
}

Result<Definition> PolicyArguments::definition(Delta delta) const {
  if (floor.empty() == !exact_when_idle)
    return usage(
        "--policies needs one of --floor DEF (for example event:1) and --exact-when-idle: what holds where no policy "
        "is "
        "relevant, and for those who state none");
  std::shared_ptr<const Definition> for_everybody;
  if (!floor.empty()) {
    FUGU_ASSIGN(Definition parsed, parse_floor(floor, delta));
    for_everybody = std::make_shared<const Definition>(std::move(parsed));
  }
  return Definition::make({.protects = Protects::swellfish,
                           .delta = delta,
                           .floor = std::move(for_everybody),
                           .exact_when_idle = exact_when_idle});
}

Result<PolicyOptions> PolicyArguments::reading(const PolicyContext& context) const {
  PolicyOptions options;
  options.unit_step = context.unit_step;
  options.clock = context.clock;
  options.utc_offset_s = context.utc_offset_s;
  options.default_utc_offset_s = context.default_utc_offset_s;
  options.map = context.map;
  options.series = context.series;
  options.repeats = repeats == "keep" ? Repeats::keep : repeats == "refuse" ? Repeats::refuse : Repeats::by_size;
  options.warn = [](const std::string& message) { note("warning: " + message); };
  options.admission.notice_slots = notice_slots;
  options.admission.most_overlapping = most_overlapping;
  if (!largest_magnitude.empty()) {
    FUGU_ASSIGN(options.admission.largest_magnitude_steps,
                parse_magnitude(context.unit_step, largest_magnitude, "--largest-magnitude"));
  }
  if (smallest_epsilon) {
    const auto checked = Epsilon::make(*smallest_epsilon);
    if (!checked) return usage("--smallest-epsilon: " + checked.error().message);
    options.admission.smallest_epsilon = Budget::round_down(*smallest_epsilon);
  }
  return options;
}

Result<PolicyBook> PolicyArguments::read(const PolicyContext& context) const {
  FUGU_ASSIGN(const PolicyOptions options, reading(context));
  FUGU_ASSIGN(Input input, Input::open(policies));
  return read_policy_book(std::move(input), options);
}

Result<std::unique_ptr<PolicyFeed>> PolicyArguments::feed(const PolicyContext& context, bool strict, bool live,
                                                          std::function<void(const std::string&)> warn) const {
  FUGU_ASSIGN(PolicyOptions options, reading(context));
  if (strict) FUGU_TRY(read(context));  // all of it is in order, or nothing is released
  auto made =
      std::make_unique<FileFeed>(policies, std::move(options), context.signatures, strict, live, std::move(warn));
  FUGU_TRY(made->open());
  return std::unique_ptr<PolicyFeed>(std::move(made));
}

}  // namespace fugu::cli
