#include "fugu/policy/policy_reader.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "fugu/stream/csv.hpp"
#include "fugu/stream/json_line.hpp"
#include "fugu/stream/line_reader.hpp"
#include "policy_row.hpp"

namespace fugu {
namespace {

constexpr std::string_view kHeader =
    "a header `meter,start,end,length,magnitude,epsilon`, and `group` and `known` where needed";

constexpr std::string_view kJsonExample = R"(one JSON object, such as {"meter": "m1", "start": 4, …})";

struct Column {
  std::string_view name;
  std::string_view RowText::* text;
  bool needed;
};
constexpr std::array<Column, 8> kColumns = {{{"meter", &RowText::meter, true},
                                             {"start", &RowText::start, true},
                                             {"end", &RowText::end, true},
                                             {"length", &RowText::length, true},
                                             {"magnitude", &RowText::magnitude, true},
                                             {"epsilon", &RowText::epsilon, true},
                                             {"group", &RowText::group, false},
                                             {"known", &RowText::known, false}}};

std::optional<std::size_t> column_named(std::string_view name) {
  for (std::size_t i = 0; i < kColumns.size(); ++i)
    if (kColumns[i].name == name) return i;
  return std::nullopt;
}

/// Which column is which, in the order of the file.
struct Columns {
  std::array<std::string_view RowText::*, kColumns.size()> texts{};
  std::size_t count = 0;
};

Result<Columns> read_columns(LineReader& lines) {
  FUGU_ASSIGN(const std::string_view header, csv::read_header(lines, kHeader));
  Columns columns;
  std::array<bool, kColumns.size()> seen{};
  for (std::string_view name : csv::split(header)) {
    const Location where = lines.at(csv::column_of(name, header));
    const auto column = column_named(name);
    if (!column) return found_but_expected(where, "column " + shown(name), kHeader);
    if (std::exchange(seen[*column], true))
      return found_but_expected(where, "column " + shown(name) + " twice", kHeader);
    columns.texts[columns.count++] = kColumns[*column].text;
  }
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    if (kColumns[i].needed && !seen[i])
      return found_but_expected(lines.at(1), std::string("no column `").append(kColumns[i].name).append("`"), kHeader);
  }
  return columns;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

/// What a key of a JSON row may hold.
struct Key {
  std::string_view name;
  bool text;
  bool number;
  std::string_view RowText::* field;  // nullptr: handled on its own
};
constexpr std::array<Key, 13> kKeys = {{{"meter", true, false, &RowText::meter},
                                        {"start", true, true, &RowText::start},
                                        {"end", true, true, &RowText::end},
                                        {"length", false, true, &RowText::length},
                                        {"magnitude", false, true, &RowText::magnitude},
                                        {"epsilon", false, true, &RowText::epsilon},
                                        {"group", false, true, &RowText::group},
                                        {"known", true, true, &RowText::known},
                                        {"profile", false, false, nullptr},
                                        {"patterns", false, false, nullptr},
                                        {"constraints", false, false, nullptr},
                                        {"repeat", false, false, nullptr},
                                        {"withdraw", false, false, nullptr}}};

std::string quoted(std::string_view key) { return std::string("`").append(key).append("`"); }

Result<RowText> texts_of(const json::Value& row, const RowPlace& place) {
  RowText texts;
  for (std::size_t i = 0; i < row.names.size(); ++i) {
    const auto* const key =
        std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& candidate) { return candidate.name == row.names[i]; });
    if (key == kKeys.end()) return place.wrong({}, "key " + shown(row.names[i]), "keys of a policy, such as `epsilon`");
    if (key->field == nullptr) continue;
    const json::Value& value = row.items[i];
    const bool fits =
        (key->text && value.kind == json::Kind::text) || (key->number && value.kind == json::Kind::number);
    if (!fits || value.text.empty()) {
      const std::string_view expected = !key->number ? "text in quotes"
                                        : key->text  ? "a slot number or a time in quotes"
                                                     : "a number";
      const std::string_view found = fits ? "an empty text" : json::describe(value.kind);
      return place.wrong({}, quoted(key->name).append(" as ").append(found), expected);
    }
    texts.*key->field = value.text;
  }
  return texts;
}

