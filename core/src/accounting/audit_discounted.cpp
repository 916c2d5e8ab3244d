#include "audit_discounted.hpp"

#include <algorithm>
#include <cmath>

#include "fugu/noise/exact.hpp"

namespace fugu::audit {

namespace {

using detail::Integer;

/// Of 1/(1 + βj), after the point.
constexpr unsigned kWeightBits = 72;
/// Of αʲ · loss, after those of a loss.
constexpr unsigned kStateBits = 128;
/// One number within a long one: a sum of less than 2^40 products of a loss and a weight.
constexpr std::size_t kPackedWords = 3;
/// Slots in one long number; longer streams take several.
constexpr std::size_t kSlotsPerFactor = std::size_t{1} << 21;

/// A positive double as numerator / 2^bits.
struct Dyadic {
  std::uint64_t numerator;
  unsigned bits;
};

Dyadic dyadic(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  FUGU_CHECK(value > 0 && exponent <= 53);
  return {static_cast<std::uint64_t>(std::ldexp(mantissa, 53)), static_cast<unsigned>(53 - exponent)};
}

void set(mpz_ptr number, Units value) {
  const std::uint64_t words[2] = {static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64)};
  mpz_import(number, 2, -1, sizeof(std::uint64_t), 0, 0, words);
}

/// number / 2^bits, rounded up; saturates.
Units shifted_up(mpz_srcptr number, unsigned bits) {
  Integer shifted;
  mpz_cdiv_q_2exp(shifted, number, bits);
  if (mpz_sizeinbase(shifted, 2) > 100) return kTooMuch;
  std::uint64_t words[2] = {0, 0};
  mpz_export(words, nullptr, -1, sizeof(std::uint64_t), 0, 0, shifted);
  return (Units{words[1]} << 64) | words[0];
}

/// 1/(1 + βj) for j = 0 … slots − 1, rounded up.
std::vector<std::uint64_t> packed_weights(double beta, std::size_t slots) {
  const Dyadic b = dyadic(beta);
  Integer numerator(1);
  Integer denominator(1);
  Integer quotient;
  mpz_mul_2exp(numerator, numerator, b.bits + kWeightBits);
  mpz_mul_2exp(denominator, denominator, b.bits);
  std::vector<std::uint64_t> words(slots * kPackedWords);
  for (std::size_t j = 0; j < slots; ++j) {
    mpz_cdiv_q(quotient, numerator, denominator);
    mpz_export(&words[j * kPackedWords], nullptr, -1, sizeof(std::uint64_t), 0, 0, quotient);
    mpz_add_ui(denominator, denominator, b.numerator);
  }
  return words;
}

std::vector<std::uint64_t> packed_losses(const std::vector<Units>& losses) {
  std::vector<std::uint64_t> words(losses.size() * kPackedWords);
  for (std::size_t slot = 0; slot < losses.size(); ++slot) {
    words[slot * kPackedWords] = static_cast<std::uint64_t>(losses[slot]);
    words[slot * kPackedWords + 1] = static_cast<std::uint64_t>(losses[slot] >> 64);
  }
  return words;
}

/// words[from …) += the words of `number`, as far as there are any.
void add_words(std::vector<std::uint64_t>& words, std::size_t from, mpz_srcptr number) {
  std::uint64_t carry = 0;
  const std::size_t count = std::min(words.size() - from, mpz_size(number) + kPackedWords);
  for (std::size_t i = 0; i < count; ++i) {
    const uint128 sum = uint128{words[from + i]} + mpz_getlimbn(number, static_cast<mp_size_t>(i)) + carry;
    words[from + i] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
}

/// The packed Σ over k ≤ t of a(k) · b(t − k): what the product of two long numbers holds, piece by piece.
std::vector<std::uint64_t> convolve(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  static_assert(sizeof(mp_limb_t) == sizeof(std::uint64_t));
  constexpr std::size_t kPiece = kSlotsPerFactor * kPackedWords;
  const auto load = [&](const std::vector<std::uint64_t>& words, std::size_t first, Integer& piece) {
    mpz_import(piece, std::min(kPiece, words.size() - first), -1, sizeof(std::uint64_t), 0, 0, &words[first]);
  };
  std::vector<std::uint64_t> sums(a.size());
  Integer of_a;
  Integer of_b;
  for (std::size_t i = 0; i < a.size(); i += kPiece) {
    load(a, i, of_a);
    for (std::size_t j = 0; i + j < a.size(); j += kPiece) {
      load(b, j, of_b);
      mpz_mul(of_b, of_a, of_b);
      add_words(sums, i + j, of_b);
    }
  }
  return sums;
}

}  // namespace

DiscountedAudit::DiscountedAudit(const Definition& definition, const Exposure& exposure, std::size_t slots)
    : definition_(definition), exposure_(exposure), slots_(slots) {}

void DiscountedAudit::begin_pass(SignatureRange range) {
  range_ = range;
  losses_.assign(range.count, std::vector<Units>(slots_));
}

void DiscountedAudit::add(std::size_t signature, Slot slot, Units loss) {
  Units& sum = losses_[signature - range_.first][static_cast<std::size_t>(slot)];
  sum = std::min(sum + std::min(loss, kLargestLoss), kLargestLoss);
}

void DiscountedAudit::add(const Answer& answer) {
  // Whatever slots it is about, an answer is lost when it is given; so is every comparison of a session.
  if (answer.statistic == Statistic::value && !answer.is_comparison()) {
    for (std::size_t i = 0; i < answer.series.size(); ++i) {
      const SeriesId series = answer.series[i];
      const Units loss =
          loss_of(answer, answer.parameter_of(i), true, exposure_.sensitivity_steps(series, answer.slot), 1);
      for (const std::uint32_t g : exposure_.signatures_of(series)) {
        if (range_.contains(g)) add(g, answer.slot, loss);
      }
    }
    return;
  }
  for (const auto& [g, change] : changes(answer, exposure_, range_, Change::whole_sensitivity))
    add(g, answer.slot, loss_of(answer, answer.parameter[0], true, change, slots_touched(answer)));
}

DiscountedAudit::Worst DiscountedAudit::worst_exponential(const std::vector<Units>& losses) const {
  const Dyadic alpha = dyadic(definition_.discount()->factor);
  Integer counted;
  Integer loss;
  Integer largest;
  Worst worst;
  for (std::size_t slot = 0; slot < losses.size(); ++slot) {
    mpz_mul_ui(counted, counted, alpha.numerator);
    mpz_cdiv_q_2exp(counted, counted, alpha.bits);
    set(loss, losses[slot]);
    mpz_mul_2exp(loss, loss, kStateBits);
    mpz_add(counted, counted, loss);
    if (mpz_cmp(counted, largest) <= 0) continue;
    mpz_set(largest, counted);
    worst.slot = slot;
  }
  worst.loss = shifted_up(largest, kStateBits);
  return worst;
}

DiscountedAudit::Worst DiscountedAudit::worst_hyperbolic(const std::vector<Units>& losses) {
  if (weights_.empty()) weights_ = packed_weights(definition_.discount()->factor, slots_);
  const std::vector<std::uint64_t> sums = convolve(packed_losses(losses), weights_);
  const auto at = [&](std::size_t slot) {
    return std::make_reverse_iterator(sums.begin() + static_cast<std::ptrdiff_t>((slot + 1) * kPackedWords));
  };
  Worst worst;
  for (std::size_t slot = 1; slot < losses.size(); ++slot) {
    if (std::lexicographical_compare(at(worst.slot), at(worst.slot) + kPackedWords, at(slot), at(slot) + kPackedWords))
      worst.slot = slot;
  }
  Integer largest;
  mpz_import(largest, kPackedWords, -1, sizeof(std::uint64_t), 0, 0, &sums[worst.slot * kPackedWords]);
  worst.loss = shifted_up(largest, kWeightBits);
  return worst;
}

void DiscountedAudit::end_pass() {
  for (std::size_t i = 0; i < losses_.size() && slots_ > 0; ++i) {
    const Worst candidate = definition_.discount()->kind == Discount::Kind::exponential ? worst_exponential(losses_[i])
                                                                                        : worst_hyperbolic(losses_[i]);
    if (candidate.loss <= worst_.loss) continue;
    worst_ = candidate;
    worst_signature_ = range_.first + i;
  }
  losses_.clear();
}

void DiscountedAudit::judge(AuditReport& report) const {
  if (worst_.loss > 0) report.worst_series = exposure_.signature(worst_signature_);
  report.worst_first_slot = 0;
  report.worst_last_slot = static_cast<Slot>(worst_.slot);
  judge_worst_window(up_to_long_double(worst_.loss), definition_, report);
}

}  // namespace fugu::audit
