// Tables and files as several commands write them.
#pragma once

#include <cstdio>
#include <string>

#include "fugu/base/result.hpp"
#include "fugu/report/html.hpp"

namespace fugu::cli {

/// Columns aligned, each line after `indent`.
void print_table(const report::Table& table, const std::string& indent = "", std::FILE* to = stdout);

/// A paragraph, broken into lines of at most 110 characters, each after `indent`.
void print_wrapped(const std::string& text, const std::string& indent = "", std::FILE* to = stdout);

/// All of it, or no file. `-` is standard output.
Result<void> write_file(const std::string& path, const std::string& text);

}  // namespace fugu::cli
