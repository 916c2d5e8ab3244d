#include "fugu/strategy/dsat.hpp"

#include <algorithm>
#include <cmath>

#include "fugu/strategy/nearest_steps.hpp"

namespace fugu {

namespace {

/// How strongly one gap between samples moves the threshold, as in the published controller.
constexpr double kGain = 0.5;
/// Of the c samples that fit into a window, how many the threshold aims at: between half and all of them, so that some
/// are left when the stream jumps.
constexpr double kAimedPart = 0.75;
/// The threshold's level stays within these multiples of the noise of a release.
constexpr double kLevelLeast = 1.0 / 64;
constexpr double kLevelMostSteps = 0x1p55;

}  // namespace

// --- Shares -------------------------------------------------------------------------------------------------------

void Dsat::prepare(const Kernel& kernel) {
  window_slots_ = kernel.window_slots();
  const auto w = static_cast<double>(window_slots_);
  samples_ = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::ceil(options_.rate * w)), 1, window_slots_);
  const auto c = static_cast<double>(samples_);
  gap_slots_ = w / (kAimedPart * c);
  gap_max_slots_ = static_cast<Slot>(window_slots_ / ((samples_ + 1) / 2));
  if (samples_ < window_slots_) {
    // The variance in a mean distance is A/kᵖ, in a release B/(1−k)ᵖ, with p = 2, or 1 where ρ is counted; their sum is
    // least at k/(1−k) = root. Only c of w decisions are acted upon, and so much less are they worth.
    const ShareNoise noise(kernel);
    MeterReach reach;
    double squares = 0;
    double weight = 0;
    for (const SeriesId id : kernel.all()) {
      const double each = noise.weight(kernel.exposure().sensitivity_steps(id), kernel.series_per_meter(id));
      squares += each * each;
      weight += each;
    }
    const double distance = noise.weight(reach.change_steps(kernel.exposure(), kernel.all()));
    const double a_over_b = (kernel.noise() == NoiseKind::gaussian ? 40 : 20) * distance * distance /
                            (static_cast<double>(kernel.all().size()) * squares);
    const double root = kernel.currency() == Currency::rho ? std::sqrt(a_over_b) : std::cbrt(a_over_b);
    const double worth = root * c / w;
    decision_part_ = std::min(worth / (1 + worth), 1 - c / w);
    session_share_ = Budget::round_down(kernel.total().to_double() * decision_part_) / samples_;
    release_share_ = (kernel.total() - Budget::from_units(session_share_.units() * samples_)) / samples_;
    level_steps_ = weight * noise.factor(release_share_);
    level_least_steps_ = level_steps_ * kLevelLeast;
  } else {
    release_share_ = kernel.total() / samples_;
  }
}

// --- A slot -------------------------------------------------------------------------------------------------------

Result<void> Dsat::step(Kernel& kernel, Release& release) {
  if (window_slots_ == 0) prepare(kernel);
  if (!any_present(kernel) || released_lately(kernel.slot()) >= samples_) return {};
  FUGU_ASSIGN(const Verdict verdict, decide(kernel, release));
  return verdict == Verdict::release ? release_all(kernel, release) : Result<void>();
}

bool Dsat::any_present(const Kernel& kernel) const {
  const auto there = [&](SeriesId id) { return kernel.present(id); };
  return kernel.all_present() || std::any_of(kernel.all().begin(), kernel.all().end(), there);
}

bool Dsat::has_newcomer(const Kernel& kernel, const Release& release) const {
  const auto is_new = [&](SeriesId id) { return kernel.present(id) && !release[id].known; };
  return newcomers_ && std::any_of(kernel.all().begin(), kernel.all().end(), is_new);
}

void Dsat::remember(const Release& release) {
  reference_.clear();
  newcomers_ = false;
  for (SeriesId id = 0; id < release.values().size(); ++id) {
    reference_.push_back(release.published_steps(id));
    newcomers_ = newcomers_ || !release[id].known;
  }
}

std::size_t Dsat::released_lately(Slot slot) {
  releases_.forget_before(slot - static_cast<Slot>(window_slots_) + 1);
  return releases_.count();
}

Result<Dsat::Verdict> Dsat::decide(Kernel& kernel, const Release& release) {
  if (has_newcomer(kernel, release) || samples_ == window_slots_) return Verdict::release;
  // No window holds fewer than half of c: gaps are bounded, and after a burst that took all of a window's samples the
  // next ones come at once.
  const bool last_chance =
      kernel.slot() + 1 >= static_cast<Slot>(window_slots_) && releases_.count() < (samples_ + 1) / 2;
  if (last_chance || kernel.slot() - last_release_ >= gap_max_slots_) return Verdict::release;
  return decide_by_session(kernel);
}

Result<Dsat::Verdict> Dsat::decide_by_session(Kernel& kernel) {
  const std::int64_t threshold = threshold_steps(kernel.slot() - last_release_);
  if (!session_) {
    FUGU_ASSIGN(session_, kernel.open_threshold(Statistic::distance, kernel.all(), threshold, session_share_));
  }
  session_->move_to(threshold);
  const Result<bool> above = kernel.exceeds(*session_, reference_);
  if (!above && above.error().cause == Cause::refused) return Verdict::repeat;
  if (!above) return above.error();
  if (!*above) return Verdict::repeat;
  session_.reset();
  return Verdict::release;
}

Result<void> Dsat::release_all(Kernel& kernel, Release& release) {
  const Slot slot = kernel.slot();
  const auto answers = kernel.values(kernel.all(), release_share_);
  if (!answers && answers.error().cause == Cause::refused) return {};  // a restart has cost a session
  if (!answers) return answers.error();
  release.set(kernel.all(), *answers);
  remember(release);
  if (slot > 0) adapt(slot - last_release_);
  last_release_ = slot;
  releases_.spend(slot, 0, release_share_);
  return {};
}

// --- The threshold ------------------------------------------------------------------------------------------------

/// The level while the last release is young; from the gap aimed at on it sinks, to zero at the largest gap.
std::int64_t Dsat::threshold_steps(Slot age) const {
  const double over = static_cast<double>(age) - gap_slots_;
  const double left = static_cast<double>(gap_max_slots_) - gap_slots_;
  const double factor = over <= 0 || left <= 0 ? 1 : 1 - over / left;
  return nearest_steps(level_steps_ * factor);
}

void Dsat::adapt(Slot gap) {
  const double early = std::max(-1.0, (gap_slots_ - static_cast<double>(gap)) / gap_slots_);
  level_steps_ = std::clamp(level_steps_ * std::exp(kGain * early), level_least_steps_, kLevelMostSteps);
}

}  // namespace fugu
