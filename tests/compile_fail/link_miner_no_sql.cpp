// Libraries: core mining
// Whoever mines has no headers of the parser, and cannot name a query.
#include "every_header.hpp"
#ifdef FUGU_MUST_FAIL
#include "fugu/sql/query.hpp"
#endif

fugu::mining::DistanceMatrix matrix(const std::vector<fugu::mining::ElementSet>& sets) {
  return fugu::mining::jaccard_distances(sets);
}
