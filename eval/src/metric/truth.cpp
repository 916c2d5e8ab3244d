#include "fugu/metric/truth.hpp"

namespace fugu {

Result<bool> TruthStream::next(TruthRow& row) {
  FUGU_ASSIGN(const bool more, source_.next(raw_row_));
  if (!more) return false;

  row.slot = raw_row_.slot;
  row.utc_offset_s = raw_row_.utc_offset_s;
  row.values.assign(raw_row_.values.size(), std::nullopt);
  const double step_num = static_cast<double>(unit_step_.num);
  const double step_den = static_cast<double>(unit_step_.den);
  for (std::size_t series = 0; series < row.values.size(); ++series) {
    const Raw raw = raw_row_.values[series];
    if (raw.missing()) continue;
    // Multiply, then divide: 3 steps of 1/10 are the double 0.3, which 3 × 0.1 is not.
    row.values[series] = static_cast<double>(raw.reveal(RawKey{})) * step_num / step_den;
  }
  return true;
}

}  // namespace fugu
