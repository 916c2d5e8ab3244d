// Are released numbers still good enough to run a grid? Chapter 6 of the thesis, repeated, and what state estimation
// makes of the same releases. Evaluation only. docs/studies/grid.md.
//
//     FUGU_ASSIGN(const GridStudy study, GridStudy::make({.data_folder = "data"}));
//     for (const GridCell& cell : study.cells()) use(study.run(cell));
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/report/html.hpp"

namespace fugu {

struct GridStudyOptions {
  std::string data_folder = {};  ///< with lvgrid and recorded homes; empty: made-up networks and homes only
  std::int64_t days = 14;        ///< of the networks' part
  std::uint64_t runs = 3;        ///< of each cell with noise; the chapter's part has its own 10
  std::uint64_t seed = 1;
};

enum class GridPart : std::uint8_t {
  chapter,   ///< Table 6.5: its scenarios and scales
  scales,    ///< figures 6.4 and 6.5: errors over noise scales
  networks,  ///< every network and source of loads
  policies,  ///< what households want hidden, Narwhal's scales
};
std::string_view name_of(GridPart part);

/// Where the truth comes from.
struct GridPlace {
  std::string network;  ///< "feeder" or the name of a recorded one
  std::string loads;    ///< "trace", "simulated", "cars", "citylearn", "sgsc", "ieee" or "simbench"
  friend auto operator<=>(const GridPlace&, const GridPlace&) = default;
};

enum class GridNoise : std::uint8_t {
  none,
  meter,    ///< the error of meters that operators accept: 1 %
  laplace,  ///< the same scale in every slot
  // By the policies of each household, without any noise in slots that none is about:
  narwhal,        ///< every use of an appliance is hidden
  narwhal_small,  ///< uses of appliances of at most 300 W: television, computer, light
  narwhal_floor,  ///< the same, and a floor in every slot for everybody: event level, 10 kW, ε = 1
};
std::string_view name_of(GridNoise noise);

/// What the operator makes of what it was given.
enum class GridMethod : std::uint8_t {
  load_flow,           ///< the thesis: released values are taken for the truth
  least_squares,       ///< with the transformer's own measurement
  profile,             ///< and a public profile, all as if normal
  households,          ///< a filter for each household
  households_sensors,  ///< and three voltage sensors at ends of mains
  boxes,               ///< instead of customers, the sums of junction boxes are released, at the same scale
  nothing,             ///< no customer data: bills, public profile, transformer
  nothing_sensors,
};
std::string_view name_of(GridMethod method);

struct GridCell {
  GridPart part;
  GridPlace place;
  bool has_q;  ///< scenario PQ; else P only
  GridNoise noise;
  double scale_kw;    ///< Laplace; or ε of each policy
  double scale_kvar;  ///< of Q, where it is measured
  GridMethod method;
};

/// Means over runs. Not a number where there is none. Violations are sums over stamps.
struct GridMeasures {
  double mean_scale_kw;  ///< of new answers about households
  double new_answers;    ///< share of a household's slots
  double p_kw, q_kvar;   ///< sanitization error of the powers that are used
  double voltage_v;
  double current_a, main_current_a, service_current_a;
  double loading_points, main_loading_points;
  double voltage_violations, voltage_missed, voltage_invented;
  double load_violations, load_missed, load_invented;
  double stamps, unsolved;
};
struct GridColumn {
  std::string_view name;
  double GridMeasures::* value;
};
std::vector<GridColumn> grid_columns();

class GridStudy {
 public:
  static Result<GridStudy> make(const GridStudyOptions& options);
  GridStudy(GridStudy&&) noexcept;
  GridStudy& operator=(GridStudy&&) noexcept;
  ~GridStudy();

  const GridStudyOptions& options() const;
  const std::vector<GridCell>& cells() const { return cells_; }
  /// Depends on the seed, the data and the cell alone. From any thread.
  Result<GridMeasures> run(const GridCell& cell) const;
  /// Figure 6.3: lowest and highest voltage, largest current and loading of the trace, by stamp.
  struct Trace {
    std::vector<double> lowest_v, highest_v, largest_a, largest_percent;
  };
  Result<Trace> trace() const;

 private:
  class Places;
  GridStudy(std::unique_ptr<Places> places, std::vector<GridCell> cells);

  std::unique_ptr<Places> places_;
  std::vector<GridCell> cells_;
};

/// How the report looks. `measures` are those of study.cells().
std::vector<report::Table> grid_tables(const GridStudy& study, const std::vector<GridMeasures>& measures);
/// What the rows say, in sentences: what the page opens with.
std::vector<std::string> grid_conclusions(const GridStudy& study, const std::vector<GridMeasures>& measures);
Result<std::string> grid_page(const GridStudy& study, const std::vector<GridMeasures>& measures);

}  // namespace fugu
