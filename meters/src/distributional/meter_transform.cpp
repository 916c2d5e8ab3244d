#include "fugu/distributional/meter_transform.hpp"

#include <algorithm>

#include "fugu/stream/csv.hpp"

namespace fugu {

Result<SeriesMap> map_of_one_meter(std::string_view meter) {
  if (meter.find_first_of(",|") != std::string_view::npos)
    return Error{Cause::usage, "found " + shown_name(meter) + "; expected a meter's name without , and |"};
  FUGU_TRY(csv::check_name(meter, {"meter", 0, 0}, "the name of a meter"));
  std::string text = "meter,series\n";
  text.append(meter).append(",").append(meter).append("\n");
  return SeriesMap::read(Input::from_memory("meter", std::move(text)));
}

Result<MeterTransform> MeterTransform::make(DistributionalState state) {
  if (state.at_meters() || state.meter_count() != 1 || state.series().size() != 1)
    return Error{Cause::usage,
                 "found the state of a whole stream; expected that of one meter (fugu distributional prepare --meter)"};
  if (state.plan().form == DistributionalForm::hidden)
    return Error{
        Cause::usage,
        "found a state with --hidden; expected one without: a single meter hides its spread with less noise by "
        "having the same as all others"};
  FUGU_ASSIGN(const SeriesMap map, map_of_one_meter(state.meter_name(0)));
  return MeterTransform(std::make_unique<DistributionalStream>(std::move(state), map));
}

MeterCard MeterTransform::card() const {
  MeterCard card{std::string(meter()), state().plan(), state().means_of(0)};
  if (card.levels.empty()) return card;
  const std::vector<SeriesConstants>& drawn = state().constants().front();
  for (std::size_t i = 0; i < drawn.size(); ++i) card.levels[i % card.levels.size()] += drawn[i].mean_steps;
  return card;
}

std::int64_t MeterTransform::sent(Slot slot, std::optional<std::int64_t> reading_steps) {
  const ClampRange& clamp = state().plan().clamp;
  const std::int64_t drawn = reading_steps
                                 ? stream_->of_reading(slot, 0, std::clamp(*reading_steps, clamp.lo, clamp.hi))
                                 : stream_->of_absent(slot, 0);
  return drawn + stream_->of_slot(slot, 0);
}

}  // namespace fugu
