// Invariants of our own code. For what a caller or a file may cause, return a Result instead.
#pragma once

namespace fugu::detail {
[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;
}

/// Stops the program when `condition` is false. Stays on in release builds: a broken invariant next to a privacy
/// ledger must end the run rather than continue it. The message carries the condition's text and never a value.
#define FUGU_CHECK(condition) \
  (static_cast<bool>(condition) ? void() : ::fugu::detail::check_failed(#condition, __FILE__, __LINE__))
