#include "fugu/distance/area.hpp"

#include <charconv>
#include <cstdint>
#include <utility>

namespace fugu::querylog {

namespace {

std::string shown(const Value& value) {
  if (const auto* const number = std::get_if<DecimalNumber>(&value)) return number->text();
  return "'" + std::get<std::string>(value) + "'";
}

}  // namespace

Area::Cut Area::cut(const Type& type, const Value& value, bool after) {
  const auto* const number = std::get_if<DecimalNumber>(&value);
  if (number == nullptr || !type.is_discrete()) return {value, after};
  const int places = type.decimal_places();
  return {after ? number->next(places) : number->rounded_up(places), false};  // always before a value that there is
}

Area Area::values_of(const Type& type) {
  Area all;
  if (type.kind == Type::Kind::boolean) {
    all.cuts_ = {{DecimalNumber(0), false}, {DecimalNumber(2), false}};
  } else if (type.limit) {
    const DecimalNumber below_least = type.decimal_places() == 0 && type.word != "numeric"
                                          ? type.limit->next(0).negated()  // integers reach one further down
                                          : type.limit->negated();
    all.cuts_ = {{below_least, false}, {type.limit->next(type.decimal_places()), false}};
  } else {
    all.starts_inside_ = true;
  }
  return all;
}

Area Area::null() {
  Area area;
  area.has_null_ = true;
  return area;
}

Area Area::below(const Type& type, const Value& value, bool inclusive) {
  Area area;
  area.starts_inside_ = true;
  area.cuts_ = {cut(type, value, inclusive)};
  return area.intersected(values_of(type));
}

Area Area::above(const Type& type, const Value& value, bool inclusive) {
  Area area;
  area.cuts_ = {cut(type, value, !inclusive)};
  return area.intersected(values_of(type));
}

Area Area::equal_to(const Type& type, const Value& value) {
  return below(type, value, true).intersected(above(type, value, true));
}

Area Area::starting_with(const Type& type, const std::string& prefix) {
  Area area = above(type, Value(prefix), true);
  std::string end = prefix;  // the smallest text above all with that prefix
  while (!end.empty() && end.back() == '\xFF') end.pop_back();
  if (end.empty()) return area;
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return area.intersected(below(type, Value(end), false));
}

/// Walks over the cuts of both, and keeps those where `rule(inside a, inside b)` changes.
template <class Rule>
Area Area::merged(const Area& a, const Area& b, Rule rule) {
  Area result;
  result.has_null_ = rule(a.has_null_, b.has_null_);
  bool in_a = a.starts_inside_;
  bool in_b = b.starts_inside_;
  bool inside = rule(in_a, in_b);
  result.starts_inside_ = inside;
  auto next_a = a.cuts_.begin();
  auto next_b = b.cuts_.begin();
  while (next_a != a.cuts_.end() || next_b != b.cuts_.end()) {
    const bool takes_a = next_b == b.cuts_.end() || (next_a != a.cuts_.end() && !(*next_b < *next_a));
    const bool takes_b = next_a == a.cuts_.end() || (next_b != b.cuts_.end() && !(*next_a < *next_b));
    const Cut& here = takes_a ? *next_a : *next_b;
    if (takes_a) in_a = !in_a;
    if (takes_b) in_b = !in_b;
    if (rule(in_a, in_b) != inside) {
      inside = !inside;
      result.cuts_.push_back(here);
    }
    if (takes_a) ++next_a;
    if (takes_b) ++next_b;
  }
  return result;
}

Area Area::united(const Area& other) const {
  return merged(*this, other, [](bool a, bool b) { return a || b; });
}

Area Area::intersected(const Area& other) const {
  return merged(*this, other, [](bool a, bool b) { return a && b; });
}

Area Area::without(const Area& other) const {
  return merged(*this, other, [](bool a, bool b) { return a && !b; });
}

Area Area::days_as_timestamps() const {
  Area result = *this;
  for (Cut& each : result.cuts_) {  // all of them before a day, and days have four digits of a year
    const std::string days = std::get<DecimalNumber>(each.value).text();
    std::int64_t count = 0;
    std::from_chars(days.data(), days.data() + days.size(), count);
    each.value = DecimalNumber(count * 86'400'000'000);
  }
  return result;
}

std::string Area::text() const {
  std::string result;
  const auto add = [&result](const std::string& part) { result += (result.empty() ? "" : " ") + part; };
  std::string open = "(-∞, ";
  bool inside = starts_inside_;
  for (const Cut& each : cuts_) {
    if (inside) {
      add(open + shown(each.value) + (each.after ? "]" : ")"));
    } else {
      open = (each.after ? "(" : "[") + shown(each.value) + ", ";
    }
    inside = !inside;
  }
  if (inside) add(open + "∞)");
  if (has_null_) add("NULL");
  return result.empty() ? "nothing" : result;
}

}  // namespace fugu::querylog
