// Distances between all pairs of items, as exact fractions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fugu::mining {

/// num / den, den positive. Not necessarily reduced: two are equal when they are the same number.
struct Fraction {
  std::uint32_t num = 0;
  std::uint32_t den = 1;

  /// The nearest double. Fractions that are equal give the same double, and a larger fraction never a smaller one.
  double to_double() const { return static_cast<double>(num) / static_cast<double>(den); }

  friend bool operator==(Fraction a, Fraction b) {
    return std::uint64_t{a.num} * b.den == std::uint64_t{b.num} * a.den;
  }
  friend bool operator<(Fraction a, Fraction b) { return std::uint64_t{a.num} * b.den < std::uint64_t{b.num} * a.den; }
};

/// What the algorithms read: symmetric, not negative, and 0 between an item and itself.
class Distances {
 public:
  virtual ~Distances() = default;

  /// The number of items; they are numbered from 0.
  virtual std::size_t size() const = 0;
  virtual double at(std::size_t a, std::size_t b) const = 0;
  /// Distances from `item` to all items; `out` has size() places. Quicker than at() one by one.
  virtual void row(std::size_t item, std::span<double> out) const = 0;
};

/// One fraction a pair: 4 bytes, or 8 for all as soon as one of them needs more than 16 bits above or below the line.
class DistanceMatrix final : public Distances {
 public:
  /// All distances are 0.
  explicit DistanceMatrix(std::size_t items);

  std::size_t size() const override { return items_; }
  Fraction fraction(std::size_t a, std::size_t b) const;
  double at(std::size_t a, std::size_t b) const override { return fraction(a, b).to_double(); }
  void row(std::size_t item, std::span<double> out) const override;

  /// `a` and `b` must differ.
  void set(std::size_t a, std::size_t b, Fraction distance);

  struct Narrow {
    std::uint16_t num = 0;
    std::uint16_t den = 1;
  };
  /// Distances from `item` to the items before it, to be written all at once. Only while the matrix is narrow.
  std::span<Narrow> narrow_row(std::size_t item);
  std::size_t bytes_a_pair() const { return wide_.empty() ? sizeof(Narrow) : sizeof(Fraction); }

 private:
  void widen();

  // The pairs (1,0), (2,0), (2,1), (3,0), …: in one of the two.
  std::size_t items_;
  std::vector<Narrow> narrow_;
  std::vector<Fraction> wide_;
};

}  // namespace fugu::mining
