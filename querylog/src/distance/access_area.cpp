#include "fugu/distance/access_area.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "fugu/base/check.hpp"
#include "fugu/sql/predicate.hpp"

namespace fugu::querylog {

namespace {

using Kind = Expression::Kind;
using Source = Expression::Source;

bool is_integer(const Type& type) {
  return type.kind == Type::Kind::number && type.places == 0 && type.word != "numeric";
}

/// Whether a cast keeps all values and their order.
bool keeps_values(const Type& from, const Type& to) {
  if (from.kind != to.kind) return false;
  if (from.kind == Type::Kind::text) return !from.is_padded && !to.is_padded && !to.length && to.word != "interval";
  if (from.kind != Type::Kind::number) return true;
  if (is_integer(to)) return is_integer(from) && !(*to.limit < *from.limit);
  return !to.limit && (is_integer(from) || from.word == to.word);
}

/// Values for which a condition can be true, whatever the other attributes are. What is not understood restricts
/// nothing, so an area may be too large, never too small.
class Restriction {
 public:
  Restriction(const Statement& statement, Source source, const Type& type, bool may_lack_row)
      : statement_(statement), source_(source), type_(type), may_lack_row_(may_lack_row) {}

  Area of(const Expression& condition, bool negated = false) const {
    switch (condition.kind) {
      case Kind::negation: return of(condition.operands[0], !negated);
      case Kind::all_of:
      case Kind::any_of: {
        const bool intersects = (condition.kind == Kind::all_of) != negated;
        std::optional<Area> result;
        for (const Expression& operand : condition.operands) {
          Area area = of(operand, negated);
          result = !result ? std::move(area) : intersects ? result->intersected(area) : result->united(area);
        }
        return *std::move(result);
      }
      case Kind::column:
        if (plain_source(condition) != source_ || type_.kind != Type::Kind::boolean) return all();
        return Area::equal_to(type_, Value(DecimalNumber(negated ? 0 : 1)));
      default: break;
    }
    const auto predicate = predicate_of(condition, statement_);
    return predicate ? of(*predicate, negated) : all();
  }

  /// Nothing is known.
  Area all() const { return Area::values_of(type_).united(Area::null()); }

 private:
  Area of(const Predicate& predicate, bool negated) const {
    const bool is_right = predicate.other != nullptr && plain_source(*predicate.other) == source_;
    if (plain_source(*predicate.column) != source_ && !is_right) return all();
    if (predicate.word == "IS NULL" || predicate.word == "IS NOT NULL") {
      const bool wants_null = (predicate.word == "IS NULL") != negated;
      if (wants_null && may_lack_row_) return all();  // NULL may also say that there is no row
      return wants_null ? Area::null() : values();
    }
    if (predicate.word.starts_with("IS ")) return all();  // true for NULL or not, as the other side wants it
    if (predicate.other != nullptr) return values();      // a comparison with NULL is not true
    if (!predicate.cast || keeps_values(type_, *predicate.cast)) return compared(predicate, type_, negated);
    if (type_.kind == Type::Kind::timestamp && predicate.cast->kind == Type::Kind::date) {
      return compared(predicate, *predicate.cast, negated).days_as_timestamps().intersected(values());
    }
    return values();
  }

  Area values() const { return Area::values_of(type_); }

  /// Of a comparison with constants.
  static Area compared(const Predicate& predicate, const Type& type, bool negated) {
    std::string_view word = predicate.word;
    if (word.starts_with("NOT ")) {
      negated = !negated;
      word.remove_prefix(4);
    }
    std::vector<Value> values;
    bool has_null = false;
    for (const Constant& constant : predicate.constants) {
      const auto value = value_of(constant, type);
      if (value) values.push_back(*value);
      has_null |= constant.kind == Constant::Kind::null;
    }
    Area all = Area::values_of(type);
    if (word == "IN") return has_null && negated ? Area() : in(values, type, negated);
    if (values.size() < predicate.constants.size()) return has_null ? Area() : all;
    const auto found = matched(word, values, type);
    if (!found) return all;
    return negated ? all.without(*found) : *found;
  }

