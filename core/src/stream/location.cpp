#include "fugu/stream/location.hpp"

#include <algorithm>

#include "fugu/stream/decimal.hpp"

namespace fugu {
namespace {

constexpr std::size_t kShownMax = 40;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool reads_as_number(std::string_view text) {
  std::int64_t steps = 0;
  const DecimalFault fault = UnitStep().steps(text, steps);
  return fault != DecimalFault::text && fault != DecimalFault::empty;
}

bool starts_like_a_date(std::string_view text) {
  return text.size() >= 6 && std::all_of(text.begin(), text.begin() + 4, is_digit) && text[4] == '-' &&
         is_digit(text[5]) && text.find_first_of(".eE") == std::string_view::npos;
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7f) {
    out += c;
    return;
  }
  out += "\\x";
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

}  // namespace

Error found_but_expected(const Location& where, std::string_view found, std::string_view expected) {
  std::string message(where.file);
  if (where.line != 0) message.append(":").append(std::to_string(where.line));
  if (where.line != 0 && where.column != 0) message.append(":").append(std::to_string(where.column));
  message.append(": found ").append(found).append("; expected ").append(expected);
  return {Cause::bad_input, std::move(message)};
}

std::string shown(std::string_view text) {
  std::string out = "'";
  for (char c : text.substr(0, kShownMax)) append_escaped(out, c);
  out += text.size() > kShownMax ? "…'" : "'";
  return out;
}

std::string shown_name(std::string_view text) {
  if (text.empty()) return "nothing";
  return reads_as_number(text) ? "a number" : shown(text);
}

std::string shown_time(std::string_view text) {
  if (text.empty()) return "nothing";
  if (starts_like_a_date(text)) return shown(text);
  return reads_as_number(text) ? "written as a number" : "written as text";
}

}  // namespace fugu
