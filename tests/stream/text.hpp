// What the tests of streams share: looking into rows, making gzip, reading all slots of a source.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/stream/input.hpp"
#include "fugu/stream/source.hpp"

namespace fugu::test {

inline std::optional<std::int64_t> peek(Raw raw) {
  if (raw.missing()) return std::nullopt;
  return std::bit_cast<std::int64_t>(raw);
}

struct PlainRow {
  Slot slot = 0;
  std::int32_t utc_offset_s = 0;
  std::vector<std::optional<std::int64_t>> values;

  friend bool operator==(const PlainRow&, const PlainRow&) = default;
  friend std::ostream& operator<<(std::ostream& out, const PlainRow& row) {
    out << "slot " << row.slot << ":";
    for (const auto& value : row.values) out << ' ' << (value ? std::to_string(*value) : "-");
    return out;
  }
};

inline PlainRow plain(const SlotRow& row) {
  PlainRow plain{row.slot, row.utc_offset_s, {}};
  for (Raw raw : row.values) plain.values.push_back(peek(raw));
  return plain;
}

/// All slots up to the end or the first error.
struct Drained {
  std::vector<PlainRow> rows;
  std::optional<Error> error;
};

inline Drained drain(SlotSource& source) {
  Drained drained;
  SlotRow row;
  while (true) {
    const auto more = source.next(row);
    if (!more) drained.error = more.error();
    if (!more || !*more) return drained;
    drained.rows.push_back(plain(row));
  }
}

inline std::string gzip(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// Hands out its bytes in pieces of the given size.
class Dripping final : public ByteSource {
 public:
  Dripping(std::string bytes, std::size_t piece) : bytes_(std::move(bytes)), piece_(piece) {}

  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t size = std::min({into.size(), piece_, bytes_.size() - at_});
    std::copy_n(bytes_.data() + at_, size, into.data());
    at_ += size;
    return size;
  }
  bool would_wait() override { return false; }
  bool is_live() const override { return false; }

 private:
  std::string bytes_;
  std::size_t piece_;
  std::size_t at_ = 0;
};

inline Input dripping(std::string bytes, std::size_t piece) {
  return {"drip.csv", std::make_unique<Dripping>(std::move(bytes), piece)};
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace fugu::test