  static Area in(const std::vector<Value>& values, const Type& type, bool negated) {
    Area area;
    for (const Value& value : values) area = area.united(Area::equal_to(type, value));
    return negated ? Area::values_of(type).without(area) : area;
  }

  static std::optional<Area> matched(std::string_view word, const std::vector<Value>& values, const Type& type) {
    if (word == "=") return Area::equal_to(type, values[0]);
    if (word == "<>") return Area::values_of(type).without(Area::equal_to(type, values[0]));
    if (word == "<" || word == "<=") return Area::below(type, values[0], word == "<=");
    if (word == ">" || word == ">=") return Area::above(type, values[0], word == ">=");
    if (word == "BETWEEN" || word == "BETWEEN SYMMETRIC") {
      const auto between = [&](const Value& low, const Value& high) {
        return Area::above(type, low, true).intersected(Area::below(type, high, true));
      };
      if (word == "BETWEEN") return between(values[0], values[1]);
      return between(values[0], values[1]).united(between(values[1], values[0]));
    }
    if (word == "LIKE" && type.kind == Type::Kind::text && !type.is_padded) {
      return like(std::get<std::string>(values[0]), type);
    }
    return std::nullopt;
  }

  /// Of patterns without wildcards and of prefixes; other patterns restrict nothing.
  static std::optional<Area> like(const std::string& pattern, const Type& type) {
    const std::size_t special = pattern.find_first_of("%_\\");
    if (special == std::string::npos) return Area::equal_to(type, Value(pattern));
    if (pattern[special] == '%' && special + 1 == pattern.size()) {
      return Area::starting_with(type, pattern.substr(0, special));
    }
    return std::nullopt;
  }

  const Statement& statement_;
  Source source_;
  const Type& type_;
  bool may_lack_row_;
};

/// Goes through all blocks of a statement.
class Reader {
 public:
  Reader(const Statement& statement, const Schema& schema, const Domains& domains)
      : statement_(statement), schema_(schema), domains_(domains) {}

  AccessAreas read() && {
    for (const Occurrence& occurrence : statement_.occurrences) result_.relations.push_back(occurrence.relation);
    std::ranges::sort(result_.relations);
    result_.relations.erase(std::unique(result_.relations.begin(), result_.relations.end()), result_.relations.end());
    add(statement_.query);
    for (const Source source : accessed_) {  // of each relation that is named, only what its block keeps of it
      const auto block = blocks_.find(statement_.occurrences[source.occurrence].block);
      const Area area = block == blocks_.end() ? all_of(source) : area_in(*block->second, source);
      Area& known = result_.areas[statement_.attribute(source)];
      known = known.united(area);
    }
    return std::move(result_);
  }

 private:
  void add(const Query& query) {
    for (const auto* const queries : {&query.with, &query.sides, &query.derived}) {
      for (const Query& each : *queries) add(each);
    }
    if (query.set_word.empty()) blocks_[query.block] = &query;
    for (const Output& output : query.outputs) look_for_queries(output.expression);
    for (const Join& join : query.joins) access(join.condition);
    access(query.where);
    for (const Expression& key : query.group_by) access(key);
    access(query.having);
    for (const SortKey& key : query.order_by) access(key.expression);
  }

  void access(const std::optional<Expression>& expression) {
    if (expression) access(*expression);
  }
  void access(const Expression& expression) {
    accessed_.insert(expression.sources.begin(), expression.sources.end());
    if (expression.query) add(*expression.query);
    for (const Expression& operand : expression.operands) access(operand);
  }
  /// What is only selected is not accessed, but a subquery there may filter.
  void look_for_queries(const Expression& expression) {
    if (expression.query) add(*expression.query);
    for (const Expression& operand : expression.operands) look_for_queries(operand);
  }

  const Area& all_of(Source source) const { return domains_.of(statement_.attribute(source)); }

