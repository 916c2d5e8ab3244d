// Random bits that follow from a key and from what they are for.
//
//     KeyedBits bits(key);
//     bits.start(KeyedBits::Purpose::reading, time, meter);    // the same key, purpose, time and number: the same bits
//
// Guarantee: AES-256 of a counter that begins with purpose, time and number. Bits of different starts, and those of
// different keys, cannot be told from independent fair ones by anybody who does not know the keys.
#pragma once

#include <cstdint>
#include <memory>

#include "fugu/meter/keyed_hash.hpp"
#include "fugu/noise/bits.hpp"

namespace fugu {

class KeyedBits final : public BitSource {
 public:
  enum class Purpose : std::uint8_t { reading, absent, slot };

  explicit KeyedBits(const SecretKey& key);
  ~KeyedBits() override;

  void start(Purpose purpose, std::int64_t time, std::uint32_t number);

 private:
  struct Cipher;
  void fill(std::span<unsigned char> block) override;

  std::unique_ptr<Cipher> cipher_;
  std::int64_t time_ = 0;
  std::uint32_t number_ = 0;
  std::uint32_t counter_ = 0;  // of 16-byte blocks; its highest byte is the purpose
};

}  // namespace fugu
