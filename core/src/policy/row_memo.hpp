// What rows of policies have in common, so that it is not parsed again: millions of rows name few days and few
// appliances.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace fugu {

/// Remembers the day of the last time of the form `2026-03-29T01:45:00+01:00`: of another time of that day, offset and
/// second, only hour and minute are read.
class DayMemo {
 public:
  /// The instant of `text`, if it is like the last one.
  std::optional<std::int64_t> find(std::string_view text) const {
    if (text.size() != kSize || !same_frame(text.data())) return std::nullopt;
    const std::int64_t seconds = seconds_of_day(text.data());
    if (seconds < 0) return std::nullopt;
    return midnight_s_ + seconds;
  }
  /// `text` was parsed, and means `instant_s`.
  void remember(std::string_view text, std::int64_t instant_s) {
    if (text.size() != kSize) return;
    const std::int64_t seconds = seconds_of_day(text.data());
    if (seconds < 0) return;
    std::memcpy(text_.data(), text.data(), kSize);
    midnight_s_ = instant_s - seconds;
  }

 private:
  static constexpr std::size_t kSize = 25;
  static constexpr std::size_t kHour = 11;
  static constexpr std::size_t kSecond = 16;

  static std::uint64_t word(const char* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  // Everything but hour and minute.
  bool same_frame(const char* text) const {
    const char* const last = text_.data();
    return ((word(text) ^ word(last)) | (word(text + kHour - 8) ^ word(last + kHour - 8)) |
            (word(text + kSecond) ^ word(last + kSecond)) | (word(text + kSize - 8) ^ word(last + kSize - 8))) == 0;
  }
  // Of `01:45` after the date; negative when it is no time of day.
  static std::int64_t seconds_of_day(const char* text) {
    const auto digit = [&](std::size_t at) {
      return static_cast<unsigned>(static_cast<unsigned char>(text[at] - '0'));
    };
    const unsigned h1 = digit(kHour), h2 = digit(kHour + 1), m1 = digit(kHour + 3), m2 = digit(kHour + 4);
    if (h1 > 2 || h2 > 9 || m1 > 5 || m2 > 9 || h1 * 10 + h2 > 23 || text[kHour + 2] != ':') return -1;
    return (h1 * 10 + h2) * 3600 + (m1 * 10 + m2) * 60;
  }

  std::array<char, kSize> text_{};  // zeros are like no time
  std::int64_t midnight_s_ = 0;
};

/// Remembers what short texts mean in steps.
class StepsMemo {
 public:
  std::optional<std::int64_t> find(std::string_view text) const {
    const Entry& entry = entries_[index(text)];
    if (entry.size != text.size() || entry.key != key(text)) return std::nullopt;
    return entry.steps;
  }
  void remember(std::string_view text, std::int64_t steps) {
    if (!text.empty() && text.size() <= kSizeMax) entries_[index(text)] = {key(text), text.size(), steps};
  }

 private:
  static constexpr std::size_t kSizeMax = 8;
  static constexpr unsigned kIndexBits = 7;
  struct Entry {
    std::uint64_t key = 0;
    std::size_t size = 0;  // 0: free, as no empty text is remembered
    std::int64_t steps = 0;
  };

  // Longer texts are like none in the memo, whatever their key.
  static std::uint64_t key(std::string_view text) {
    std::uint64_t packed = 0;
    for (const char c : text.substr(0, kSizeMax)) packed = packed << 8 | static_cast<unsigned char>(c);
    return packed;
  }
  static std::size_t index(std::string_view text) { return key(text) * 0x9e3779b97f4a7c15 >> (64 - kIndexBits); }

  std::array<Entry, std::size_t{1} << kIndexBits> entries_{};
};

}  // namespace fugu
