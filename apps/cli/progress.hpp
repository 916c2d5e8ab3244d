// A line on the terminal that tells how far a long run is. Silent when standard error is not a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "fugu/stream/slot.hpp"

namespace fugu::cli {

class Progress {
 public:
  /// `unit` is what is counted ("slots"); `total` draws a bar when it is known.
  explicit Progress(std::string unit, std::optional<std::uint64_t> total = std::nullopt);
  /// Takes the line away again.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of `total`; `count` units so far. Draws at most ten times a second.
  void update(std::uint64_t done, std::uint64_t count);

 private:
  void draw(std::uint64_t done, std::uint64_t count);

  std::string unit_;
  std::optional<std::uint64_t> total_;
  bool enabled_;
  bool drawn_ = false;
  std::uint32_t calls_ = 0;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace fugu::cli
