// Random definitions, exposures and requests, for accountants and audits alike.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "fugu/accounting/answer.hpp"
#include "fugu/accounting/definition.hpp"
#include "support/builders.hpp"

namespace fugu::test {

inline Definition random_definition() {
  const double epsilon = *rc::gen::elementOf(std::vector<double>{0.1, 0.7, 1, 3.25, 20});
  const double delta = *rc::gen::elementOf(std::vector<double>{0, 0, 1e-9, 1e-6, 0.01});
  switch (*rc::gen::inRange(0, 3)) {
    case 0: return define(Protects::event, epsilon, delta);
    case 1: return define(Protects::user, epsilon, delta, *rc::gen::inRange<std::uint64_t>(1, 25));
    default: return define(Protects::w_event, epsilon, delta, *rc::gen::inRange<std::uint64_t>(1, 7));
  }
}

inline Exposure random_exposure(std::uint64_t largest_sensitivity = std::uint64_t{1} << 40) {
  const auto series = *rc::gen::inRange<std::size_t>(1, 5);
  std::vector<std::uint64_t> sensitivity;
  for (std::size_t i = 0; i < series; ++i)
    sensitivity.push_back(*rc::gen::elementOf(std::vector<std::uint64_t>{1, 3, 10, largest_sensitivity}));
  std::vector<std::vector<SeriesId>> signatures = Exposure::all_disjoint(series);
  if (*rc::gen::arbitrary<bool>()) signatures = Exposure::all_shared(series);
  const int more = *rc::gen::inRange(0, 4);
  for (int i = 0; i < more; ++i) {
    std::vector<SeriesId>& signature = signatures.emplace_back();
    for (SeriesId id = 0; id < series; ++id) {
      if (*rc::gen::arbitrary<bool>()) signature.push_back(id);
    }
  }
  return expose(sensitivity, signatures);
}

inline Rational rational_near(double value) {
  const auto den = *rc::gen::inRange<std::uint64_t>(1, 1000);
  const double num = std::max(1.0, std::min(0x1p61, std::ceil(value * static_cast<double>(den))));
  return {static_cast<std::uint64_t>(num), den};
}

/// Makes requests slot by slot. What they cost is a random part of `total`, often too much of it.
class RandomRequests {
 public:
  RandomRequests(const Definition& definition, const Exposure& exposure, double total, std::uint64_t reach)
      : exposure_(exposure), pure_(definition.delta().value() == 0), total_(total), reach_(static_cast<Slot>(reach)) {}

  Answer next(Slot slot) {
    if (!sessions_.empty() && *rc::gen::inRange(0, 3) == 0) {
      Answer again = *rc::gen::elementOf(sessions_);
      if (again.statistic != Statistic::deviation) again.first_slot = slot;
      again.slot = slot;
      const bool asked_once = again.statistic == Statistic::deviation && !pure_;  // as the kernel does
      if (!asked_once && slot - again.first_slot <= reach_) return again;
    }
    Answer answer;
    answer.form = next_form_++;
    answer.statistic = static_cast<Statistic>(*rc::gen::inRange(0, 4));
    answer.slot = slot;
    answer.first_slot = answer.statistic == Statistic::deviation
                            ? *rc::gen::inRange<Slot>(std::max<Slot>(0, slot - reach_), slot + 1)
                            : slot;
    for (SeriesId id = 0; id < exposure_.series_count(); ++id) {
      if (*rc::gen::arbitrary<bool>()) answer.series.push_back(id);
    }
    if (answer.series.empty()) answer.series.push_back(0);
    answer.values.assign(answer.statistic == Statistic::value ? answer.series.size() : 1, 0);
    if (answer.statistic != Statistic::value && *rc::gen::inRange(0, 3) == 0) {
      answer.session = next_session_++;
      answer.parameter = {scale_for(answer, false), scale_for(answer, false)};
      sessions_.push_back(answer);
    } else {
      answer.noise = !pure_ && *rc::gen::arbitrary<bool>() ? NoiseKind::gaussian : NoiseKind::laplace;
      const bool each = answer.statistic == Statistic::value && *rc::gen::arbitrary<bool>();
      for (std::size_t i = 0; i < (each ? answer.series.size() : 1); ++i)
        answer.parameter.push_back(scale_for(answer, answer.noise == NoiseKind::gaussian));
    }
    return answer;
  }

  /// A session that has given its "yes" is not asked again.
  void end_session(std::uint64_t id) {
    std::erase_if(sessions_, [&](const Answer& answer) { return answer.session == id; });
  }

 private:
  Rational scale_for(const Answer& answer, bool gaussian) const {
    double change = 0;
    for (const SeriesId id : answer.series)
      change = std::max(change, static_cast<double>(exposure_.sensitivity_steps(id)));
    const double part = *rc::gen::elementOf(std::vector<double>{0.01, 0.05, 0.1, 0.25, 0.5, 0.8, 1, 1.2});
    const double slots = static_cast<double>(answer.slot - answer.first_slot + 1);
    if (gaussian) return rational_near(change * change * slots / (2 * part * total_));
    return rational_near(change / (pure_ ? part * total_ : std::sqrt(2 * part * total_ / slots)));
  }

  Exposure exposure_;
  bool pure_;
  double total_;
  Slot reach_;
  std::uint64_t next_session_ = 1;
  std::uint64_t next_form_ = 1;
  std::vector<Answer> sessions_;
};

}  // namespace fugu::test
