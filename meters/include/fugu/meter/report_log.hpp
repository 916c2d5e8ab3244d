// The file reports are sent to: appended, durable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fugu/meter/durable_gateway.hpp"

namespace fugu {

class ReportLog final : public ReportSink {
 public:
  /// Goes on with a file that is there, after cutting off a row that a crash left unfinished; otherwise begins one.
  /// `-` is standard output, which is not made durable. Locked while it is open.
  static Result<ReportLog> open(const std::string& path);
  ReportLog(ReportLog&&) noexcept;
  ReportLog& operator=(ReportLog&&) = delete;
  ~ReportLog() override;

  bool had_reports() const override;
  /// Appends the gateway's outbox and makes it durable.
  Result<void> send(const Gateway& gateway) override;
  const std::string& name() const override;

 private:
  struct State;
  explicit ReportLog(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fugu
