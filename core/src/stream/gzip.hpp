// Decodes gzip, passes everything else through.
#pragma once

#include <memory>
#include <string>

#include "fugu/stream/input.hpp"

namespace fugu {

/// Wraps `source`; looks at its first two bytes when first read. `name` is for error messages.
std::unique_ptr<ByteSource> decode_gzip(std::string name, std::unique_ptr<ByteSource> source);

}  // namespace fugu
