// Any bytes as a distance matrix: no crash, and what is accepted is written and read as the same.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fugu/base/check.hpp"
#include "fugu/mining/matrix_file.hpp"

using namespace fugu;
using namespace fugu::mining;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto matrix = read_matrix(Input::from_memory("matrix", {reinterpret_cast<const char*>(data), size}));
  if (!matrix) return 0;
  std::string text = std::string(kMatrixHeader) + "\n";
  for (std::size_t item = 0; item < matrix->names.size(); ++item) {
    text += matrix_lines(matrix->distances, matrix->names, item);
  }
  const auto again = read_matrix(Input::from_memory("matrix", text));
  FUGU_CHECK(again && again->names == matrix->names);
  for (std::size_t a = 0; a < again->names.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) FUGU_CHECK(again->distances.fraction(a, b) == matrix->distances.fraction(a, b));
  }
  return 0;
}
