// The definition that keeps what each policy says: swellfish.
#include "audit_promise.hpp"
#include "fugu/accounting/definition_kind.hpp"
#include "swellfish_accountant.hpp"

namespace fugu {

namespace {

Result<void> check_swellfish(Definition::Options& options) {
  if (options.epsilon.one() || options.window_slots)
    return Error{Cause::usage, "swellfish has no epsilon or window of its own: each policy states them"};
  if ((options.floor != nullptr) == options.exact_when_idle)
    return Error{Cause::usage,
                 "say what holds where no policy is relevant: a floor for everybody, or true values (one of the two)"};
  if (options.floor == nullptr) return {};
  if (!options.floor->kind().has_window())
    return Error{Cause::usage, "the floor must be event, user or w-event: something that holds for everybody"};
  if (options.floor->delta().value() != options.delta.value())
    return Error{Cause::usage, "the floor must have the same delta as the policies"};
  return {};
}

std::unique_ptr<Accountant> make_swellfish_accountant(const Definition& definition, const Exposure& exposure,
                                                      Reach reach) {
  return make_policy_accountant(definition, exposure, reach);
}

std::unique_ptr<audit::PromiseAudit> make_floor_audit(const Definition& definition, const Exposure& exposure,
                                                      std::size_t slots) {
  const Definition* floor = definition.floor();
  return floor != nullptr ? floor->kind().audit(*floor, exposure, slots) : nullptr;
}

}  // namespace

std::unique_ptr<PolicyAccountant> make_policy_accountant(const Definition& definition, const Exposure& exposure,
                                                         Reach reach) {
  FUGU_CHECK(definition.kind().has_policies);
  return std::make_unique<SwellfishAccountant>(definition, exposure, reach);
}

extern constinit const DefinitionKind kSwellfish{
    .name = "swellfish",
    .summary = "protects what households state as policies: what to hide, when, and how well",
    .promise =
        "for every policy, transcripts of two streams that differ only within its interval, by at most one occurrence "
        "of each of the meter's policies, are ε-indistinguishable with the policy's own ε; a floor holds for "
        "everybody, or true values are released where nothing is relevant",
    .page = "docs/guarantees/swellfish.md",
    .example = "--policies policies.csv --floor event:1 --sensitivity 10",
    .has_policies = true,
    .check = check_swellfish,
    .accountant = make_swellfish_accountant,
    .audit = make_floor_audit,
};

}  // namespace fugu
