#include "fugu/accounting/accountant.hpp"

#include "user_accountant.hpp"
#include "window_accountant.hpp"

namespace fugu {

std::unique_ptr<Accountant> make_accountant(const Definition& definition, const Exposure& exposure, Reach reach) {
  if (definition.protects() == Protects::user) return std::make_unique<UserAccountant>(definition, exposure);
  return std::make_unique<WindowAccountant>(definition, exposure, reach);
}

}  // namespace fugu
