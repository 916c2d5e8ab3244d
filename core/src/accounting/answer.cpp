#include "fugu/accounting/answer.hpp"

#include "fugu/base/check.hpp"

namespace fugu {

std::string_view name_of(Statistic statistic) {
  switch (statistic) {
    case Statistic::value: return "value";
    case Statistic::sum: return "sum";
    case Statistic::distance: return "distance";
    case Statistic::deviation: return "deviation";
  }
  FUGU_CHECK(false);
  return {};
}

}  // namespace fugu
