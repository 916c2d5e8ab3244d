// Whether the accountant said no cannot be ignored.
#include "fugu/accounting/accountant.hpp"

bool ask(fugu::Accountant& accountant, const fugu::Answer& answer) {
#ifdef FUGU_MUST_FAIL
  accountant.admit(answer);
#endif
  return accountant.admit(answer).has_value();
}
