#include "series_patterns.hpp"

#include <algorithm>

#include "fugu/stream/location.hpp"

namespace fugu::cli {

namespace {

/// Of series that nothing was said about, more would not help.
constexpr std::size_t kNamesShown = 5;

std::string some_names(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i)
    text += (i == 0 ? "" : ", ") + shown_name(names[i]);
  return text + (names.size() > kNamesShown ? ", …" : "");
}

/// The patterns that mean a series.
std::vector<std::size_t> patterns_of(std::string_view name, std::span<const SeriesPattern> patterns) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (matches(patterns[i].text, name)) found.push_back(i);
  }
  return found;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  return name.size() >= pattern.size() - 1 && name.starts_with(pattern.substr(0, star)) &&
         name.ends_with(pattern.substr(star + 1));
}

Error error_of(std::string_view what, const std::vector<std::string>& mistakes) {
  std::string text = std::string(what) + ": ";
  if (mistakes.size() == 1) return {Cause::bad_input, text + mistakes[0]};
  text += std::to_string(mistakes.size()) + " mistakes:";
  for (const std::string& mistake : mistakes) text += "\n  " + mistake;
  return {Cause::bad_input, text};
}

std::vector<std::size_t> assign_patterns(std::span<const SeriesPattern> patterns, std::span<const std::string> series,
                                         std::vector<std::string>& mistakes) {
  std::vector<std::size_t> assigned;
  std::vector<bool> means_some(patterns.size(), false);
  std::vector<std::string_view> left_out;
  for (const std::string& name : series) {
    const std::vector<std::size_t> found = patterns_of(name, patterns);
    for (const std::size_t i : found) means_some[i] = true;
    if (found.empty()) left_out.push_back(name);
    if (found.size() > 1)
      mistakes.push_back("series " + shown_name(name) + " is meant twice: by " + shown(patterns[found[0]].text) + " (" +
                         patterns[found[0]].where + ") and by " + shown(patterns[found[1]].text) + " (" +
                         patterns[found[1]].where + "); expected once");
    assigned.push_back(found.empty() ? 0 : found[0]);
  }
  if (!left_out.empty())
    mistakes.push_back(std::to_string(left_out.size()) + (left_out.size() == 1 ? " series is" : " series are") +
                       " left out: " + some_names(left_out) + "; expected each series once");
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (!means_some[i])
      mistakes.push_back(patterns[i].where + ": " + shown(patterns[i].text) + " is the name of no series");
  }
  return assigned;
}

}  // namespace fugu::cli