  Area area_in(const Query& block, Source source) const {
    const Column& column = schema_.column(statement_.attribute(source));
    const Occurrence& occurrence = statement_.occurrences[source.occurrence];
    Area area = all_of(source);
    const Restriction restriction(statement_, source, column.type, occurrence.is_optional);
    for (const Join& join : block.joins) {
      if (join.condition && std::ranges::count(join.restricted, source.occurrence) > 0) {
        area = area.intersected(restriction.of(*join.condition));
      }
    }
    if (block.where) area = area.intersected(restriction.of(*block.where));
    if (block.having) area = area.intersected(restriction.of(*block.having));
    return area;
  }

  const Statement& statement_;
  const Schema& schema_;
  const Domains& domains_;
  std::map<std::uint32_t, const Query*> blocks_;
  std::set<Source> accessed_;
  AccessAreas result_;
};

enum class Overlap : std::uint8_t { equal, some, none };

Overlap compare(const Area& a, const Area& b) {
  if (a == b) return Overlap::equal;
  return a.intersected(b).is_empty() ? Overlap::none : Overlap::some;
}

/// Counts what the distance is the mean of.
class Mean {
 public:
  explicit Mean(mining::Fraction overlap) : overlap_(overlap) {
    FUGU_CHECK(overlap.num > 0 && overlap.num < overlap.den && overlap.den <= 1000);
  }
  void add(Overlap found) {
    ++attributes_;
    sum_ += found == Overlap::equal ? 0 : found == Overlap::some ? overlap_.num : overlap_.den;
  }
  mining::Fraction value() const {
    if (attributes_ == 0) return {0, 1};
    return {sum_, attributes_ * overlap_.den};
  }

 private:
  mining::Fraction overlap_;
  std::uint32_t attributes_ = 0;
  std::uint32_t sum_ = 0;
};

/// Areas of a log by numbers, so that two of them are compared once, however many queries have them.
class NumberedAreas {
 public:
  NumberedAreas(std::span<const AccessAreas> queries, const Domains& domains) {
    std::map<Attribute, std::size_t> places;
    for (const AccessAreas& query : queries) {
      for (const auto& [attribute, area] : query.areas) places.emplace(attribute, 0);
    }
    std::vector<std::map<Area, std::size_t>> numbers;
    for (auto& [attribute, place] : places) {
      place = attributes_.size();
      attributes_.push_back({attribute.relation, {Area(), domains.of(attribute)}, {}});
      numbers.push_back({{Area(), kNothing}, {domains.of(attribute), kDomain}});
    }
    for (const AccessAreas& query : queries) {
      Row& row = rows_.emplace_back();
      row.relations = &query.relations;
      for (const auto& [attribute, area] : query.areas) {
        const std::size_t place = places.at(attribute);
        std::vector<Area>& areas = attributes_[place].areas;
        const auto [number, is_new] = numbers[place].emplace(area, areas.size());
        if (is_new) areas.push_back(area);
        row.areas.push_back({place, number->second});
      }
    }
    for (Known& known : attributes_) known.overlaps = table_of(known.areas);
  }

  mining::Fraction distance(std::size_t a, std::size_t b, mining::Fraction overlap) const {
    Mean mean(overlap);
    const Row& row_a = rows_[a];
    const Row& row_b = rows_[b];
    auto next_a = row_a.areas.begin();
    auto next_b = row_b.areas.begin();
    while (next_a != row_a.areas.end() || next_b != row_b.areas.end()) {
      const bool takes_a =
          next_b == row_b.areas.end() || (next_a != row_a.areas.end() && next_a->place <= next_b->place);
      const bool takes_b =
          next_a == row_a.areas.end() || (next_b != row_b.areas.end() && next_b->place <= next_a->place);
      const Known& known = attributes_[takes_a ? next_a->place : next_b->place];
      const std::size_t area_a = takes_a ? (next_a++)->area : absent_from(row_a, known);
      const std::size_t area_b = takes_b ? (next_b++)->area : absent_from(row_b, known);
      mean.add(known.overlap(area_a, area_b));
    }
    return mean.value();
  }

