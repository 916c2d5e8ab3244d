// Strategies for tests: they ask more, and more kinds of things, than the baselines do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fugu/mechanism/mechanism.hpp"

namespace fugu::test {

/// A strategy that is one function.
template <class Step>
class Lambda final : public Strategy {
 public:
  Lambda(Step step, Reach reach) : step_(std::move(step)), reach_(reach) {}
  Result<void> step(Kernel& kernel, Release& release) override { return step_(kernel, release); }
  Reach reach() const override { return reach_; }

 private:
  Step step_;
  Reach reach_;
};

template <class Step>
std::unique_ptr<Strategy> strategy_of(Step step, Reach reach = {}) {
  return std::make_unique<Lambda<Step>>(std::move(step), reach);
}

/// What was released last, as a reference for distances; 0 before the first release.
inline std::vector<std::int64_t> last_release(const Release& release) {
  std::vector<std::int64_t> last;
  for (const ReleasedValue& value : release.values()) last.push_back(value.known ? value.value.steps : 0);
  return last;
}

/// Every kind of request, as long as it is granted; goes on when it is not.
class Busy final : public Strategy {
 public:
  explicit Busy(std::int64_t threshold_steps = 5) : threshold_steps_(threshold_steps) {}
  Reach reach() const override { return {3}; }
  bool values_only() const override { return true; }  // a lie, which costs accuracy and not privacy

  Result<void> step(Kernel& kernel, Release& release) override {
    const Slot slot = kernel.slot();
    const Budget slot_share = kernel.total() / (8 * std::min<std::uint64_t>(kernel.window_slots(), 50));
    const std::vector<std::int64_t> last = last_release(release);
    FUGU_TRY(granted(kernel.distance(kernel.all(), last, slot_share)));
    if (slot % 3 == 2) {
      const Slot first = std::max(kernel.earliest_slot(), slot - 2);
      FUGU_TRY(granted(kernel.deviation(kernel.all(), first, slot_share / 2)));
    }
    const SeriesId one = kernel.all().back();
    if (slot % 4 == 1) FUGU_TRY(granted(kernel.sum({&one, 1}, slot_share / 4)));
    if (!threshold_ || !threshold_->open()) {
      auto opened = kernel.open_threshold(Statistic::distance, kernel.all(), threshold_steps_, kernel.total() / 4);
      if (opened) threshold_ = *opened;
    }
    if (!threshold_ || !threshold_->open()) return {};
    const auto above = kernel.exceeds(*threshold_, last);
    FUGU_TRY(granted(above));
    if (slot != 0 && !(above && *above)) return {};
    const Budget left = kernel.available() / 2;
    if (left < kernel.total() / 1000) return {};
    const auto answers = kernel.values(kernel.all(), left);
    FUGU_TRY(granted(answers));
    if (answers) release.set(kernel.all(), *answers);
    return {};
  }

 private:
  template <class T>
  static Result<void> granted(const Result<T>& result) {
    if (result || result.error().cause == Cause::refused) return {};
    return result.error();
  }

  std::int64_t threshold_steps_;
  std::optional<Threshold> threshold_;
};

/// Asks every other slot, releases the mean of the last two answers, and drifts up by one step where it does not ask.
class Smoothing final : public Strategy {
 public:
  Result<void> step(Kernel& kernel, Release& release) override {
    last_.resize(kernel.all().size());
    if (kernel.slot() % 2 != 0) {
      for (const SeriesId series : kernel.all()) {
        if (last_[series]) release.estimate(series, release[series].value.steps + 1, false);
      }
      return {};
    }
    FUGU_ASSIGN(const auto answers, kernel.values(kernel.all(), kernel.total() / kernel.window_slots()));
    for (const SeriesId series : kernel.all()) {
      if (!answers[series]) continue;
      const std::int64_t now = answers[series]->steps;
      release.estimate(series, (last_[series].value_or(now) + now) / 2, true);
      last_[series] = now;
    }
    return {};
  }

 private:
  std::vector<std::optional<std::int64_t>> last_;
};

/// Releases when a sparse-vector session says that the stream has moved away from the last release.
class SparseVector final : public Strategy {
 public:
  explicit SparseVector(std::int64_t threshold_steps) : threshold_steps_(threshold_steps) {}

  Result<void> step(Kernel& kernel, Release& release) override {
    if (!threshold_ || !threshold_->open()) {
      FUGU_ASSIGN(threshold_,
                  kernel.open_threshold(Statistic::distance, kernel.all(), threshold_steps_, kernel.total() / 4));
    }
    const auto above = kernel.exceeds(*threshold_, last_release(release));
    if (!above) return above.error().cause == Cause::refused ? Result<void>() : above.error();
    if (!*above || kernel.available() < kernel.total() / 4) return {};
    FUGU_ASSIGN(const auto answers, kernel.values(kernel.all(), kernel.total() / 4));
    release.set(kernel.all(), answers);
    return {};
  }

 private:
  std::int64_t threshold_steps_;
  std::optional<Threshold> threshold_;
};

/// Notes what is left at the end of every slot.
class WatchedBudget final : public Strategy {
 public:
  WatchedBudget(std::unique_ptr<Strategy> inner, std::vector<Budget>& left) : inner_(std::move(inner)), left_(left) {}
  Result<void> step(Kernel& kernel, Release& release) override {
    FUGU_TRY(inner_->step(kernel, release));
    left_.push_back(kernel.available());
    return {};
  }
  Reach reach() const override { return inner_->reach(); }

 private:
  std::unique_ptr<Strategy> inner_;
  std::vector<Budget>& left_;
};

}  // namespace fugu::test
