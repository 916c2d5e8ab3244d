// A program of somebody else: it sees installed headers and the library, nothing of this repository.
#include <fugu/base/result.hpp>

namespace {

fugu::Result<int> half(int value) {
  if (value % 2 != 0) return fugu::Error{fugu::Cause::usage, "the number is odd; it has to be even"};
  return value / 2;
}

}  // namespace

int main() {
  const auto fine = half(4);
  const auto odd = half(3);
  const bool as_promised = fine && *fine == 2 && !odd && fugu::exit_code(odd.error().cause) == 2;
  return as_promised ? 0 : 1;
}