/// Either all of the first keys and none of the others, or the other way round.
Result<void> check_given(const json::Value& row, std::string_view key, const RowPlace& place) {
  if (row.member(key) == nullptr) return place.wrong({}, "no " + quoted(key), "it in every policy");
  return {};
}
Result<void> check_not_given(const json::Value& row, std::string_view key, std::string_view beside,
                             const RowPlace& place) {
  if (row.member(key) != nullptr)
    return place.wrong({}, quoted(key).append(" beside ").append(quoted(beside)), "only one of them");
  return {};
}

}  // namespace

class PolicyReader::Impl {
 public:
  Impl(Input input, PolicyOptions options)
      : lines_(std::move(input), options.block_size), is_json_(options.goes_on_in_json), parser_(std::move(options)) {}

  Result<void> open() {
    if (is_json_) return {};
    while (true) {
      FUGU_ASSIGN(const auto line, lines_.peek());
      if (!line || !is_blank(*line)) {
        is_json_ = line && line->substr(line->find_first_not_of(" \t")).starts_with('{');
        break;
      }
      FUGU_TRY(lines_.next());
    }
    if (!is_json_) {
      FUGU_ASSIGN(columns_, read_columns(lines_));
    }
    return {};
  }

  Result<bool> next(StatedPolicy& stated) {
    if (occurrence_ < occurrences_.size()) return next_occurrence(stated);
    while (true) {
      FUGU_ASSIGN(const auto line, lines_.next());
      if (!line) return false;
      const RowPlace place{lines_.file(), lines_.line(), *line};
      if (!is_json_) {
        FUGU_TRY(parse_csv(place, stated));
        return true;
      }
      if (is_blank(*line)) continue;
      FUGU_TRY(parse_json(place, stated));
      return occurrences_.empty() ? true : next_occurrence(stated);
    }
  }

  bool would_wait() { return occurrence_ >= occurrences_.size() && lines_.would_wait(); }
  const std::string& file() const { return lines_.file(); }
  bool is_json() const { return is_json_; }

 private:
  Result<void> parse_csv(const RowPlace& place, StatedPolicy& stated) {
    RowText& row = csv_row_;
    FUGU_TRY(split(place, row));
    FUGU_TRY(parser_.parse_frame(row, place, stated));
    FUGU_ASSIGN(stated.policy.interval, parser_.parse_interval(row, place));
    FUGU_TRY(parser_.parse_event(row, place, stated.policy));
    FUGU_TRY(parser_.parse_promise(row, place, stated.policy));
    return parser_.check(stated, row, place);
  }

  Result<void> split(const RowPlace& place, RowText& row) const {
    const char* at = place.line.data();
    const char* const end = at + place.line.size();
    for (std::size_t i = 0; i < columns_.count; ++i) {
      const auto* stop = static_cast<const char*>(std::memchr(at, ',', static_cast<std::size_t>(end - at)));
      const bool is_last = i + 1 == columns_.count;
      if (is_last != (stop == nullptr)) return wrong_count(place);
      if (is_last) stop = end;
      row.*columns_.texts[i] = {at, static_cast<std::size_t>(stop - at)};
      at = stop + 1;
    }
    return {};
  }
  Error wrong_count(const RowPlace& place) const {
    return place.wrong(place.line, csv::count_fields(csv::split(place.line).size()),
                       csv::count_fields(columns_.count).append(", as in the header"));
  }

