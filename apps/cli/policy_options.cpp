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

/// A file that grows by whole lines: what of it has been read, and what came since.
class GrowingFile {
 public:
  explicit GrowingFile(std::string path) : path_(std::move(path)) {}

  /// Everything up to the last line end that was not read before, with as many line ends before it as there are lines
  /// in what was, so that lines keep their numbers; the first line, a CSV's header, comes again. Empty when there is
  /// nothing new.
  std::string read_on() {
    struct stat status{};
    if (::stat(path_.c_str(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) <= bytes_) return {};
    std::ifstream file(path_, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(bytes_));
    std::string text{std::istreambuf_iterator<char>(file), {}};
    text.resize(text.rfind('\n') + 1);  // half a line waits for its end; npos + 1 is 0
    if (text.empty()) return {};
    const std::size_t lines = lines_;
    bytes_ += text.size();
    lines_ += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    if (lines == 0) {
      header_ = text.front() == '{' ? std::string() : text.substr(0, text.find('\n'));
      return text;
    }
    return header_ + std::string(lines, '\n') + text;
  }

 private:
  std::string path_;
  std::string header_;
  std::uint64_t bytes_ = 0;
  std::size_t lines_ = 0;
};

/// A policies file as events. What is there at first comes as a whole; a live one is looked at again for more.
class FileFeed final : public PolicyFeed {
 public:
  struct Options {
    std::string path;
    PolicyOptions reading;
    Membership membership;
    bool strict;  ///< a fresh run: the file was found in order, and stays so
    bool live;
    std::function<void(const std::string&)> warn;
  };
  explicit FileFeed(Options options) : options_(std::move(options)), file_(options_.path) {}

  Result<void> open() {
    grows_ = options_.live && !is_gzip(options_.path);
    if (!grows_) {
      FUGU_ASSIGN(Input input, Input::open(options_.path));
      return read_from(std::move(input));
    }
    std::string text = file_.read_on();
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
      options_.reading.now = started_ = slot;  // what comes now is about slots from here on
      std::string text = file_.read_on();
      if (text.empty()) return nullptr;
      FUGU_TRY(read_from(Input::from_memory(options_.path, std::move(text))));
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
    reader_.emplace(std::move(reader));
    return {};
  }

  Result<bool> next_row() {
    while (reader_) {
      auto more = reader_->next(row_);
      if (more && *more) return true;
      if (more) {
        reader_.reset();
      } else if (options_.strict && started_ == 0) {
        return std::move(more).error();
      } else {
        options_.warn(more.error().message + "; the row is ignored");
      }
    }
    return false;
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

  Options options_;
  GrowingFile file_;
  bool grows_ = false;  // whether rows may be appended to it
  std::optional<PolicyReader> reader_;
  Slot started_ = 0;  // rows known by then are handed out as they are read
  StatedPolicy row_;
  std::vector<StatedPolicy> later_;  // known later, or taken back; ordered
  std::size_t next_later_ = 0;
  PolicyBook book_;
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

void PolicyArguments::add_file_to(CLI::App& command) {
  const std::string group = "Policies";
  command
      .add_option("--policies", policies,
                  "What households want hidden: CSV meter,start,end,length,magnitude,epsilon, or JSON Lines")
      ->group(group);
  command
      .add_option("--repeats", repeats,
                  "Two rows that say the same: refuse, keep (each counts), or auto: refuse in files of up to 100 rows")
      ->check(CLI::IsMember({"auto", "refuse", "keep"}))
      ->capture_default_str()
      ->group(group);
}

void PolicyArguments::add_to(CLI::App& command) {
  add_file_to(command);
  const std::string group = "Policies";
  command
      .add_option("--floor", floor, "What holds for everybody besides: event:EPS, w-event:EPS:W or user:EPS:HORIZON")
      ->group(group);
  command
      .add_flag("--exact-when-idle", exact_when_idle,
                "Release the true value where no policy is relevant: exposes who stated none")
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

bool PolicyArguments::about_policies() const {
  return notice_slots != 0 || !largest_magnitude.empty() || smallest_epsilon || most_overlapping || repeats != "auto";
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
                           .epsilon = PromisedEpsilon::of_each_policy(),
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
  options.largest_change_steps = context.largest_change_steps;
  options.repeats = repeats == "keep" ? Repeats::keep : repeats == "refuse" ? Repeats::refuse : Repeats::by_size;
  options.warn = options.warn_rounding = warn;
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

Result<std::vector<StatedPolicy>> PolicyArguments::read_late(const PolicyContext& context) const {
  FUGU_ASSIGN(PolicyOptions options, reading(context));
  options.warn = options.warn_rounding = nullptr;  // was said when the book was read
  FUGU_ASSIGN(Input input, Input::open(policies));
  FUGU_ASSIGN(PolicyReader reader, PolicyReader::open(std::move(input), std::move(options)));
  std::vector<StatedPolicy> late;
  StatedPolicy stated;
  while (true) {
    FUGU_ASSIGN(const bool more, reader.next(stated));
    if (!more) return late;
    if (stated.known > 0 || stated.withdrawn) late.push_back(stated);
  }
}

Result<std::unique_ptr<PolicyFeed>> PolicyArguments::feed(const PolicyContext& context, bool strict, bool live,
                                                          std::function<void(const std::string&)> warn) const {
  FUGU_ASSIGN(PolicyOptions options, reading(context));
  if (strict) FUGU_TRY(read(context));  // all of it is in order, or nothing is released
  auto made = std::make_unique<FileFeed>(FileFeed::Options{
      policies, std::move(options), Membership(context.map, context.signatures), strict, live, std::move(warn)});
  FUGU_TRY(made->open());
  return std::unique_ptr<PolicyFeed>(std::move(made));
}

}  // namespace fugu::cli
