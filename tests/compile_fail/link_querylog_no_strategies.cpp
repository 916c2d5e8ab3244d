// Libraries: core mining querylog
// Measuring queries has nothing of what publishes streams but core.
#include "every_header.hpp"
#ifdef FUGU_MUST_FAIL
#include "fugu/strategy/registry.hpp"
#endif

fugu::querylog::ReadStatement read(const fugu::querylog::Schema& schema) {
  return fugu::querylog::read_statement("SELECT 1", schema);
}
