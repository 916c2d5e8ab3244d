// All there is to know about one definition, in one row: docs/how-to/add-a-definition.md.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "fugu/accounting/accountant.hpp"
#include "fugu/accounting/definition.hpp"

namespace fugu {

namespace audit {
class PromiseAudit;
}

/// A row of the table of definitions. Nothing else in core asks which definition it is: it asks the row.
struct DefinitionKind {
  /// What a definition takes besides ε and δ: Options::discount when it discounts, Options::window_slots otherwise.
  struct Parameter {
    std::string_view name;     ///< as it is given: "w", "alpha"; empty when there is none
    std::string_view symbol;   ///< in Definition::text()
    std::string_view help;     ///< one line
    std::string_view missing;  ///< what to give
  };

  std::string_view name;  ///< in headers of ledgers and on the command line
  std::string_view summary;
  std::string_view promise;
  std::string_view page;
  std::string_view example;  ///< options for `fugu publish`
  Parameter parameter = {};

  /// Each policy has an ε of its own, and a floor may hold for everybody.
  bool has_policies = false;
  /// Past losses count less, in this way.
  std::optional<Discount::Kind> discount = std::nullopt;
  /// Nothing is left of a loss after window_slots(): a stream may go on after its records were lost.
  bool forgets = false;
  /// The stream ends after window_slots().
  bool has_horizon = false;

  /// Checks the definition's own parameters and completes them.
  Result<void> (*check)(Definition::Options& options);
  std::unique_ptr<Accountant> (*accountant)(const Definition& definition, const Exposure& exposure, Reach reach);
  /// The audit of the promise to everybody over so many slots; nullptr when there is none. Policies are audited
  /// besides. What is passed must outlive it.
  std::unique_ptr<audit::PromiseAudit> (*audit)(const Definition& definition, const Exposure& exposure,
                                                std::size_t slots);

  /// Whether Options::window_slots is its parameter, or follows from it.
  constexpr bool has_window() const { return !has_policies && !discount; }
};

/// All rows, in the order in which they are listed to readers.
std::span<const DefinitionKind* const> definition_kinds();

}  // namespace fugu
