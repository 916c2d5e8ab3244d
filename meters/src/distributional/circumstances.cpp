#include "fugu/distributional/circumstances.hpp"

#include <chrono>
#include <utility>

namespace fugu {

namespace {

constexpr std::size_t kHours = 24;
constexpr std::size_t kSeasons = 4;
constexpr std::int32_t kOffsetMax = 18 * 3600;

}  // namespace

Result<Circumstances> Circumstances::parse(std::string_view text, std::int32_t utc_offset_s) {
  const Error wrong{Cause::usage,
                    "circumstances: expected hour, weekend and season, each at most once, as in hour,weekend; or none"};
  Circumstances found;
  if (utc_offset_s < -kOffsetMax || utc_offset_s > kOffsetMax) return wrong;
  if (text == "none") return found;
  found.utc_offset_s_ = utc_offset_s;
  while (true) {
    const std::string_view word = text.substr(0, text.find(','));
    bool* const which = word == "hour"      ? &found.hour_
                        : word == "weekend" ? &found.weekend_
                        : word == "season"  ? &found.season_
                                            : nullptr;
    if (which == nullptr || std::exchange(*which, true)) return wrong;
    if (word.size() == text.size()) return found;
    text.remove_prefix(word.size() + 1);
  }
}

std::size_t Circumstances::count() const {
  return (hour_ ? kHours : 1) * (weekend_ ? 2 : 1) * (season_ ? kSeasons : 1);
}

std::size_t Circumstances::at(std::int64_t instant_s) const {
  using namespace std::chrono;
  const sys_seconds local{seconds(instant_s + utc_offset_s_)};
  const sys_days day = floor<days>(local);
  std::size_t index = 0;
  if (season_) {  // from December on, three months each
    const unsigned month_of_year = static_cast<unsigned>(year_month_day(day).month());
    index = month_of_year % 12 / 3;
  }
  if (weekend_) {
    const weekday of_week(day);
    index = 2 * index + (of_week == Saturday || of_week == Sunday ? 1 : 0);
  }
  if (hour_) index = kHours * index + static_cast<std::size_t>(floor<hours>(local - day).count());
  return index;
}

std::string Circumstances::text() const {
  std::string text;
  for (const auto& [given, name] : {std::pair(hour_, "hour"), {weekend_, "weekend"}, {season_, "season"}}) {
    if (given) text.append(text.empty() ? "" : ",").append(name);
  }
  return text.empty() ? "none" : text;
}

std::string Circumstances::left_out() const {
  std::string text;
  for (const auto& [given, name] : {std::pair(hour_, "hour"), {weekend_, "weekend"}, {season_, "season"}}) {
    if (!given) text.append(text.empty() ? "" : ",").append(name);
  }
  return text;
}

}  // namespace fugu
