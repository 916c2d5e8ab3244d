// Parts that tokens and features have in common.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fugu/distance/characteristic.hpp"
#include "fugu/sql/predicate.hpp"

namespace fugu::querylog::detail {

inline Part word(std::string text) { return {Part::Kind::word, std::move(text)}; }

/// Collects elements, then sorts them.
class Elements {
 public:
  void add(std::vector<Part> parts) { elements_.push_back({std::move(parts)}); }
  Characteristic take() && {
    std::ranges::sort(elements_);
    elements_.erase(std::unique(elements_.begin(), elements_.end()), elements_.end());
    return std::move(elements_);
  }

 private:
  Characteristic elements_;
};

}  // namespace fugu::querylog::detail
