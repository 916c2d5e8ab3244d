// Libraries: core strategies
// The catalogue with flawed forms is not among the headers of what publishes.
#include "every_header.hpp"
#ifdef FUGU_MUST_FAIL
#include "fugu/comparison/catalogue.hpp"
#endif

const fugu::StrategyKind* find() { return fugu::find_strategy("uniform"); }
