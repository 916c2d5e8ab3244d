// What tests of the command line know about its outputs.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/process.hpp"

namespace fugu::test {

/// The fields of a CSV line.
inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ',') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

/// As if `run.ledger` had never been: its head file goes, too, which would not let another take its place.
inline void remove_ledger(const TempDir& directory) {
  for (const char* file : {"run.ledger", "run.ledger.head"}) std::filesystem::remove(directory / file);
}

/// What `fugu audit` printed.
struct AuditVerdict {
  std::uint64_t slots = 0;
  std::uint64_t answers = 0;
  double worst_loss = 0;
  double promised = 0;
  bool holds = false;
};

inline AuditVerdict parse_audit(const std::string& text) {
  AuditVerdict verdict;
  for (const std::string& line : lines_of(text)) {
    const std::vector<std::string> part = words(line);
    if (part.size() >= 2 && part[0] == "slots") verdict.slots = std::strtoull(part[1].c_str(), nullptr, 10);
    if (part.size() >= 2 && part[0] == "answers") verdict.answers = std::strtoull(part[1].c_str(), nullptr, 10);
    if (part.size() >= 7 && part[0] == "worst" && part[1] == "loss") {  // worst loss  ε = 1 of 1 promised
      verdict.worst_loss = std::strtod(part[4].c_str(), nullptr);
      verdict.promised = std::strtod(part[6].c_str(), nullptr);
    }
    if (part.size() == 2 && part[0] == "verdict") verdict.holds = part[1] == "holds";
  }
  return verdict;
}

/// Audits and expects that everything holds.
inline AuditVerdict expect_audit_holds(const TempDir& directory, const std::string& options) {
  const Finished audit = run_fugu(directory, "audit " + options);
  EXPECT_EQ(audit.exit_code, 0) << "fugu audit " << options << "\n" << audit;
  const AuditVerdict verdict = parse_audit(audit.out);
  EXPECT_TRUE(verdict.holds) << audit;
  EXPECT_LE(verdict.worst_loss, verdict.promised) << audit;
  return verdict;
}

}  // namespace fugu::test
