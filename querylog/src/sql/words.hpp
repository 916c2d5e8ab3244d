// Which functions and operators may stand in a query: their names are public, so they can be shown and are kept.
#pragma once

#include <string>
#include <string_view>

namespace fugu::querylog::detail {

enum class FunctionKind : unsigned char { unknown, plain, aggregate, window };

/// By its name in lower case.
FunctionKind function_kind(std::string_view name);

/// Comparisons, arithmetic and patterns, as people write them: `~~` is LIKE. Empty for operators not on the list.
std::string_view operator_word(std::string_view name);

}  // namespace fugu::querylog::detail
