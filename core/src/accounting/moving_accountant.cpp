#include "moving_accountant.hpp"

#include <algorithm>
#include <iterator>

namespace fugu {

namespace {

std::vector<SeriesId> joined(const std::vector<SeriesId>& a, const std::vector<SeriesId>& b) {
  std::vector<SeriesId> both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

bool holds(const std::vector<SeriesId>& set, SeriesId series) {
  return std::binary_search(set.begin(), set.end(), series);
}

}  // namespace

MovingAccountant::MovingAccountant(std::unique_ptr<Accountant> staying, const Exposure& exposure)
    : exposure_(exposure), staying_(std::move(staying)), next_way_(exposure.signature_count()) {}

MovingAccountant::Account MovingAccountant::move(Account from, std::uint32_t signature, Slot since,
                                                 std::uint64_t latest_session) {
  for (const auto& [account, way] : ways_) {  // others who went the same way
    if (way.since == since && way.signature == signature && way.from == from) return account;
  }
  const auto earlier = ways_.find(from);
  const bool moved_before = earlier != ways_.end();
  const auto from_signature = static_cast<std::uint32_t>(from);
  Way way;
  way.from = from;
  way.now = exposure_.signature(signature);
  way.before = joined(moved_before ? earlier->second.before : exposure_.signature(from_signature), way.now);
  way.signature = signature;
  way.since = since;
  way.sessions_before = latest_session;
  const Exposure unit = exposure_.of_one_unit(way.before);
  way.accountant = moved_before ? earlier->second.accountant->follow(0, unit) : staying_->follow(from_signature, unit);
  if (way.accountant == nullptr) return signature;
  ways_.emplace(next_way_, std::move(way));
  return next_way_++;
}

void MovingAccountant::advance(Slot slot) {
  staying_->advance(slot);
  const auto memory = staying_->remembers_slots();
  std::erase_if(ways_, [&](const auto& entry) {
    return memory && static_cast<std::uint64_t>(std::max<Slot>(slot - entry.second.since, 0)) >= *memory;
  });
  for (auto& [account, way] : ways_) way.accountant->advance(slot);
}

Budget MovingAccountant::available() {
  Budget least = staying_->available();
  for (auto& [account, way] : ways_) least = std::min(least, way.accountant->available());
  return least;
}

Budget MovingAccountant::available(std::span<const SeriesId> series) {
  Budget least = staying_->available(series);
  for (auto& [account, way] : ways_) {
    const bool touched = std::any_of(series.begin(), series.end(), [&](SeriesId id) { return holds(way.now, id); });
    if (touched) least = std::min(least, way.accountant->available());
  }
  return least;
}

Budget MovingAccountant::worst() const {
  Budget worst = staying_->worst();
  for (const auto& [account, way] : ways_) worst = std::max(worst, way.accountant->worst());
  return worst;
}

bool MovingAccountant::take_part(const Answer& answer, Way& way) {
  const bool known_before = answer.is_comparison() && answer.session <= way.sessions_before;
  const bool reaches_back = answer.first_slot < way.since && !known_before;
  const std::vector<SeriesId>& mine = reaches_back ? way.before : way.now;
  Answer& part = way.part;
  part.statistic = answer.statistic;
  part.noise = answer.noise;
  part.first_slot = answer.first_slot;
  part.slot = answer.slot;
  part.session = answer.session;
  part.form = 0;
  part.series.clear();
  part.parameter = answer.parameter;
  const bool one_each = answer.parameter.size() == answer.series.size() && answer.statistic == Statistic::value;
  if (one_each) part.parameter.clear();
  for (std::size_t i = 0; i < answer.series.size(); ++i) {
    if (!holds(mine, answer.series[i])) continue;
    part.series.push_back(answer.series[i]);
    if (one_each) part.parameter.push_back(answer.parameter[i]);
  }
  return !part.series.empty();
}

Result<void> MovingAccountant::admit(const Answer& answer) {
  FUGU_TRY(staying_->admit(answer));
  for (auto& [account, way] : ways_) {
    way.charged = take_part(answer, way);
    if (way.charged) FUGU_TRY(way.accountant->admit(way.part));
  }
  return {};
}

void MovingAccountant::commit() {
  staying_->commit();
  for (auto& [account, way] : ways_) {
    if (way.charged) way.accountant->commit();
  }
}

std::unique_ptr<Accountant> MovingAccountant::follow(std::uint32_t signature, const Exposure& unit) const {
  return staying_->follow(signature, unit);
}

}  // namespace fugu