  Result<void> parse_json(const RowPlace& place, StatedPolicy& stated) {
    occurrences_.clear();
    occurrence_ = 0;
    FUGU_ASSIGN(const json::Value row, json::parse_line(place.line, {place.file, place.line_number, 0}, kJsonExample));
    FUGU_ASSIGN(const RowText texts, texts_of(row, place));
    for (std::string_view key : {"meter", "epsilon"}) FUGU_TRY(check_given(row, key, place));
    FUGU_TRY(parser_.parse_frame(texts, place, stated));
    FUGU_TRY(parser_.parse_promise(texts, place, stated.policy));
    if (const json::Value* withdraw = row.member("withdraw")) {
      if (withdraw->kind != json::Kind::boolean)
        return place.wrong({}, std::string("`withdraw` as ").append(json::describe(withdraw->kind)), "true or false");
      stated.withdrawn = withdraw->flag;
    }
    FUGU_TRY(parse_json_event(row, texts, place, stated.policy));
    return parse_json_interval(row, texts, place, stated);
  }

  Result<void> parse_json_event(const json::Value& row, const RowText& texts, const RowPlace& place, Policy& policy) {
    const json::Value* const profile = row.member("profile");
    const json::Value* const patterns = row.member("patterns");
    const json::Value* const constraints = row.member("constraints");
    if (constraints != nullptr && patterns == nullptr)
      return place.wrong({}, "`constraints` without `patterns`", "both: constraints say which patterns are possible");
    if (profile == nullptr && patterns == nullptr) {
      for (std::string_view key : {"length", "magnitude"}) FUGU_TRY(check_given(row, key, place));
      return parser_.parse_event(texts, place, policy);
    }
    const std::string_view beside = profile != nullptr ? "profile" : "patterns";
    for (std::string_view key : {"length", "magnitude"}) FUGU_TRY(check_not_given(row, key, beside, place));
    if (profile == nullptr) return parser_.parse_patterns(*patterns, constraints, texts, place, policy);
    FUGU_TRY(check_not_given(row, "patterns", beside, place));
    return parser_.parse_profile(*profile, texts, place, policy);
  }

  Result<void> parse_json_interval(const json::Value& row, const RowText& texts, const RowPlace& place,
                                   StatedPolicy& stated) {
    const json::Value* const repeat = row.member("repeat");
    if (repeat == nullptr) {
      for (std::string_view key : {"start", "end"}) FUGU_TRY(check_given(row, key, place));
      FUGU_ASSIGN(stated.policy.interval, parser_.parse_interval(texts, place));
      return parser_.check(stated, texts, place);
    }
    for (std::string_view key : {"start", "end"}) FUGU_TRY(check_not_given(row, key, "repeat", place));
    FUGU_ASSIGN(auto intervals, parser_.parse_repeat(*repeat, place, stated.known));
    for (const Interval& interval : intervals) {
      stated.policy.interval = interval;
      FUGU_TRY(parser_.check(stated, texts, place));
    }
    occurrences_ = std::move(intervals);
    recurring_ = stated;
    return {};
  }

  bool next_occurrence(StatedPolicy& stated) {
    stated = recurring_;
    stated.policy.interval = occurrences_[occurrence_++];
    return true;
  }

  LineReader lines_;
  bool is_json_;
  RowParser parser_;
  Columns columns_;
  RowText csv_row_;         // kept, as clearing it for each row would show: texts of absent columns stay empty
  StatedPolicy recurring_;  // the row whose occurrences are handed out
  std::vector<Interval> occurrences_;  // all of them
  std::size_t occurrence_ = 0;         // the next
};

PolicyReader::PolicyReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PolicyReader::PolicyReader(PolicyReader&&) noexcept = default;
PolicyReader& PolicyReader::operator=(PolicyReader&&) noexcept = default;
PolicyReader::~PolicyReader() = default;

Result<PolicyReader> PolicyReader::open(Input input, PolicyOptions options) {
  auto impl = std::make_unique<Impl>(std::move(input), std::move(options));
  FUGU_TRY(impl->open());
  return PolicyReader(std::move(impl));
}

Result<bool> PolicyReader::next(StatedPolicy& stated) { return impl_->next(stated); }
bool PolicyReader::would_wait() { return impl_->would_wait(); }
const std::string& PolicyReader::file() const { return impl_->file(); }
bool PolicyReader::is_json() const { return impl_->is_json(); }

}  // namespace fugu
