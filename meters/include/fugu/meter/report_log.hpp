// The file reports are sent to: appended, durable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fugu/meter/gateway.hpp"

namespace fugu {

class ReportLog {
 public:
  /// Goes on with a file that is there, after cutting off a row that a crash left unfinished; otherwise begins one.
  /// `-` is standard output, which is not made durable. Locked while it is open.
  static Result<ReportLog> open(const std::string& path);
  ReportLog(ReportLog&&) noexcept;
  ReportLog& operator=(ReportLog&&) = delete;
  ~ReportLog();

  /// Whether reports were in the file when it was opened. Their numbers are used up: the gateway needs its state.
  bool had_reports() const;
  /// Appends the gateway's outbox and makes it durable.
  Result<void> append(const Gateway& gateway);

 private:
  struct State;
  explicit ReportLog(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fugu
