// Bytes in memory as an input, for benchmarks.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "fugu/stream/input.hpp"

namespace fugu {

/// Bytes that stay where they are: copying them would be measured too.
class View final : public ByteSource {
 public:
  explicit View(std::string_view bytes) : rest_(bytes) {}

  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t size = rest_.copy(into.data(), into.size());
    rest_.remove_prefix(size);
    return size;
  }
  bool would_wait() override { return false; }
  bool is_live() const override { return false; }

 private:
  std::string_view rest_;
};

}  // namespace fugu
