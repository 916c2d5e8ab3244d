// Errors that point into a text file: FILE:LINE:COLUMN: found …; expected …
//
// What may be shown is decided here. A reading's value never is: text that is, or could be, a number is described by
// its kind. Time stamps, header names and meter ids are shown escaped and cut to 40 characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fugu/base/result.hpp"

namespace fugu {

/// A place in a text file. Lines and columns count from 1, columns in bytes; 0 means that it is not known.
struct Location {
  std::string_view file;
  std::uint64_t line = 0;
  std::size_t column = 0;
};

/// `FILE:LINE:COLUMN: found FOUND; expected EXPECTED`, with cause bad_input.
Error found_but_expected(const Location& where, std::string_view found, std::string_view expected);

/// `text` in single quotes, control characters and bytes beyond ASCII escaped as \xNN, cut to 40 characters.
std::string shown(std::string_view text);

/// Like shown(), for a name or id: but `text` that reads as a number could be a value in the wrong column, and is
/// described as "a number" instead.
std::string shown_name(std::string_view text);

/// Like shown(), for a time stamp: `text` that does not start like a date is described by its kind instead.
std::string shown_time(std::string_view text);

}  // namespace fugu
