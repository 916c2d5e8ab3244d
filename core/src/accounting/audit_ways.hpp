// Units that moved, as the audit sees them: where each was, slot by slot, and what of an answer it could change.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "audit_answers.hpp"
#include "fugu/accounting/membership.hpp"

namespace fugu::audit {

/// From `from` on, until the next piece, a unit counts into the series of a signature; into none when it has left.
struct Piece {
  Slot from = 0;
  std::optional<std::uint32_t> signature;

  friend auto operator<=>(const Piece&, const Piece&) = default;
};

/// Where one unit was, in order of slots.
class Way {
 public:
  Way(std::vector<Piece> pieces, const Exposure& exposure) : pieces_(std::move(pieces)), exposure_(exposure) {}

  /// An exposure of this unit alone: one signature with everything it ever counted into.
  Exposure exposure() const;
  /// Calls visit(part) for each piece of the way in which the unit can change the answer: the part has the slots of the
  /// piece and the series that the unit counts into there. Parts of a session are sessions of their own.
  template <class Visit>
  void for_parts(const Answer& answer, Visit&& visit) const {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (const auto part = part_in(answer, i)) visit(*part);
    }
  }
  /// The same of sessions.
  Sessions parts(const Sessions& sessions) const;

 private:
  std::optional<Answer> part_in(const Answer& answer, std::size_t piece) const;
  Slot last_slot_of(std::size_t piece) const;
  std::uint64_t session_in(std::uint64_t session, std::size_t piece) const { return session * pieces_.size() + piece; }

  std::vector<Piece> pieces_;
  const Exposure& exposure_;
};

/// Collects where units are placed. Those who never change their signature need no audit of their own: that of the
/// signature is theirs.
class UnitsPlaced {
 public:
  /// Whether the unit counts into series of another signature than before.
  bool add(const UnitPlaced& placed);
  /// A meter of the placed unit that was another unit's before: what it lost there is missing here.
  std::optional<std::string> taken_over(const UnitPlaced& placed);
  /// The different ways of those who moved.
  std::vector<Way> ways(const Exposure& exposure) const;

 private:
  struct Unit {
    std::vector<Piece> pieces;
    std::optional<std::uint32_t> latest;  // signature, also of a unit that has left
  };
  std::map<std::string, Unit> units_;
  std::map<std::string, std::string> unit_of_meter_;
};

}  // namespace fugu::audit
