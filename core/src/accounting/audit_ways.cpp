#include "audit_ways.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace fugu::audit {

Exposure Way::exposure() const {
  std::set<SeriesId> all;
  for (const Piece& piece : pieces_) {
    if (piece.signature)
      all.insert(exposure_.signature(*piece.signature).begin(), exposure_.signature(*piece.signature).end());
  }
  return exposure_.of_one_unit({all.begin(), all.end()});
}

Slot Way::last_slot_of(std::size_t piece) const {
  return piece + 1 < pieces_.size() ? pieces_[piece + 1].from - 1 : std::numeric_limits<Slot>::max();
}

std::optional<Answer> Way::part_in(const Answer& answer, std::size_t piece) const {
  const Slot first = std::max(answer.first_slot, pieces_[piece].from);
  const Slot last = std::min(answer.slot, last_slot_of(piece));
  if (!pieces_[piece].signature || last < first) return std::nullopt;
  const std::vector<SeriesId>& mine = exposure_.signature(*pieces_[piece].signature);
  Answer part = answer;
  part.first_slot = first;
  part.slot = last;
  if (answer.is_comparison()) part.session = session_in(answer.session, piece);
  part.series.clear();
  const bool one_each = answer.statistic == Statistic::value && !answer.is_comparison() && answer.parameter.size() > 1;
  if (one_each) part.parameter.clear();
  for (std::size_t i = 0; i < answer.series.size(); ++i) {
    if (!std::binary_search(mine.begin(), mine.end(), answer.series[i])) continue;
    part.series.push_back(answer.series[i]);
    if (one_each) part.parameter.push_back(answer.parameter[i]);
  }
  if (part.series.empty()) return std::nullopt;
  return part;
}

Sessions Way::parts(const Sessions& sessions) const {
  Sessions parts;
  for (const auto& [id, session] : sessions) {
    Answer whole = session.like;
    whole.first_slot = session.first;
    whole.slot = session.last;
    for_parts(whole, [&](const Answer& part) {
      parts.emplace(part.session, Session{part, part.first_slot, part.slot, session.ended});
    });
  }
  return parts;
}

std::optional<std::string> UnitsPlaced::taken_over(const UnitPlaced& placed) {
  std::vector<std::string> meters = placed.meters;
  meters.push_back(placed.unit);  // a meter of the same name belongs to it
  for (const std::string& meter : meters) {
    const auto [at, is_new] = unit_of_meter_.emplace(meter, placed.unit);
    if (at->second != placed.unit) return meter;
  }
  return std::nullopt;
}

bool UnitsPlaced::add(const UnitPlaced& placed) {
  Unit& unit = units_[placed.unit];
  unit.pieces.push_back({placed.slot, placed.signature});
  if (!placed.signature) return false;
  const bool moved = unit.latest && *unit.latest != *placed.signature;
  unit.latest = placed.signature;
  return moved;
}

std::vector<Way> UnitsPlaced::ways(const Exposure& exposure) const {
  std::set<std::vector<Piece>> different;
  for (const auto& [name, unit] : units_) {
    std::set<std::uint32_t> signatures;
    for (const Piece& piece : unit.pieces) {
      if (piece.signature) signatures.insert(*piece.signature);
    }
    if (signatures.size() > 1) different.insert(unit.pieces);
  }
  std::vector<Way> ways;
  for (const std::vector<Piece>& pieces : different) ways.emplace_back(pieces, exposure);
  return ways;
}

}  // namespace fugu::audit
