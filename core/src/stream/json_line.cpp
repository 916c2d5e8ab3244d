#include "fugu/stream/json_line.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace fugu::json {
namespace {

constexpr std::size_t kDepthMax = 8;

/// Builds the tree; each handler returns false to stop, and then `found` says why.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(std::string_view expected_object) : expected_object_(expected_object) {}

  Value root;
  std::string found;
  std::string expected;
  std::size_t error_column = 0;

  bool null() override { return add(Kind::null); }
  bool boolean(bool flag) override {
    if (!add(Kind::boolean)) return false;
    last_->flag = flag;
    return true;
  }
  bool number_integer(number_integer_t number) override { return add(Kind::number, std::to_string(number)); }
  bool number_unsigned(number_unsigned_t number) override { return add(Kind::number, std::to_string(number)); }
  bool number_float(number_float_t, const string_t& text) override { return add(Kind::number, text); }
  bool string(string_t& text) override { return add(Kind::text, std::move(text)); }
  bool binary(binary_t&) override { return fail("binary data", std::string(expected_object_)); }

  bool start_object(std::size_t) override { return add(Kind::object) && open(); }
  bool start_array(std::size_t) override { return add(Kind::array) && open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    Level& level = open_.back();
    if (!level.names.insert(name).second) return fail("key " + shown(name) + " twice", "each key once");
    level.value->names.push_back(std::move(name));
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    error_column = position;
    return fail("text that is no JSON", std::string(expected_object_));
  }

 private:
  struct Level {
    Value* value;  // stays where it is while it is open: only the innermost level grows
    std::set<std::string> names;
  };

  bool fail(std::string what, std::string instead) {
    found = std::move(what);
    expected = std::move(instead);
    return false;
  }
  bool add(Kind kind, std::string text = {}) {
    if (open_.empty()) {
      last_ = &root;
    } else {
      last_ = &open_.back().value->items.emplace_back();
    }
    last_->kind = kind;
    last_->text = std::move(text);
    return true;
  }
  bool open() {
    if (open_.size() == kDepthMax) return fail("JSON of more than 8 levels", std::string(expected_object_));
    open_.push_back({last_, {}});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view expected_object_;
  std::vector<Level> open_;
  Value* last_ = nullptr;
};

}  // namespace

const Value* Value::member(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &items[static_cast<std::size_t>(found - names.begin())];
}

std::string_view describe(Kind kind) {
  switch (kind) {
    case Kind::null: return "null";
    case Kind::boolean: return "true or false";
    case Kind::number: return "a number";
    case Kind::text: return "text";
    case Kind::array: return "an array";
    case Kind::object: return "an object";
  }
  return {};
}

Result<Value> parse_line(std::string_view line, Location where, std::string_view expected) {
  Builder builder(expected);
  const bool good = nlohmann::json::sax_parse(line.begin(), line.end(), &builder);
  where.column = builder.error_column;
  if (!good) return found_but_expected(where, builder.found, builder.expected);
  if (builder.root.kind != Kind::object) return found_but_expected(where, describe(builder.root.kind), expected);
  return std::move(builder.root);
}

}  // namespace fugu::json
