#include "fugu/accounting/accountant.hpp"

#include "discounted_accountant.hpp"
#include "swellfish_accountant.hpp"
#include "user_accountant.hpp"
#include "window_accountant.hpp"

namespace fugu {

std::unique_ptr<PolicyAccountant> make_policy_accountant(const Definition& definition, const Exposure& exposure,
                                                         Reach reach) {
  FUGU_CHECK(definition.protects() == Protects::swellfish);
  return std::make_unique<SwellfishAccountant>(definition, exposure, reach);
}

std::unique_ptr<Accountant> make_accountant(const Definition& definition, const Exposure& exposure, Reach reach) {
  switch (definition.protects()) {
    case Protects::user: return std::make_unique<UserAccountant>(definition, exposure);
    case Protects::swellfish: return make_policy_accountant(definition, exposure, reach);
    case Protects::discounted_exp:
    case Protects::discounted_hyp: return std::make_unique<DiscountedAccountant>(definition, exposure);
    case Protects::event:
    case Protects::w_event: return std::make_unique<WindowAccountant>(definition, exposure, reach);
  }
  FUGU_CHECK(false);
  return nullptr;
}

}  // namespace fugu
