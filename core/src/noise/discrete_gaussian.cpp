#include "fugu/noise/discrete_gaussian.hpp"

#include "acceptance.hpp"
#include "fugu/base/check.hpp"
#include "fugu/noise/discrete_laplace.hpp"

namespace fugu {
namespace {

constexpr int kSmallestVarianceLog2 = -6;
constexpr int kLargestVarianceLog2 = 62;

std::uint64_t magnitude_of(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint64_t>(value >> 63);
  return (bits ^ sign) - sign;
}

}  // namespace

bool is_gaussian_variance(Rational variance) noexcept {
  const auto num = uint128{variance.num};
  const auto den = uint128{variance.den};
  return num != 0 && den != 0 && num << -kSmallestVarianceLog2 >= den && num <= den << kLargestVarianceLog2;
}

std::int64_t discrete_gaussian(BitSource& bits, Rational variance) {
  FUGU_CHECK(is_gaussian_variance(variance));
  const detail::Acceptance acceptance(variance);
  for (;;) {
    const std::int64_t proposal = discrete_laplace(bits, {acceptance.proposal_scale(), 1});
    if (acceptance.draw(bits, magnitude_of(proposal))) return proposal;
  }
}

}  // namespace fugu
