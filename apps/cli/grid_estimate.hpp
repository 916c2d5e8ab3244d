// What an operator has about one network, from the command line, and what state estimation makes of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "command.hpp"
#include "fugu/inference/household_model.hpp"
#include "fugu/inference/measured_knowledge.hpp"
#include "fugu/measurement/measurements.hpp"

namespace fugu::cli {

struct OperatorFiles {
  std::string released = {};
  std::string measured = {};
  std::string series_map = {};
  std::string ledger = {};
  std::string bills = {};           ///< instead of the network's
  std::string homes = {};           ///< public sample; simulated homes without it
  std::string slot_length = "15m";  ///< where files count slots
  bool allow_unmeasured = false;

  void add_to(CLI::App& command);
};

/// The network with these bills, when there are some.
Result<grid::Network> billed(grid::Network network, const std::string& bills);

/// Says so where no public sample is given.
void note_simulated_homes(const std::string& homes);

/// Read and matched. What is worth a word has been noted.
struct OperatorView {
  const grid::Network& network;
  grid::Measurements measurements;
  std::int64_t slot_min;
  std::optional<SeriesMap> map;
};
Result<OperatorView> read_operator_view(const grid::Network& network, const OperatorFiles& files);

/// Everything that estimators of one view share.
class Estimation {
 public:
  static Result<Estimation> make(const OperatorView& view, const OperatorFiles& files);

  /// What is known with that prior: without customers' data, nothing of the release.
  const grid::MeasuredKnowledge& knowledge(grid::Prior prior) const {
    return prior == grid::Prior::profile ? *own_ : *all_;
  }
  Result<grid::StateEstimator> estimator(grid::Prior prior) const;
  /// Of all stamps.
  Result<grid::PlainLoads> loads(grid::Prior prior) const;

 private:
  Estimation(const OperatorView& view, grid::HouseholdModel model);

  const OperatorView* view_;
  // Pointed to.
  std::unique_ptr<const grid::HouseholdModel> model_;
  std::unique_ptr<const grid::Measurements> own_measurements_;
  std::unique_ptr<const grid::MeasuredKnowledge> all_;
  std::unique_ptr<const grid::MeasuredKnowledge> own_;
};

}  // namespace fugu::cli
