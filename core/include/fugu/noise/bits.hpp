// Where random bits come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "fugu/noise/fork_generation.hpp"

namespace fugu {

/// A buffer of independent fair bits that is used up from its end.
///
/// A sampler calls `window(n)`, reads from the end of what it is given, and then `discard(n)`. The bytes below the n
/// it asked for may be read as well (vector loads do) but must not influence anything: a later draw will use them.
///
/// Guarantee: every byte is handed out at most once; discarded bytes are overwritten with zeros at once; a forked child
/// never uses a byte that was in its parent's buffer. docs/guarantees/noise.md, "Bits".
class BitSource {
 public:
  /// The most bytes one call of `window` may ask for, and how many bytes before its result are readable.
  static constexpr std::size_t kWindowBytes = 128;

  BitSource(const BitSource&) = delete;
  BitSource& operator=(const BitSource&) = delete;
  virtual ~BitSource();

  /// The end of the unused bytes: the caller may use the `bytes` bytes before it, and no others.
  const unsigned char* window(std::size_t bytes) {
    const bool forked = generation_ != detail::fork_generation.load(std::memory_order_relaxed);
    if (unused_bytes_ < bytes || forked) [[unlikely]]
      refill();
    return end();
  }

  /// Takes the last `bytes` bytes out of use and wipes them. `bytes` is what `window` was asked for.
  void discard(std::size_t bytes) {
    unused_bytes_ -= bytes;
    // Whole vectors, because they cost one store each; what lies above has been used, or is padding.
    unsigned char* const from = end();
    std::memset(from, 0, kWipeBytes);
    for (std::size_t wiped = kWipeBytes; wiped < bytes; wiped += kWipeBytes) std::memset(from + wiped, 0, kWipeBytes);
  }

  std::uint64_t take64() {
    std::uint64_t word;
    std::memcpy(&word, window(sizeof word) - sizeof word, sizeof word);
    discard(sizeof word);
    return word;
  }

 protected:
  // The cryptographic generator costs about a microsecond a call whatever the length: large blocks pay that rarely.
  static constexpr std::size_t kBlockBytes = 32768;

  /// `block_bytes`: how many are made at a time, kWindowBytes to kBlockBytes.
  explicit BitSource(std::size_t block_bytes = kBlockBytes);

  /// Overwrites all of `block` with fresh bits.
  virtual void fill(std::span<unsigned char> block) = 0;
  /// Wipes what is left: the next bits come from fill().
  void empty();

 private:
  static constexpr std::size_t kWipeBytes = 32;

  unsigned char* end() { return storage_ + kWindowBytes + unused_bytes_; }
  void refill();

  const std::size_t block_bytes_;
  std::size_t unused_bytes_ = 0;
  std::uint64_t generation_ = 0;
  // Padding below for reads beyond the unused bytes, above for wiping whole vectors.
  alignas(64) unsigned char storage_[kWindowBytes + kBlockBytes + kWindowBytes] = {};
};

/// Bits from OpenSSL's private CTR-DRBG (AES-256, NIST SP 800-90A), which seeds itself from the operating system.
/// Failure to obtain them ends the program: an answer must never go out with weak noise.
class SecureBits final : public BitSource {
 public:
  SecureBits();

  /// Drops buffered bits; before the next ones are made, the generator takes fresh entropy from the operating system.
  /// So two copies of a process that waits, such as a machine restored twice from one snapshot, draw different bits
  /// when they go on, provided that the operating system noticed (Linux does from 5.18 on, if the hypervisor tells it).
  void renew();

 private:
  void fill(std::span<unsigned char> block) override;

  bool needs_entropy_ = false;
};

}  // namespace fugu
