// The state as text:
//
//     fugu-distributional-state,2
//     id,HEX
//     key,HEX                                         what draws follow from
//     plan,…
//     learned-until,SECONDS                           end of the past readings, if they have time stamps
//     series,NAME,mean,variance                       the constants, in the order of the series map
//     meter,NAME|SERIES|SERIES…,profile               in the order of the series map
//     end,CHECKSUM                                    of everything before
#include "fugu/distributional/state.hpp"

#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "fugu/base/durable_file.hpp"
#include "fugu/noise/discrete_gaussian.hpp"
#include "fugu/stream/csv.hpp"

namespace fugu {

namespace {

constexpr std::string_view kMagic = "fugu-distributional-state,2";
constexpr std::string_view kMagicWithoutKey = "fugu-distributional-state,1";

std::string hex(std::uint64_t word) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(word));
  return text;
}

std::string checksum(std::string_view text) { return hex(XXH3_64bits(text.data(), text.size())); }

/// What follows `key,` on a line.
bool take_key(std::string_view& line, std::string_view key) {
  if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ',') return false;
  line.remove_prefix(key.size() + 1);
  return true;
}

/// Whether ParameterNoise can have drawn it, and a slot can take it.
bool is_sound(const SeriesConstants& drawn) {
  if (drawn.mean_steps < -kStepsMax || drawn.mean_steps > kStepsMax || drawn.variance_steps < 0) return false;
  return drawn.variance_steps == 0 || is_gaussian_variance({static_cast<std::uint64_t>(drawn.variance_steps), 1});
}

bool parse_steps(std::string_view text, std::int64_t& value) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size();
}

Error damaged(const Location& where) {
  return found_but_expected(where, "something else", "a line of a state as fugu distributional wrote it");
}

/// Lines of a state, each added to what the checksum is of.
class StateLines {
 public:
  explicit StateLines(Input input) : lines_(std::move(input)) {}

  Result<std::string_view> next() {
    FUGU_ASSIGN(const auto line, lines_.next());
    if (!line) {
      return found_but_expected({lines_.file(), lines_.line(), 0}, "the end of the file",
                                "the rest of a state file; restore it from a copy: constants must not be drawn again");
    }
    before_ = text_.size();
    text_.append(*line).append("\n");
    return *line;
  }
  Location here() const { return lines_.at(1); }
  /// Of all lines but the last.
  std::string checksum_before() const { return checksum(std::string_view(text_).substr(0, before_)); }

 private:
  LineReader lines_;
  std::string text_;
  std::size_t before_ = 0;
};

}  // namespace

DistributionalState::Members::Members(const SeriesMap& map) : series(map.series()) {
  for (MeterId meter = 0; meter < map.meter_count(); ++meter) {
    std::string& text = meters.emplace_back(map.meter_name(meter));
    for (const SeriesId id : map.series_of(meter)) text.append("|").append(map.series()[id]);
  }
}

std::uint64_t DistributionalState::Members::series_per_meter() const {
  std::uint64_t most = 1;
  for (const std::string& meter : meters)
    most = std::max(most, static_cast<std::uint64_t>(std::count(meter.begin(), meter.end(), '|')));
  return most;
}

Result<DistributionalState> DistributionalState::prepare(const DistributionalPlan& plan, const SeriesMap& map,
                                                         std::vector<MeterProfile> profiles,
                                                         std::optional<std::int64_t> learned_until_s) {
  FUGU_CHECK(profiles.size() == (plan.form == DistributionalForm::bernoulli ? 0 : map.meter_count()));
  FUGU_ASSIGN(DistributionalTransform transform, DistributionalTransform::make(plan, std::move(profiles)));
  DistributionalState state(std::move(transform), Members(map));
  FUGU_ASSIGN(const ParameterNoise laws, ParameterNoise::make(plan, state.series_per_meter()));
  SecureNoise noise;
  for (std::size_t i = 0; i < map.series().size(); ++i) state.constants_.push_back(laws.draw(noise));
  SecureBits bits;
  state.id_ = hex(bits.take64()) + hex(bits.take64());
  state.key_ = SecretKey::make();
  state.learned_until_s_ = learned_until_s;
  return state;
}

std::string DistributionalState::text() const {
  std::string text = std::string(kMagic).append("\nid,").append(id_).append("\nkey,").append(key_.hex());
  text.append("\nplan,").append(plan().text()).append("\n");
  if (learned_until_s_) text.append("learned-until,").append(std::to_string(*learned_until_s_)).append("\n");
  for (std::size_t i = 0; i < members_.series.size(); ++i) {
    text.append("series,").append(members_.series[i]).append(",").append(std::to_string(constants_[i].mean_steps));
    text.append(",").append(std::to_string(constants_[i].variance_steps)).append("\n");
  }
  for (std::size_t i = 0; i < members_.meters.size(); ++i) {
    text.append("meter,").append(members_.meters[i]).append(",");
    if (!transform_.profiles().empty()) text.append(transform_.profiles()[i].text());
    text += '\n';
  }
  const std::string check = checksum(text);
  return text.append("end,").append(check).append("\n");
}

Result<void> DistributionalState::save(const std::string& path) const {
  FUGU_ASSIGN(const bool created, detail::create_durably(path, text()));
  if (created) return {};
  return Error{Cause::usage,
               path + ": is there already; constants are drawn once for the life of a stream, choose another name"};
}

Result<DistributionalState> DistributionalState::load(const std::string& path) {
  FUGU_ASSIGN(Input input, Input::open(path));
  return read(std::move(input));
}

