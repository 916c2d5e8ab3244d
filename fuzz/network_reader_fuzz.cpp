// Any bytes as the files of a network: no crash, what is accepted is written and read back the same, and can be drawn.
//
// An input is the files one after the other, each below a line `--- NAME`.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "fugu/base/check.hpp"
#include "fugu/network/network_reader.hpp"
#include "fugu/report/network_drawing.hpp"
#include "support/temp_dir.hpp"

using namespace fugu;

namespace {

constexpr std::array<std::string_view, 7> kNames = {"nodes.csv", "lines.csv", "transformers.csv", "customers.csv",
                                                    "buses.csv", "loads.csv", "transformer.csv"};

const test::TempDir& folder() {
  static const test::TempDir made;
  return made;
}

/// The files of `input`, and no others.
void put_files(std::string_view input) {
  for (const std::string_view name : kNames) {
    const std::string heading = std::string("--- ").append(name).append("\n");
    const std::size_t at = input.find(heading);
    if (at == std::string_view::npos) {
      std::filesystem::remove(folder() / name);
      continue;
    }
    const std::size_t first = at + heading.size();
    const std::size_t end = input.find("--- ", first);
    test::write_file(folder() / name, input.substr(first, end == std::string_view::npos ? end : end - first));
  }
}

std::string written(const grid::Network& network, const std::string& to) {
  FUGU_CHECK(grid::write_network(network, to).has_value());
  std::string all;
  for (std::size_t i = 0; i < 4; ++i) all += test::read_file(to + "/" + std::string(kNames[i]));
  return all;
}

void check_drawing(const grid::Network& network) {
  const report::NetworkDrawing drawing = report::draw_network(network);
  for (const report::Place& place : drawing.nodes) {
    FUGU_CHECK(place.x >= 0 && place.x <= drawing.width && place.y >= 0 && place.y <= drawing.height);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  put_files({reinterpret_cast<const char*>(data), size});
  const grid::NetworkRules lax = {.radial = false, .usual_values = false};
  const auto strict = grid::read_network(folder().path().string());
  const auto network = grid::read_network(folder().path().string(), lax);
  FUGU_CHECK(network.has_value() || !strict.has_value());
  if (!network) return 0;
  check_drawing(*network);
  const std::string first = written(*network, folder() / "first");
  const auto again = grid::read_network(folder() / "first", lax);
  FUGU_CHECK(again.has_value());
  FUGU_CHECK(written(*again, folder() / "second") == first);
  return 0;
}
