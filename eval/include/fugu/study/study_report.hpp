// What a study found, for people: one table, and one HTML page that needs nothing from outside.
#pragma once

#include <string>
#include <vector>

#include "fugu/report/html.hpp"
#include "fugu/study/study.hpp"

namespace fugu {

/// One row per mechanism and yardstick over all cells: how often it is best, how far behind the best it is, how often
/// not looking at the data is better, and the verdict. `results` holds one entry per cell.
report::Table study_summary(const Study& study, const std::vector<CellResult>& results);

/// The whole report: summary, deterioration heat maps (thesis, figure 5.2), error over ε and over w for each stream,
/// examples with error bands, verdicts, tables. The page shows true streams.
Result<std::string> study_page(const Study& study, const std::vector<CellResult>& results);

/// The same tables as CSV: mechanism, stream, ε, w and δ_MAE, the error as a multiple of the best mechanism's.
std::string deterioration_csv(const Study& study, const std::vector<CellResult>& results);

}  // namespace fugu
