// A line on the terminal that tells how far a long run is. Silent when standard error is not a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "fugu/stream/input.hpp"

namespace fugu::cli {

class Progress {
 public:
  /// `unit` is what is counted ("slots released").
  explicit Progress(std::string unit);
  /// Takes the line away again.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `count` units so far, having read that much of the input. Draws at most ten times a second.
  void update(std::uint64_t count, const ReadProgress& input);
  /// The same for a caller that comes by rarely: looks at the clock every time.
  void update_now(std::uint64_t count, const ReadProgress& input);
  /// The same where it is known how many units there are.
  void update_now(std::uint64_t done, std::uint64_t all);

 private:
  void draw(std::uint64_t count, const ReadProgress& input);

  std::string unit_;
  bool enabled_;
  bool drawn_ = false;
  std::uint32_t calls_ = 0;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace fugu::cli
