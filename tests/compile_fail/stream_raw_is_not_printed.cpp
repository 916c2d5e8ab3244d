// A true value cannot be written to a stream.
#include <iostream>

#include "fugu/stream/raw.hpp"

void print(fugu::Raw value) {
  std::cout << value.missing();
#ifdef FUGU_MUST_FAIL
  std::cout << value;
#endif
}
