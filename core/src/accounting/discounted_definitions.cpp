// Definitions under which past losses count less: discounted-exp, discounted-hyp.
#include "audit_discounted.hpp"
#include "discounted_accountant.hpp"
#include "fugu/accounting/definition_kind.hpp"

namespace fugu {

namespace {

// Beyond these a year is as good as undiscounted, or only the present counts; the accountant's sum of exponentials is
// made for what lies between.
constexpr double kSmallestBeta = 0x1p-20;
constexpr double kLargestBeta = 0x1p20;

Result<void> check_discounted(const Definition::Options& options) {
  const DefinitionKind& kind = options.protects.kind();
  const std::string name(kind.name);
  if (options.window_slots) return Error{Cause::usage, name + " has no window: it reaches back over the whole stream"};
  if (options.delta.value() > 0)
    return Error{Cause::usage, name + " is a pure promise: delta must be 0 (leave it out)"};
  if (!options.discount)
    return Error{Cause::usage,
                 name + " needs " + std::string(kind.parameter.name) + ": how fast past losses count less"};
  return {};
}

Result<void> check_exponential(Definition::Options& options) {
  FUGU_TRY(check_discounted(options));
  if (!(*options.discount > 0 && *options.discount < 1))
    return Error{Cause::usage, "alpha must be a number between 0 and 1 (exclusive), for example 0.9"};
  return {};
}

Result<void> check_hyperbolic(Definition::Options& options) {
  FUGU_TRY(check_discounted(options));
  if (!(*options.discount >= kSmallestBeta && *options.discount <= kLargestBeta))
    return Error{Cause::usage, "beta must be a number from 1e-6 to 1e6 (exactly: 2^-20 to 2^20), for example 1"};
  return {};
}

std::unique_ptr<Accountant> make_discounted_accountant(const Definition& definition, const Exposure& exposure, Reach) {
  return std::make_unique<DiscountedAccountant>(definition, exposure);
}

std::unique_ptr<audit::PromiseAudit> make_discounted_audit(const Definition& definition, const Exposure& exposure,
                                                           std::size_t slots) {
  return std::make_unique<audit::DiscountedAudit>(definition, exposure, slots);
}

}  // namespace

extern constinit const DefinitionKind kDiscountedExp{
    .name = "discounted-exp",
    .summary = "protects everything a meter did, old losses counting less: αʲ after j slots",
    .promise =
        "in every slot t, Σ over k ≤ t of α^(t−k) · (what the answers of slot k lose about a meter) is at most ε; so w "
        "consecutive slots are protected at ε·(1 + (w−1)·(1−α)), and nothing bounds a whole life",
    .page = "docs/guarantees/discounted.md",
    .example = "--definition discounted-exp --alpha 0.9 --epsilon 1 --sensitivity 10 --mechanism equal",
    .parameter = {.name = "alpha",
                  .symbol = "α",
                  .help = "a loss of j slots ago counts alpha^j, for example 0.9; below 1",
                  .missing = "between 0 and 1, for example 0.9"},
    .discount = Discount::Kind::exponential,
    .check = check_exponential,
    .accountant = make_discounted_accountant,
    .audit = make_discounted_audit,
};

extern constinit const DefinitionKind kDiscountedHyp{
    .name = "discounted-hyp",
    .summary = "protects everything a meter did, old losses counting less: 1/(1 + βj) after j slots",
    .promise =
        "in every slot t, Σ over k ≤ t of (what the answers of slot k lose about a meter)/(1 + β(t−k)) is at most ε; "
        "nothing bounds a whole life, though what is lost grows ever more slowly per slot",
    .page = "docs/guarantees/discounted.md",
    .example = "--definition discounted-hyp --beta 1 --epsilon 1 --sensitivity 10 --mechanism equal",
    .parameter = {.name = "beta",
                  .symbol = "β",
                  .help = "a loss of j slots ago counts 1/(1 + beta j), for example 1",
                  .missing = "above 0, for example 1"},
    .discount = Discount::Kind::hyperbolic,
    .check = check_hyperbolic,
    .accountant = make_discounted_accountant,
    .audit = make_discounted_audit,
};

}  // namespace fugu
