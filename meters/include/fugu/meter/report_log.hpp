// The file reports are sent to: appended, durable.
#pragma once

#include <string>
#include <utility>

#include "fugu/meter/append_file.hpp"
#include "fugu/meter/durable_gateway.hpp"

namespace fugu {

class ReportLog final : public ReportSink {
 public:
  /// As AppendFile::open().
  static Result<ReportLog> open(const std::string& path);

  bool had_reports() const override { return file_.had_rows(); }
  /// Appends the gateway's outbox and makes it durable.
  Result<void> send(const Gateway& gateway) override;
  const std::string& name() const override { return file_.path(); }

 private:
  explicit ReportLog(AppendFile file) : file_(std::move(file)) {}
  AppendFile file_;
};

}  // namespace fugu
