#include "fugu/sql/type.hpp"

#include <charconv>
#include <chrono>
#include <span>

namespace fugu::querylog {

namespace {

constexpr std::int64_t kDayUs = 86'400'000'000;

struct NamedType {
  std::string_view name;
  Type type;
};

Type integer(const char* word, const char* limit) {
  return {.kind = Type::Kind::number, .word = word, .places = 0, .limit = DecimalNumber::parse(limit)};
}

std::span<const NamedType> named_types() {
  using Kind = Type::Kind;
  static const Type smallint = integer("smallint", "32767");
  static const Type plain_integer = integer("integer", "2147483647");
  static const Type bigint = integer("bigint", "9223372036854775807");
  static const Type floating{.kind = Kind::number, .word = "double precision"};
  static const Type numeric{.kind = Kind::number, .word = "numeric"};
  static const Type text{.kind = Kind::text, .word = "text"};
  static const Type varchar{.kind = Kind::text, .word = "varchar"};
  static const Type character{.kind = Kind::text, .word = "char", .length = 1, .is_padded = true};
  static const Type date{.kind = Kind::date, .word = "date"};
  static const Type time{.kind = Kind::time, .word = "time"};
  static const Type timestamp{.kind = Kind::timestamp, .word = "timestamp"};
  static const Type boolean{.kind = Kind::boolean, .word = "boolean"};
  // Names as the parser gives them, as people write them, and as MySQL has them.
  static const NamedType types[] = {
      {"int2", smallint},
      {"int4", plain_integer},
      {"int8", bigint},
      {"smallint", smallint},
      {"integer", plain_integer},
      {"int", plain_integer},
      {"bigint", bigint},
      {"serial", plain_integer},
      {"bigserial", bigint},
      {"tinyint", smallint},
      {"mediumint", plain_integer},
      {"float4", floating},
      {"float8", floating},
      {"double", floating},
      {"real", floating},
      {"float", floating},
      {"numeric", numeric},
      {"decimal", numeric},
      {"text", text},
      {"varchar", varchar},
      {"bpchar", character},
      {"char", character},
      {"longtext", text},
      {"mediumtext", text},
      {"date", date},
      {"time", time},
      {"timestamp", timestamp},
      {"datetime", timestamp},
      {"bool", boolean},
      {"boolean", boolean},
  };
  return types;
}

/// `count` digits at the start of `text`, which is moved on.
std::optional<int> digits(std::string_view& text, std::size_t count) {
  int value = 0;
  if (text.size() < count) return std::nullopt;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + count, value);
  if (fault != std::errc{} || end != text.data() + count || value < 0) return std::nullopt;
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::int64_t> days(std::string_view& text) {
  const auto year = digits(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = digits(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

std::optional<std::int64_t> microseconds(std::string_view& text) {
  const auto hour = digits(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
  const auto minute = digits(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  std::int64_t result = (*hour * 60 + *minute) * std::int64_t{60'000'000};
  if (!take(text, ':')) return result;
  const auto second = digits(text, 2);
  if (!second || *second > 59) return std::nullopt;
  result += *second * std::int64_t{1'000'000};
  if (!take(text, '.')) return result;
  std::int64_t unit = 100'000;
  bool any = false;
  for (; unit > 0 && !text.empty(); unit /= 10) {
    const auto digit = digits(text, 1);
    if (!digit) return std::nullopt;
    result += *digit * unit;
    any = true;
  }
  return any ? std::optional(result) : std::nullopt;
}

std::optional<std::int64_t> timestamp(std::string_view& text) {
  const auto date = days(text);
  if (!date || text.empty()) return date ? std::optional(*date * kDayUs) : std::nullopt;
  if (!take(text, ' ') && !take(text, 'T')) return std::nullopt;
  const auto time = microseconds(text);
  return time ? std::optional(*date * kDayUs + *time) : std::nullopt;
}

std::optional<Value> all_of(std::string_view rest, std::optional<std::int64_t> read) {
  if (!read || !rest.empty()) return std::nullopt;
  return DecimalNumber(*read);
}

std::optional<Value> truth(const Constant& constant) {
  for (const std::string_view yes : {"true", "t", "yes", "on", "1"}) {
    if (constant.text == yes) return DecimalNumber(1);
  }
  for (const std::string_view no : {"false", "f", "no", "off", "0"}) {
    if (constant.text == no) return DecimalNumber(0);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Type> type_named(std::string_view name, std::optional<int> first, std::optional<int> second) {
  for (const NamedType& each : named_types()) {
    if (each.name != name) continue;
    Type type = each.type;
    if (type.word == "numeric" && first) {
      type.places = second.value_or(0);
      if (*first < 1 || *first > 1000 || *type.places < 0 || *type.places > *first) return std::nullopt;
      const std::string nines(static_cast<std::size_t>(*first), '9');
      type.limit = DecimalNumber::parse(nines + "e-" + std::to_string(*type.places));
    }
    if (type.kind == Type::Kind::text && first && *first > 0) type.length = static_cast<std::uint32_t>(*first);
    return type;
  }
  return std::nullopt;
}

std::optional<Value> value_of(const Constant& constant, const Type& type) {
  if (constant.kind == Constant::Kind::null) return std::nullopt;
  std::string_view text = constant.text;
  switch (type.kind) {
    case Type::Kind::number: {
      const auto number = DecimalNumber::parse(text);
      return number ? std::optional<Value>(*number) : std::nullopt;
    }
    case Type::Kind::date: {
      const auto read = days(text);
      return all_of(text, read);
    }
    case Type::Kind::time: {
      const auto read = microseconds(text);
      return all_of(text, read);
    }
    case Type::Kind::timestamp: {
      const auto read = timestamp(text);
      return all_of(text, read);
    }
    case Type::Kind::boolean: return truth(constant);
    case Type::Kind::text: break;
  }
  if (type.is_padded) text = text.substr(0, text.find_last_not_of(' ') + 1);
  return std::string(text);
}

}  // namespace fugu::querylog
