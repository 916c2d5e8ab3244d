// fugu describe: what a definition, strategy, noise or filter promises, and where its proof is.
#include <algorithm>
#include <cstdio>

#include "command.hpp"
#include "fugu/accounting/definition_kind.hpp"
#include "fugu/comparison/catalogue.hpp"
#include "fugu/filter/filter.hpp"

namespace fugu::cli {

namespace {

/// One thing that can be described.
struct Entry {
  std::string kind;
  std::string name;
  std::string summary;
  std::string promise;
  std::string status;
  std::string page;
  std::string example;
  bool comparison_only = false;  ///< keeps no promise
};

std::vector<Entry> catalogue() {
  std::vector<Entry> entries;
  for (const DefinitionKind* kind : definition_kinds())
    entries.push_back({"definition", std::string(kind->name), std::string(kind->summary), std::string(kind->promise),
                       "proved", std::string(kind->page), std::string(kind->example)});
  entries.insert(
      entries.end(),
      {
          {"definition", "temporal", "protects when a meter measured something, not how much (fugu meter)",
           "lagged form: stamps and arrival times of two streams in which one reading was taken up to m slots earlier "
           "or "
           "later are (ε, δ)-indistinguishable; published form: stamps alone, with ε = m/b, arrival times not at all. "
           "Values and sums over time are not hidden",
           "proved", "docs/guarantees/temporal.md", "fugu audit temporal --epsilon 1 --delta 1e-6"},
          {"definition", "distributional",
           "protects what a household's readings are like in public circumstances, as the hour of the day",
           "whole streams of two worlds in which one meter has other laws of readings, one for each circumstance, are "
           "(ε, "
           "δ)-indistinguishable, "
           "if "
           "readings follow what was learned and are independent given the circumstance; δ = 0 when capped. Bernoulli "
           "form: all but the mean",
           "proved", "docs/guarantees/distributional.md", "fugu distributional --help"},
          {"noise", "laplace", "discrete Laplace noise on the grid: P(k) ∝ exp(−|k|/scale)",
           "exact to the last bit, from a cryptographic source; a change by c steps loses c/scale", "proved",
           "docs/guarantees/noise.md", "--noise laplace"},
          {"noise", "gaussian", "discrete Gaussian noise on the grid: P(k) ∝ exp(−k²/(2σ²))",
           "exact to the last bit, from a cryptographic source; needs δ > 0; a change by c steps loses ρ = c²/(2σ²)",
           "proved", "docs/guarantees/approximate.md", "--noise gaussian --delta 1e-6"},
      });
  for (const CatalogueEntry& kind : fugu::catalogue()) {
    const std::string promise =
        kind.comparison_only
            ? "none: for comparison only. It runs in simulations (--seed), where nothing holds it to a definition"
            : "keeps the definition it runs under: the kernel refuses everything else";
    entries.push_back({"mechanism", std::string(kind.name), std::string(kind.summary),
                       promise + ". Error: " + std::string(kind.error), std::string(kind.status),
                       std::string(kind.page), std::string(kind.example), kind.comparison_only});
  }
  for (const FilterKind& kind : filter_kinds()) {
    entries.push_back({"filter", std::string(kind.name), std::string(kind.description), std::string(kFilterGuarantee),
                       "proved", "docs/guarantees/post-processing.md", "--filter " + std::string(kind.example)});
  }
  return entries;
}

void print_all(const std::vector<Entry>& entries) {
  std::size_t width = 0;
  for (const Entry& entry : entries) width = std::max(width, entry.name.size());
  std::string kind;
  for (const Entry& entry : entries) {
    if (entry.kind != kind) std::printf("%s%ss\n", kind.empty() ? "" : "\n", entry.kind.c_str());
    kind = entry.kind;
    std::printf("  %-*s  %s%s\n", static_cast<int>(width), entry.name.c_str(), entry.summary.c_str(),
                entry.comparison_only ? " [no promise]" : "");
  }
  std::printf("\n[no promise]: for comparison in simulations only. More about one of them: fugu describe NAME\n");
}

Outcome describe(const std::string& name) {
  const std::vector<Entry> entries = catalogue();
  if (name.empty()) {
    print_all(entries);
    return kDone;
  }
  for (const Entry& entry : entries) {
    if (entry.name != name) continue;
    std::printf("%s (%s)\n  what      %s\n  promise   %s\n  status    %s\n  proof     %s\n  example   %s\n",
                entry.name.c_str(), entry.kind.c_str(), entry.summary.c_str(), entry.promise.c_str(),
                entry.status.c_str(), entry.page.c_str(), entry.example.c_str());
    return kDone;
  }
  return Error{Cause::usage, "there is nothing called '" + name + "'; the names are listed by: fugu describe"};
}

}  // namespace

void add_describe(CLI::App& app, Outcome& outcome) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("describe", "Say what a definition, mechanism or filter promises");
  command->add_option("name", *name, "For example w-event, hybrid, truncate");
  command->callback([name, &outcome] { outcome = describe(*name); });
}

}  // namespace fugu::cli
