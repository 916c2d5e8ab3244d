#include "fugu/meter/report_log.hpp"

namespace fugu {

Result<ReportLog> ReportLog::open(const std::string& path) {
  FUGU_ASSIGN(AppendFile file, AppendFile::open(path, kReportHeader, "another fugu meter is sending to this file"));
  return ReportLog(std::move(file));
}

Result<void> ReportLog::send(const Gateway& gateway) {
  std::string rows;
  for (const auto& [meter, report] : gateway.outbox())
    gateway.rules().format.append(rows, gateway.meters().name(meter), report);
  return file_.append(rows);
}

}  // namespace fugu
