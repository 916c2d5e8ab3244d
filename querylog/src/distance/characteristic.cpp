#include "fugu/distance/characteristic.hpp"

#include <algorithm>
#include <utility>

namespace fugu::querylog {

std::string Element::text() const {
  std::string result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool follows_relation = i > 0 && parts[i - 1].kind == Part::Kind::relation;
    const bool is_attribute = parts[i].kind == Part::Kind::attribute;
    if (i > 0) result += follows_relation && is_attribute ? "." : " ";
    result += parts[i].text;
  }
  return result;
}

mining::ElementSet Dictionary::numbers(const Characteristic& characteristic) {
  mining::ElementSet result;
  for (const Element& element : characteristic) {
    std::string key;  // with lengths, so that no two elements have the same
    for (const Part& part : element.parts) {
      key +=
          std::to_string(static_cast<unsigned>(part.kind)) + " " + std::to_string(part.text.size()) + " " + part.text;
    }
    result.push_back(numbers_.emplace(std::move(key), static_cast<std::uint32_t>(numbers_.size())).first->second);
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace fugu::querylog
