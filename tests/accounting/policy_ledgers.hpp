// Ledgers with policies, written by hand, and what the definition says about them, found by trying everything.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fugu/accounting/audit.hpp"
#include "support/ledger_tools.hpp"
#include "support/policies.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {

inline Answer value_of(Slot slot, Rational parameter, std::vector<SeriesId> series = {0}) {
  Answer answer;
  answer.slot = answer.first_slot = slot;
  answer.series = std::move(series);
  answer.parameter = {parameter};
  answer.values.assign(answer.series.size(), 0);
  return answer;
}

inline Answer true_value_of(Slot slot, std::vector<SeriesId> series = {0}) {
  Answer answer = value_of(slot, {0, 1}, std::move(series));
  answer.noise = NoiseKind::none;
  return answer;
}

inline Answer statistic_of(Statistic statistic, Slot first_slot, Slot slot, Rational parameter,
                           std::vector<SeriesId> series = {0}) {
  Answer answer = value_of(slot, parameter, std::move(series));
  answer.statistic = statistic;
  answer.first_slot = first_slot;
  answer.values = {0};
  return answer;
}

inline Answer comparison_of(Statistic statistic, Slot first_slot, Slot slot, std::uint64_t session, Rational threshold,
                            Rational noise, std::vector<SeriesId> series = {0}) {
  Answer answer = statistic_of(statistic, first_slot, slot, threshold, std::move(series));
  answer.session = session;
  answer.parameter = {threshold, noise};
  return answer;
}

inline std::string all_findings_of(const AuditReport& report) {
  std::string text;
  for (const std::string& finding : report.findings) text.append(finding).append("\n");
  return text;
}

/// Records of a ledger, slot by slot; the totals that a slot states are filled in.
class LedgerScript {
 public:
  LedgerScript(const Definition& definition, const Exposure& exposure)
      : header_(header_of(definition, exposure)), pure_(definition.delta().value() == 0) {}

  LedgerScript& state(const Policy& policy, const std::string& meter = "m",
                      std::vector<std::uint32_t> signatures = {}) {
    return state_at(slot_, policy, meter, std::move(signatures));
  }
  LedgerScript& state_at(Slot slot, const Policy& policy, const std::string& meter = "m",
                         std::vector<std::uint32_t> signatures = {}) {
    records_.emplace_back(PolicyStated{slot, meter, std::move(signatures), policy});
    return *this;
  }
  LedgerScript& withdraw(const Policy& policy, const std::string& meter = "m") {
    records_.emplace_back(PolicyWithdrawn{slot_, meter, policy});
    return *this;
  }
  LedgerScript& place(const std::string& unit, std::optional<std::uint32_t> signature) {
    records_.emplace_back(UnitPlaced{slot_, unit, signature, {}});
    return *this;
  }
  LedgerScript& answer(const Answer& answer) {
    for (std::size_t i = 0; i < answer.series.size(); ++i) rate_ += rate_of(answer, i);
    records_.emplace_back(answer);
    return *this;
  }
  LedgerScript& close() {
    records_.emplace_back(SlotEnd{slot_++, 0, rate_});
    rate_ = 0;
    return *this;
  }
  /// Closes slots until `slot` is the open one; answers that have their place there are given on the way.
  LedgerScript& run(const std::vector<Answer>& answers, Slot slots) {
    while (slot_ < slots) {
      for (const Answer& each : answers) {
        if (each.slot == slot_) answer(each);
      }
      close();
    }
    return *this;
  }

  AuditReport audit() const {
    const TempDir dir;
    std::vector<LedgerRecord> records = records_;
    records.emplace_back(StreamEnd{});
    write_ledger(dir / "ledger", header_, {records});
    const auto report = audit_ledger(dir / "ledger");
    EXPECT_TRUE(report) << reason(report);
    return report ? *report : AuditReport{};
  }