Result<DistributionalState> DistributionalState::read(Input input) {
  StateLines lines(std::move(input));
  FUGU_ASSIGN(const std::string_view magic, lines.next());
  if (magic == kMagicWithoutKey)
    return found_but_expected(lines.here(), "a state of an earlier fugu, which drew anew whenever it published",
                              "one that was prepared for a stream that begins now");
  if (magic != kMagic)
    return found_but_expected(lines.here(), "another file", "a state of fugu distributional prepare");
  FUGU_ASSIGN(std::string_view id_line, lines.next());
  if (!take_key(id_line, "id")) return damaged(lines.here());
  const std::string id(id_line);
  FUGU_ASSIGN(std::string_view key_line, lines.next());
  const auto key = take_key(key_line, "key") ? SecretKey::parse(key_line) : std::nullopt;
  if (!key) return damaged(lines.here());
  FUGU_ASSIGN(std::string_view plan_line, lines.next());
  if (!take_key(plan_line, "plan")) return damaged(lines.here());
  const auto plan = DistributionalPlan::parse(plan_line);
  if (!plan) return damaged(lines.here());

  Members members;
  std::vector<SeriesConstants> constants;
  std::vector<MeterProfile> profiles;
  std::optional<std::int64_t> learned_until_s;
  const bool learned = plan->form != DistributionalForm::bernoulli;
  while (true) {
    FUGU_ASSIGN(std::string_view line, lines.next());
    if (take_key(line, "end")) {
      if (line == lines.checksum_before()) break;
      return found_but_expected(lines.here(), "another checksum", "the state as fugu distributional wrote it");
    }
    if (take_key(line, "learned-until")) {
      if (!parse_steps(line, learned_until_s.emplace())) return damaged(lines.here());
      continue;
    }
    if (take_key(line, "series")) {
      const auto fields = csv::split(line);
      SeriesConstants drawn;
      if (fields.size() != 3 || !parse_steps(fields[1], drawn.mean_steps) ||
          !parse_steps(fields[2], drawn.variance_steps) || !is_sound(drawn))
        return damaged(lines.here());
      members.series.emplace_back(fields[0]);
      constants.push_back(drawn);
      continue;
    }
    const std::size_t comma = line.find(',', 6);
    if (!take_key(line, "meter") || comma == std::string_view::npos) return damaged(lines.here());
    const std::string_view name = line.substr(0, comma - 6);
    members.meters.emplace_back(name);
    if (!learned) continue;
    auto profile = MeterProfile::parse(line.substr(name.size() + 1), plan->clamp);
    if (!profile) return damaged(lines.here());
    profiles.push_back(*std::move(profile));
  }
  FUGU_TRY(ParameterNoise::make(*plan, members.series_per_meter()));  // what it would refuse now, it is refused for
  FUGU_ASSIGN(DistributionalTransform transform, DistributionalTransform::make(*plan, std::move(profiles)));
  DistributionalState state(std::move(transform), std::move(members));
  state.id_ = id;
  state.key_ = *key;
  state.constants_ = std::move(constants);
  state.learned_until_s_ = learned_until_s;
  return state;
}

Result<void> DistributionalState::check(const SeriesMap& map, const ClampRange& clamp,
                                        const UnitStep& unit_step) const {
  const auto refuse = [](std::string_view what) {
    return Error{Cause::refused, std::string("the distributional state belongs to a stream with ")
                                     .append(what)
                                     .append("; expected the state that was prepared for this one")};
  };
  if (!(unit_step == plan().unit_step)) return refuse("another unit step");  // in which the clamp is counted
  if (clamp.lo != plan().clamp.lo || clamp.hi != plan().clamp.hi) return refuse("another clamp");
  const Members found(map);
  if (found.series != members_.series) return refuse("other series");
  if (found.meters != members_.meters) return refuse("other meters, or the same in another order or in other series");
  return {};
}

Result<void> DistributionalState::check_begin(std::int64_t first_s) const {
  if (!learned_until_s_ || first_s >= *learned_until_s_) return {};
  return Error{
      Cause::refused,
      "the stream begins before the past readings end that the distributional state was learned from; expected "
      "a stream that has none of them: what is learned from readings is what ε protects"};
}

std::int64_t slot_noise(const SeriesConstants& constants, Noise& noise) {
  if (constants.variance_steps == 0) return constants.mean_steps;
  return constants.mean_steps + noise.gaussian({static_cast<std::uint64_t>(constants.variance_steps), 1});
}

std::int64_t slot_noise(const SeriesConstants& constants, BitSource& bits) {
  if (constants.variance_steps == 0) return constants.mean_steps;
  return constants.mean_steps + discrete_gaussian(bits, {static_cast<std::uint64_t>(constants.variance_steps), 1});
}

// By time where there is one: the same readings may be published again from another slot on.
BitSource& DistributionalStream::bits_of(KeyedBits::Purpose purpose, Slot slot, std::uint32_t number) {
  bits_.start(purpose, clock_.has_time() ? clock_.start_of(slot) : slot, number);
  return bits_;
}

std::int64_t DistributionalStream::of_reading(Slot slot, MeterId meter, std::int64_t clamped_steps) {
  return state_.transform().of_reading(meter, clamped_steps, bits_of(KeyedBits::Purpose::reading, slot, meter));
}
std::int64_t DistributionalStream::of_absent(Slot slot, MeterId meter) {
  return state_.transform().of_absent(meter, bits_of(KeyedBits::Purpose::absent, slot, meter));
}
std::int64_t DistributionalStream::of_slot(Slot slot, SeriesId series) {
  return slot_noise(state_.constants()[series], bits_of(KeyedBits::Purpose::slot, slot, series));
}

}  // namespace fugu
