#include "fugu/distributional/meter_card.hpp"

#include "checked_lines.hpp"
#include "fugu/stream/csv.hpp"

namespace fugu {

namespace {

using detail::take_key;

constexpr std::string_view kMagic = "fugu-meter-card,1";

Error damaged(const Location& where) {
  return found_but_expected(where, "something else", "a line of a card as fugu meter card wrote it");
}

bool take_levels(std::string_view line, MeterCard& card) {
  if (card.plan.form == DistributionalForm::bernoulli) return line.empty();
  for (const std::string_view field : csv::split(line)) {
    std::int64_t level = 0;
    if (!detail::parse_whole(field, level) || level < -kStepsMax || level > kStepsMax) return false;
    card.levels.push_back(level);
  }
  return card.levels.size() == card.plan.levels();
}

Result<MeterCard> read_card(detail::CheckedLines& lines) {
  MeterCard card;
  FUGU_ASSIGN(const std::string_view magic, lines.next());
  if (magic != kMagic) return found_but_expected(lines.here(), "another file", "cards of fugu meter card");
  FUGU_ASSIGN(std::string_view meter, lines.next());
  if (!take_key(meter, "meter") || meter.find_first_of(",|") != std::string_view::npos) return damaged(lines.here());
  FUGU_TRY(csv::check_name(meter, lines.here(), "the name of a meter"));
  card.meter = meter;
  FUGU_ASSIGN(std::string_view plan_line, lines.next());
  if (!take_key(plan_line, "plan")) return damaged(lines.here());
  const auto plan = DistributionalPlan::parse(plan_line);
  if (!plan || plan->form == DistributionalForm::hidden) return damaged(lines.here());
  card.plan = *plan;
  FUGU_ASSIGN(std::string_view levels, lines.next());
  if (!take_key(levels, "levels") || !take_levels(levels, card)) return damaged(lines.here());
  FUGU_ASSIGN(std::string_view end, lines.next());
  if (!take_key(end, "end") || end != lines.checksum_before())
    return found_but_expected(lines.here(), "another checksum", "a card as fugu meter card wrote it");
  return card;
}

}  // namespace

std::string MeterCard::text() const {
  std::string text = std::string(kMagic).append("\nmeter,").append(meter).append("\nplan,").append(plan.text());
  text.append("\nlevels,");
  for (std::size_t i = 0; i < levels.size(); ++i) text.append(i == 0 ? "" : ",").append(std::to_string(levels[i]));
  text += '\n';
  const std::string check = detail::checksum_of(text);
  return text.append("end,").append(check).append("\n");
}

Result<std::vector<MeterCard>> read_cards(Input input) {
  detail::CheckedLines lines(std::move(input), "cards of fugu meter card, whole");
  std::vector<MeterCard> cards;
  NameTable meters;
  while (true) {
    lines.start_over();
    FUGU_ASSIGN(MeterCard card, read_card(lines));
    if (meters.find(card.meter))
      return found_but_expected(lines.here(), "a second card of meter " + shown_name(card.meter),
                                "one of each meter: who prepares again is a new meter");
    if (!cards.empty() && card.plan.text() != cards.front().plan.text())
      return found_but_expected(lines.here(), "a card of meter " + shown_name(card.meter) + " with other parameters",
                                "cards of meters that were all prepared with the same options, and learned from "
                                "readings with the same offset from UTC");
    meters.intern(card.meter);
    cards.push_back(std::move(card));
    FUGU_ASSIGN(const bool over, lines.at_end());
    if (over) return cards;
  }
}

}  // namespace fugu
