// Runs a fuzz target over stored inputs, for builds without libFuzzer: each argument is a file or a directory of files.
// A target that finds something aborts; a directory that is missing or empty is an error, or a lost corpus would pass.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

bool replay(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) {
    std::fprintf(stderr, "replay: cannot read %s\n", path.c_str());
    return false;
  }
  std::fprintf(stderr, "replay: %s, %zu bytes\n", path.c_str(), bytes.size());
  std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t replayed = 0;
  for (int i = 1; i < argc; ++i) {
    std::error_code failure;
    const fs::path argument = argv[i];
    if (fs::is_regular_file(argument)) {
      if (!replay(argument)) return 1;
      ++replayed;
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(argument, failure)) {
      if (!entry.is_regular_file()) continue;
      if (!replay(entry.path())) return 1;
      ++replayed;
    }
    if (failure) {
      std::fprintf(stderr, "replay: %s: %s\n", argument.c_str(), failure.message().c_str());
      return 1;
    }
  }
  std::fprintf(stderr, "replay: %zu inputs, nothing found\n", replayed);
  return replayed > 0 ? 0 : 1;
}
