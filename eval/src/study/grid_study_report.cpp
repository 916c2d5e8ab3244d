#include "fugu/study/grid_study.hpp"

namespace fugu {

std::vector<report::Table> grid_tables(const GridStudy&, const std::vector<GridMeasures>&) { return {}; }
Result<std::string> grid_page(const GridStudy&, const std::vector<GridMeasures>&) { return std::string(); }

}  // namespace fugu
