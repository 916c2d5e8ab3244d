// What recorded answers lose, added up the slow way: every window, every signature, every answer, from the definitions.
// Shares no code with the accountants or the audit; checks both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "fugu/accounting/answer.hpp"
#include "fugu/accounting/definition.hpp"

namespace fugu::test {

class ReferenceLoss {
 public:
  ReferenceLoss(const Definition& definition, const Exposure& exposure)
      : exposure_(exposure),
        pure_(definition.delta().value() == 0),
        user_(definition.protects() == Protects::user),
        window_(static_cast<Slot>(definition.window_slots())) {}

  void add(const Answer& answer) {
    last_slot_ = std::max(last_slot_, answer.slot);
    if (!answer.is_comparison()) {
      answers_.push_back(answer);
      return;
    }
    const auto [found, is_new] = sessions_.try_emplace(answer.session, Session{answer, answer.first_slot, -1, {}, {}});
    Session& session = found->second;
    session.first = std::min(session.first, answer.first_slot);
    const Slot reached = std::max(session.last + 1, session.first);
    const auto touched = static_cast<long double>(answer.slot - session.first + 1);
    for (Slot slot = reached; slot <= answer.slot; ++slot) session.charges[slot] = 2 * touched - 1;
    session.last = answer.slot;
    session.asked.push_back(answer.slot);
  }

  struct Worst {
    long double exact = 0;    ///< what the worst window really loses: ε, or ρ
    long double charged = 0;  ///< what accountants may charge one of the windows asked about; never less
    Slot first_slot = 0;      ///< of the window that loses most
  };

  /// `charged` is about windows that meet the slots first to last.
  Worst worst(Slot first, Slot last) const {
    Worst worst;
    const Slot starts_from = user_ ? 0 : 1 - window_;
    const Slot starts_to = user_ ? 0 : last_slot_;
    for (std::uint32_t g = 0; g < exposure_.signature_count(); ++g) {
      for (Slot start = starts_from; start <= starts_to; ++start) {
        const Slot end = user_ ? last_slot_ : start + window_ - 1;
        const Worst loss = loss_of_window(g, start, end);
        if (loss.exact > worst.exact) {
          worst.exact = loss.exact;
          worst.first_slot = std::max<Slot>(0, start);
        }
        if (start <= last && end >= first) worst.charged = std::max(worst.charged, loss.charged);
      }
    }
    return worst;
  }

  Worst worst() const { return worst(0, last_slot_); }

 private:
  struct Session {
    Answer like;
    Slot first;
    Slot last;
    std::map<Slot, long double> charges;  // in ρ, as multiples of e²/2
    std::vector<Slot> asked;
  };

  static long double real(Rational r) { return static_cast<long double>(r.num) / static_cast<long double>(r.den); }

  bool in_signature(std::uint32_t g, SeriesId series) const {
    const auto& members = exposure_.signature(g);
    return std::find(members.begin(), members.end(), series) != members.end();
  }

  long double change(const Answer& answer, std::uint32_t g) const {
    long double steps = 0;
    for (const SeriesId series : answer.series) {
      if (in_signature(g, series)) steps += static_cast<long double>(exposure_.sensitivity_steps(series));
    }
    return steps * (answer.statistic == Statistic::deviation ? 2 : 1);
  }

  /// An answer whose mean moves by `steps` in all.
  long double loss(NoiseKind noise, long double steps, Rational parameter) const {
    if (steps == 0) return 0;
    const long double p = real(parameter);
    if (noise == NoiseKind::gaussian)
      return pure_ ? std::numeric_limits<long double>::infinity() : steps * steps / (2 * p);
    return pure_ ? steps / p : steps / p * (steps / p) / 2;
  }

  Worst loss_of_window(std::uint32_t g, Slot start, Slot end) const {
    Worst sum;
    for (const Answer& answer : answers_) {
      const auto held = static_cast<long double>(std::min(end, answer.slot) - std::max(start, answer.first_slot) + 1);
      if (held <= 0) continue;
      if (answer.statistic == Statistic::value) {
        for (std::size_t i = 0; i < answer.series.size(); ++i) {
          if (!in_signature(g, answer.series[i])) continue;
          const auto steps = static_cast<long double>(exposure_.sensitivity_steps(answer.series[i]));
          const long double lost = loss(answer.noise, steps, answer.parameter_of(i));
          sum.exact += lost;
          sum.charged += lost;
        }
        continue;
      }
      const auto touched = static_cast<long double>(answer.slot - answer.first_slot + 1);
      const long double once = loss(answer.noise, change(answer, g), answer.parameter[0]);
      sum.exact += once * held * (pure_ ? 1 : held);
      sum.charged += once * held * (pure_ ? 1 : touched);
    }
    for (const auto& [id, session] : sessions_) add_session(session, g, start, end, sum);
    return sum;
  }

  void add_session(const Session& session, std::uint32_t g, Slot start, Slot end, Worst& sum) const {
    const auto held = static_cast<long double>(std::min(end, session.last) - std::max(start, session.first) + 1);
    if (held <= 0) return;
    const long double steps = change(session.like, g);
    const long double e = steps / real(session.like.parameter[0]) + 2 * steps / real(session.like.parameter[1]);
    const long double once = pure_ ? e : e * e / 2;
    if (session.like.statistic != Statistic::deviation) {
      const bool asked = std::any_of(session.asked.begin(), session.asked.end(),
                                     [&](Slot slot) { return slot >= start && slot <= end; });
      if (asked) sum.exact += once;
      sum.charged += once;
      return;
    }
    sum.exact += once * held * (pure_ ? 1 : held);
    for (const auto& [slot, factor] : session.charges) {
      if (slot >= start && slot <= end) sum.charged += once * (pure_ ? 1 : factor);
    }
  }

  Exposure exposure_;
  bool pure_;
  bool user_;
  Slot window_;
  Slot last_slot_ = 0;
  std::vector<Answer> answers_;
  std::map<std::uint64_t, Session> sessions_;
};

}  // namespace fugu::test
