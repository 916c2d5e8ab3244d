// Numbers as people read them: thin spaces between thousands (as the SI brochure asks), a true minus sign, no locale.
#pragma once

#include <cstdint>
#include <string>

namespace fugu::report {

/// A whole number: 12 345.
std::string format_count(std::int64_t count);

/// Fixed decimals: format_fixed(1234.5, 2) is 1 234.50. NaN is an en dash, infinities are ∞ and −∞.
std::string format_fixed(double value, int decimals);

/// A multiple of a power of ten, whose exponent is at least −300 and at most 300: format_power(0.00025, -4, 1) is
/// 2.5×10⁻⁴.
std::string format_power(double value, int exponent, int decimals);

/// At least `digits` significant digits, whole numbers in full: with 3 digits 0.0123, 4.56, 12 346.
/// Magnitudes below 1e-4 or from 1e15 on are written as 1.23×10⁻⁵.
std::string format_significant(double value, int digits = 3);

/// Where there is little room, for values of at least 999.5: two or three digits and a prefix, 1.2k, 48G, 123M. From
/// 10¹⁵ on as 1.2×10¹⁵.
std::string format_prefixed(double value);

}  // namespace fugu::report