 private:
  double rate_of(const Answer& answer, std::size_t i) const {
    const double gain = answer.statistic == Statistic::deviation ? 2 : 1;
    const auto slots = static_cast<double>(answer.slot - answer.first_slot + 1);
    if (answer.noise == NoiseKind::gaussian) return gain * gain * slots / (2 * answer.parameter_of(i).to_double());
    const double e = answer.is_comparison()
                         ? gain / answer.parameter[0].to_double() + 2 * gain / answer.parameter[1].to_double()
                         : gain / answer.parameter_of(i).to_double();
    return pure_ ? e : e * e * slots / 2;
  }

  LedgerHeader header_;
  bool pure_;
  Slot slot_ = 0;
  double rate_ = 0;
  std::vector<LedgerRecord> records_;
};

/// Every difference between two neighbouring streams of one meter for a policy with interval J, by the definition:
/// none outside J; inside, one occurrence of each policy at most, placed anywhere in its own interval, of any sign and
/// any whole amount up to its magnitude, slot by slot. Small cases only.
class Neighbours {
 public:
  using Difference = std::vector<int>;  // series after series, slot after slot

  Neighbours(int series, Slot slots, Interval j) : series_(series), slots_(slots), j_(j) {
    all_.insert(Difference(static_cast<std::size_t>(series) * static_cast<std::size_t>(slots)));
  }

  /// One occurrence more, perhaps, in all series the meter counts into.
  void add(const Policy& policy) {
    std::set<Difference> occurrences;
    if (!policy.shape) {
      const auto length = static_cast<std::size_t>(policy.length_slots);
      const Lane lane{std::nullopt, std::vector<std::uint64_t>(length, policy.magnitude_steps)};
      place({{lane}}, policy.interval, occurrences);
    } else {
      for (const Profile& profile : policy.shape->alternatives) place(profile, policy.interval, occurrences);
    }
    std::set<Difference> more;
    for (const Difference& difference : all_) {
      for (const Difference& occurrence : occurrences) {
        Difference sum = difference;
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += occurrence[i];
        more.insert(std::move(sum));
      }
    }
    all_ = std::move(more);
  }

  const std::set<Difference>& all() const { return all_; }

 private:
  std::size_t cell(std::size_t series, Slot slot) const {
    return series * static_cast<std::size_t>(slots_) + static_cast<std::size_t>(slot);
  }
  void place(const Profile& profile, const Interval& interval, std::set<Difference>& occurrences) const {
    const auto length = static_cast<Slot>(profile.lanes[0].steps.size());
    for (Slot start = interval.first; start + length - 1 <= interval.last; ++start) {
      Difference limit(all_.begin()->size());
      for (const Lane& lane : profile.lanes) {
        for (Slot slot = start; slot < start + length; ++slot) {
          if (slot >= slots_ || !j_.contains(slot)) continue;
          for (std::size_t i = 0; i < static_cast<std::size_t>(series_); ++i) {
            if (!lane.series || *lane.series == i)
              limit[cell(i, slot)] += static_cast<int>(lane.steps[static_cast<std::size_t>(slot - start)]);
          }
        }
      }
      amounts(limit, 0, Difference(limit.size()), occurrences);
    }
  }
  static void amounts(const Difference& limit, std::size_t at, Difference chosen, std::set<Difference>& found) {
    while (at < limit.size() && limit[at] == 0) ++at;
    if (at == limit.size()) {
      found.insert(chosen);
      return;
    }
    for (int amount = -limit[at]; amount <= limit[at]; ++amount) {
      chosen[at] = amount;
      amounts(limit, at + 1, chosen, found);
    }
  }

  int series_;
  Slot slots_;
  Interval j_;
  std::set<Difference> all_;
};

/// log P(noise = n) of the discrete Laplace law.
inline double log_laplace(int n, double scale) {
  const double q = std::exp(-1 / scale);
  return std::log((1 - q) / (1 + q)) - std::abs(n) / scale;
}

/// The largest log-likelihood ratio of one released number whose true value changes by `change`, over all outputs.
inline double worst_log_ratio(int change, double scale) {
  double worst = 0;
  for (int output = -2 * std::abs(change) - 3; output <= 2 * std::abs(change) + 3; ++output)
    worst = std::max(worst, std::abs(log_laplace(output, scale) - log_laplace(output - change, scale)));
  return worst;
}

}  // namespace fugu::test