 private:
  static constexpr std::size_t kNothing = 0;
  static constexpr std::size_t kDomain = 1;

  struct Known {
    std::uint32_t relation;
    std::vector<Area> areas;        // nothing, the domain, and what queries have
    std::vector<Overlap> overlaps;  // of each with each; empty when they are too many

    Overlap overlap(std::size_t a, std::size_t b) const {
      return overlaps.empty() ? compare(areas[a], areas[b]) : overlaps[a * areas.size() + b];
    }
  };
  struct Numbered {
    std::size_t place;  // of the attribute
    std::size_t area;
  };
  struct Row {
    std::vector<Numbered> areas;
    const std::vector<std::uint32_t>* relations = nullptr;
  };

  static std::size_t absent_from(const Row& row, const Known& known) {
    return std::ranges::binary_search(*row.relations, known.relation) ? kDomain : kNothing;
  }
  static constexpr std::size_t kTableMax = 1024;
  static std::vector<Overlap> table_of(const std::vector<Area>& areas) {
    std::vector<Overlap> result;
    if (areas.size() > kTableMax) return result;  // most of them are compared once at best
    result.reserve(areas.size() * areas.size());
    for (const Area& a : areas) {
      for (const Area& b : areas) result.push_back(compare(a, b));
    }
    return result;
  }

  std::vector<Known> attributes_;
  std::vector<Row> rows_;
};

}  // namespace

Domains::Domains(const Schema& schema) {
  for (const Relation& relation : schema.relations()) {
    Statement checked;  // CHECKs are conditions on an occurrence 0
    checked.occurrences.push_back({.relation = static_cast<std::uint32_t>(areas_.size())});
    std::vector<Area>& areas = areas_.emplace_back();
    for (const Column& column : relation.columns) {
      const Source source{0, static_cast<std::uint32_t>(areas.size())};
      Area area = Area::values_of(column.type);
      // A CHECK passes when it is true or NULL, which it is for a NULL in it: only what makes it false is left out.
      const Restriction restriction(checked, source, column.type, false);
      for (const Expression& check : relation.checks) {
        area = area.intersected(restriction.of(check).intersected(Area::values_of(column.type)));
      }
      areas.push_back(column.is_nullable ? area.united(Area::null()) : area);
    }
  }
}

AccessAreas access_areas(const Statement& statement, const Schema& schema, const Domains& domains) {
  return Reader(statement, schema, domains).read();
}

mining::Fraction access_area_distance(const AccessAreas& a, const AccessAreas& b, const Domains& domains,
                                      mining::Fraction overlap) {
  static const Area kNothing;
  const auto absent_from = [&domains](const AccessAreas& query, Attribute attribute) -> const Area& {
    return std::ranges::binary_search(query.relations, attribute.relation) ? domains.of(attribute) : kNothing;
  };
  Mean mean(overlap);
  auto next_a = a.areas.begin();
  auto next_b = b.areas.begin();
  while (next_a != a.areas.end() || next_b != b.areas.end()) {
    const bool takes_a = next_b == b.areas.end() || (next_a != a.areas.end() && next_a->first <= next_b->first);
    const bool takes_b = next_a == a.areas.end() || (next_b != b.areas.end() && next_b->first <= next_a->first);
    const Attribute attribute = takes_a ? next_a->first : next_b->first;
    mean.add(compare(takes_a ? next_a->second : absent_from(a, attribute),
                     takes_b ? next_b->second : absent_from(b, attribute)));
    if (takes_a) ++next_a;
    if (takes_b) ++next_b;
  }
  return mean.value();
}

mining::DistanceMatrix access_area_distances(std::span<const AccessAreas> queries, const Domains& domains,
                                             mining::Fraction overlap) {
  const NumberedAreas numbered(queries, domains);
  mining::DistanceMatrix matrix(queries.size());
  for (std::size_t a = 1; a < queries.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) matrix.set(a, b, numbered.distance(a, b, overlap));
  }
  return matrix;
}

}  // namespace fugu::querylog
