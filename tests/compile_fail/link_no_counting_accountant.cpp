// Libraries: core strategies
// Whoever publishes cannot name an accountant that refuses nothing, whatever it includes.
#include "every_header.hpp"

std::unique_ptr<fugu::Accountant> account(const fugu::Definition& definition, const fugu::Exposure& exposure) {
#ifdef FUGU_MUST_FAIL
  return fugu::make_counting_accountant(definition, exposure, {});
#endif
  return fugu::make_accountant(definition, exposure, {});
}
