// Where definitions are registered.
#pragma once

#include "fugu/accounting/definition_kind.hpp"

namespace fugu {

/// Adds a row to those of fugu, for good. Its name must be new. Not thread-safe: before anything else runs.
///
/// A row brings an accountant that is trusted as it is, so this header is not installed: definitions belong to core.
void add_definition(const DefinitionKind& kind);

}  // namespace fugu
