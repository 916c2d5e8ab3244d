// The state as text:
//
//     fugu-distributional-state,4
//     id,HEX
//     key,HEX                                         what draws follow from
//     plan,…
//     earlier,VERSION                                 of the state that this one was changed from, oldest first
//     transformed,at-meters                           if meters send what is summed; profiles are their levels then
//     learned-until,SECONDS                           end of the past readings, if they have time stamps
//     series-per-meter,COUNT                          what the constants are for
//     series,NAME,mean,variance,mean,variance…        the constants by level, in the order of the series map
//     change,NAME,mean,variance,mean,variance…        more of them, each time when meters of that series changed
//     meter,NAME|SERIES|SERIES…,profile               in the order of the series map, then as they came
//     also,profile                                    of the meter above in the next circumstance
//     draws,COUNT                                     how often the meter above was drawn for, when not once
//     end,VERSION                                     SHA-256 of everything before
//
// So a version is the hash of the one before and of what is in the state now; without the key it says nothing. Formats
// 2 and 3 end with another checksum, and know no earlier versions; 2 has neither circumstances nor changes.
#include "fugu/distributional/state.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "checked_lines.hpp"
#include "fugu/base/durable_file.hpp"
#include "fugu/noise/discrete_gaussian.hpp"
#include "fugu/stream/csv.hpp"

namespace fugu {

namespace {

using detail::parse_whole;
using detail::take_key;

constexpr std::string_view kMagic = "fugu-distributional-state,4";
constexpr std::string_view kMagicWithoutVersions = "fugu-distributional-state,3";
constexpr std::string_view kMagicWithoutCircumstances = "fugu-distributional-state,2";
constexpr std::string_view kMagicWithoutKey = "fugu-distributional-state,1";

/// So often constants of one series are drawn, at most: their sum stays within what a slot can take.
constexpr std::size_t kDrawsMax = 256;

/// Whether ParameterNoise can have drawn it, and a slot can take it.
bool is_sound(const SeriesConstants& drawn) {
  if (drawn.mean_steps < -kStepsMax || drawn.mean_steps > kStepsMax || drawn.variance_steps < 0) return false;
  return drawn.variance_steps == 0 || is_gaussian_variance({static_cast<std::uint64_t>(drawn.variance_steps), 1});
}

bool parse_count(std::string_view text, std::uint64_t& value) {
  return parse_whole(text, value) && value < kDrawsMax * kDrawsMax;
}

Error damaged(const Location& where) {
  return found_but_expected(where, "something else", "a line of a state as fugu distributional wrote it");
}

Error refused(std::string_view what) {
  return {Cause::refused, std::string("the distributional state belongs to a stream with ")
                              .append(what)
                              .append("; expected the state that was prepared for this one, or changed to this map")};
}

/// Names are joined by bars in the file.
Result<void> check_name(std::string_view name) {
  if (name.find('|') == std::string_view::npos) return {};
  return Error{Cause::bad_input, "found " + shown_name(name) + "; expected names of meters and series without a |"};
}

void draw_levels(const ParameterNoise& laws, const DistributionalPlan& plan, Noise& noise,
                 std::vector<SeriesConstants>& drawn) {
  for (std::size_t level = 0; level < plan.levels(); ++level) drawn.push_back(laws.draw(noise));
}

/// Of a meter whose levels are known and whose readings are not: draws around them.
void append_profiles(const DistributionalPlan& plan, const MeterLevels& levels, std::vector<MeterProfile>& profiles) {
  if (plan.form == DistributionalForm::bernoulli) return;
  FUGU_CHECK(levels.size() == plan.levels());
  for (std::size_t c = 0; c < plan.circumstances.count(); ++c)
    profiles.push_back(MeterProfile::unlearned(levels[plan.level_in(c)], 0));
}

/// What a meter's mean can be: with its constant it is beyond what its readings can be.
constexpr ClampRange kAnyLevel{-kStepsMax, kStepsMax};

/// What the lines of a state say, until all are there.
struct StateParts {
  DistributionalPlan plan;
  bool at_meters = false;
  std::vector<std::string> series = {};
  NameTable names = {};  // of the series
  std::vector<std::vector<SeriesConstants>> constants = {};
  std::vector<MeterProfile> profiles = {};
  std::optional<std::int64_t> learned_until_s = {};
  std::optional<std::uint64_t> series_per_meter = {};
  std::vector<Digest> earlier = {};

  bool take_earlier(std::string_view line) {
    const auto version = digest_from_hex(line);
    if (version) earlier.push_back(*version);
    return version.has_value();
  }

  bool take_series(std::string_view line) {
    const std::string_view name = line.substr(0, line.find(','));
    if (names.find(name)) return false;
    names.intern(name);
    series.emplace_back(name);
    constants.emplace_back();
    return take_change(line);
  }

  bool take_change(std::string_view line) {
    const auto fields = csv::split(line);
    const auto id = names.find(fields[0]);
    if (!id || fields.size() != 1 + 2 * plan.levels() || constants[*id].size() >= kDrawsMax * plan.levels())
      return false;
    for (std::size_t i = 1; i < fields.size(); i += 2) {
      SeriesConstants drawn;
      if (!parse_whole(fields[i], drawn.mean_steps) || !parse_whole(fields[i + 1], drawn.variance_steps) ||
          !is_sound(drawn))
        return false;
      constants[*id].push_back(drawn);
    }
    return true;
  }

  /// `NAME|SERIES|SERIES…`, ascending.
  bool take_meter(std::string_view text, std::string& name, std::vector<SeriesId>& counts_into) const {
    const std::size_t bar = std::min(text.find('|'), text.size());
    name = text.substr(0, bar);
    for (text.remove_prefix(bar); !text.empty();) {
      text.remove_prefix(1);
      const std::string_view word = text.substr(0, text.find('|'));
      text.remove_prefix(word.size());
      const auto id = names.find(word);
      if (!id || (!counts_into.empty() && *id <= counts_into.back())) return false;
      counts_into.push_back(*id);
    }
    return true;
  }

  bool take_profile(std::string_view text) {
    auto profile = MeterProfile::parse(text, at_meters ? kAnyLevel : plan.clamp);
    if (profile) profiles.push_back(*std::move(profile));
    return profile.has_value();
  }
};

}  // namespace

std::string DistributionalState::Member::text(const std::vector<std::string>& names) const {
  std::string text = name;
  for (const SeriesId id : series) text.append("|").append(names[id]);
  return text;
}

void DistributionalState::index_members() {
  names_ = NameTable();
  for (const Member& member : members_) names_.intern(member.name);
}

bool DistributionalState::is_consistent() const {
  const DistributionalPlan& plan = this->plan();
  const std::size_t laws = plan.form == DistributionalForm::bernoulli ? 0 : plan.circumstances.count();
  if (names_.size() != members_.size() || transform_.profiles().size() != members_.size() * laws) return false;
  for (const Member& member : members_) {
    if (member.series.size() > series_per_meter_) return false;
  }
  for (const MeterProfile& profile : transform_.profiles()) {
    if (at_meters_ && profile.learned()) return false;
  }
  for (std::size_t law = 0; plan.one_level && law < transform_.profiles().size(); ++law) {
    const MeterProfile& profile = transform_.profiles()[law];
    const MeterProfile& first = transform_.profiles()[law / laws * laws];
    if (profile.mean_steps() != first.mean_steps() || profile.variance_steps() != first.variance_steps()) return false;
  }
  return true;
}

std::optional<std::size_t> DistributionalState::position_of(std::string_view meter) const { return names_.find(meter); }

MeterLevels DistributionalState::means_of(std::size_t position) const {
  MeterLevels means;
  if (transform_.profiles().empty()) return means;
  means.resize(plan().levels());
  for (std::size_t c = 0; c < plan().circumstances.count(); ++c)
    means[plan().level_in(c)] = transform_.profiles()[transform_.law_of(position, c)].mean_steps();
  return means;
}

std::uint64_t DistributionalState::draws_for_one_meter() const {
  std::uint64_t most = 1;
  for (const Member& member : members_) most = std::max(most, member.draws);
  return most;
}

Result<DistributionalState> DistributionalState::prepare(const DistributionalPlan& plan, const SeriesMap& map,
                                                         std::vector<MeterProfile> profiles,
                                                         std::optional<std::int64_t> learned_until_s) {
  FUGU_CHECK(profiles.size() ==
             (plan.form == DistributionalForm::bernoulli ? 0 : map.meter_count() * plan.circumstances.count()));
  FUGU_ASSIGN(DistributionalTransform transform, DistributionalTransform::make(plan, std::move(profiles)));
  DistributionalState state(std::move(transform));
  FUGU_TRY(state.take_members(map));
  FUGU_ASSIGN(const ParameterNoise laws, state.parameter_noise());
  SecureNoise noise;
  state.constants_.resize(state.series_.size());
  for (auto& drawn : state.constants_) draw_levels(laws, plan, noise, drawn);
  state.draw_id_and_key();
  state.learned_until_s_ = learned_until_s;
  state.add_version();
  return state;
}

Result<DistributionalState> DistributionalState::gather(const DistributionalPlan& plan, const SeriesMap& map,
                                                        const std::vector<MeterLevels>& levels) {
  FUGU_CHECK(levels.size() == map.meter_count());
  std::vector<MeterProfile> profiles;
  for (const MeterLevels& of_meter : levels) append_profiles(plan, of_meter, profiles);
  FUGU_ASSIGN(DistributionalTransform transform, DistributionalTransform::make(plan, std::move(profiles)));
  DistributionalState state(std::move(transform));
  state.at_meters_ = true;
  FUGU_TRY(state.take_members(map));
  state.constants_.assign(state.series_.size(), std::vector<SeriesConstants>(plan.levels()));
  state.draw_id_and_key();
  state.add_version();
  return state;
}

Result<void> DistributionalState::take_members(const SeriesMap& map) {
  series_ = map.series();
  for (const std::string& name : series_) FUGU_TRY(check_name(name));
  for (MeterId meter = 0; meter < map.meter_count(); ++meter) {
    FUGU_TRY(check_name(map.meter_name(meter)));
    const auto series = map.series_of(meter);
    members_.push_back({std::string(map.meter_name(meter)), {series.begin(), series.end()}});
    series_per_meter_ = std::max<std::uint64_t>(series_per_meter_, series.size());
  }
  index_members();
  return {};
}

void DistributionalState::draw_id_and_key() {
  SecureBits bits;
  id_ = detail::hex_of(bits.take64()) + detail::hex_of(bits.take64());
  key_ = SecretKey::make();
}

Result<ParameterNoise> DistributionalState::parameter_noise() const {
  // A meter that draws its own constant has one, whatever it counts into.
  return ParameterNoise::make(plan(), at_meters_ ? 1 : series_per_meter_);
}

std::vector<MeterId> DistributionalState::newcomers(const SeriesMap& map) const {
  std::vector<MeterId> found;
  for (MeterId meter = 0; meter < map.meter_count(); ++meter) {
    if (!position_of(map.meter_name(meter))) found.push_back(meter);
  }
  return found;
}

Result<DistributionalState> DistributionalState::changed(const SeriesMap& map, std::vector<MeterProfile> newcomers,
                                                         std::optional<std::int64_t> learned_until_s) const {
  if (map.series() != series_) return refused("other series");
  std::vector<Member> members = members_;
  for (Member& member : members) member.series.clear();
  for (MeterId meter = 0; meter < map.meter_count(); ++meter) {
    FUGU_TRY(check_name(map.meter_name(meter)));
    const auto series = map.series_of(meter);
    if (series.size() > series_per_meter_ && !at_meters_)
      return Error{Cause::refused, "a meter counts into " + std::to_string(series.size()) +
                                       " series; the constants were drawn for meters in " +
                                       std::to_string(series_per_meter_) + " at most"};
    const auto known = position_of(map.meter_name(meter));
    Member& member = known ? members[*known] : members.emplace_back(Member{std::string(map.meter_name(meter)), {}, 0});
    member.series.assign(series.begin(), series.end());
  }
  // What a meter adds to a series, or takes away from it, shows in what its total becomes: as often it is drawn for.
  std::vector<bool> touched(series_.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::vector<SeriesId> before = i < members_.size() ? members_[i].series : std::vector<SeriesId>();
    std::vector<SeriesId> difference;
    std::set_symmetric_difference(before.begin(), before.end(), members[i].series.begin(), members[i].series.end(),
                                  std::back_inserter(difference));
    for (const SeriesId id : difference) touched[id] = true;
    members[i].draws =
        at_meters_ ? 1 : members[i].draws + (difference.size() + series_per_meter_ - 1) / series_per_meter_;
  }
  if (std::find(touched.begin(), touched.end(), true) == touched.end())
    return Error{Cause::usage, "the series map has the meters that the state was made for: nothing changes"};

  std::vector<MeterProfile> profiles = transform_.profiles();
  profiles.insert(profiles.end(), newcomers.begin(), newcomers.end());
  FUGU_ASSIGN(DistributionalTransform transform, DistributionalTransform::make(plan(), std::move(profiles)));
  DistributionalState after = *this;
  after.transform_ = std::move(transform);
  after.members_ = std::move(members);
  after.index_members();
  for (const Member& member : after.members_)
    after.series_per_meter_ = std::max<std::uint64_t>(after.series_per_meter_, member.series.size());
  FUGU_CHECK(after.is_consistent());
  if (at_meters_) {  // each meter has a constant of its own, and takes it along
    after.add_version();
    return after;
  }
  FUGU_ASSIGN(const ParameterNoise laws, parameter_noise());
  SecureNoise noise;
  for (SeriesId id = 0; id < touched.size(); ++id) {
    if (!touched[id]) continue;
    draw_levels(laws, plan(), noise, after.constants_[id]);
    if (after.constants_[id].size() > kDrawsMax * plan().levels())
      return Error{Cause::refused, "meters of series " + shown_name(series_[id]) +
                                       " changed too often: the constants add up; expected a state prepared anew"};
  }
  if (learned_until_s) after.learned_until_s_ = std::max(*learned_until_s, learned_until_s_.value_or(*learned_until_s));
  after.add_version();
  return after;
}

Result<DistributionalState> DistributionalState::with_slot_length(std::int64_t slot_s) const {
  DistributionalPlan stated = plan();
  stated.slot_s = slot_s;
  DistributionalState after = *this;
  FUGU_ASSIGN(after.transform_, DistributionalTransform::make(stated, transform_.profiles()));
  after.add_version();
  return after;
}

Result<DistributionalState> DistributionalState::changed_levels(const SeriesMap& map,
                                                                const std::vector<MeterLevels>& newcomers) const {
  FUGU_CHECK(at_meters_);
  std::vector<MeterProfile> profiles;
  for (const MeterLevels& levels : newcomers) append_profiles(plan(), levels, profiles);
  return changed(map, std::move(profiles));
}

std::vector<SeriesId> DistributionalState::drowned() const {
  std::vector<SeriesId> found;
  if (plan().form == DistributionalForm::bernoulli || at_meters_) return found;
  const auto laws = parameter_noise();
  FUGU_CHECK(laws.has_value());  // it was made before
  const std::size_t circumstances = plan().circumstances.count();
  std::vector<double> totals(series_.size());  // over all circumstances
  for (std::size_t i = 0; i < members_.size(); ++i) {
    double mean = 0;
    for (std::size_t c = 0; c < circumstances; ++c)
      mean += static_cast<double>(transform_.profiles()[transform_.law_of(i, c)].mean_steps());
    for (const SeriesId id : members_[i].series) totals[id] += mean / static_cast<double>(circumstances);
  }
  for (SeriesId id = 0; id < series_.size(); ++id) {
    const auto draws = static_cast<double>(constants_[id].size() / plan().levels());
    if (laws->mean_scale()->to_double() * std::sqrt(draws) > std::fabs(totals[id])) found.push_back(id);
  }
  return found;
}

void DistributionalState::add_version() { versions_.push_back(sha256({text_after(versions_)})); }

std::string DistributionalState::text() const {
  const std::span<const Digest> versions = versions_;
  return text_after(versions.first(versions.size() - 1)).append("end,").append(to_hex(versions.back())).append("\n");
}

std::string DistributionalState::text_after(std::span<const Digest> earlier) const {
  std::string text = std::string(kMagic).append("\nid,").append(id_).append("\nkey,").append(key_.hex());
  text.append("\nplan,").append(plan().text()).append("\n");
  for (const Digest& version : earlier) text.append("earlier,").append(to_hex(version)).append("\n");
  if (at_meters_) text.append("transformed,at-meters\n");
  if (learned_until_s_) text.append("learned-until,").append(std::to_string(*learned_until_s_)).append("\n");
  text.append("series-per-meter,").append(std::to_string(series_per_meter_)).append("\n");
  const std::size_t levels = plan().levels();
  const auto append_constants = [&](std::string_view key, SeriesId id, std::size_t first) {
    text.append(key).append(",").append(series_[id]);
    for (std::size_t i = first; i < first + levels; ++i) {
      text.append(",").append(std::to_string(constants_[id][i].mean_steps));
      text.append(",").append(std::to_string(constants_[id][i].variance_steps));
    }
    text += '\n';
  };
  for (SeriesId id = 0; id < series_.size(); ++id) append_constants("series", id, 0);
  for (SeriesId id = 0; id < series_.size(); ++id) {
    for (std::size_t first = levels; first < constants_[id].size(); first += levels)
      append_constants("change", id, first);
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    text.append("meter,").append(members_[i].text(series_)).append(",");
    if (transform_.profiles().empty()) {
      text += '\n';
    } else {
      for (std::size_t c = 0; c < plan().circumstances.count(); ++c)
        text.append(c == 0 ? "" : "also,").append(transform_.profiles()[transform_.law_of(i, c)].text()).append("\n");
    }
    if (members_[i].draws != 1) text.append("draws,").append(std::to_string(members_[i].draws)).append("\n");
  }
  return text;
}

Result<void> DistributionalState::save(const std::string& path) const {
  FUGU_ASSIGN(const bool created, detail::create_durably(path, text()));
  if (created) return {};
  return Error{Cause::usage,
               path + ": is there already; constants are drawn once for the life of a stream, choose another name"};
}

Result<void> DistributionalState::replace(const std::string& path) const {
  const std::string after = text();
  FUGU_TRY(read(Input::from_memory(path, after)));  // the file that goes is the only one with its constants
  return detail::replace_durably(path, after);
}

Result<DistributionalState> DistributionalState::load(const std::string& path) {
  FUGU_ASSIGN(Input input, Input::open(path));
  return read(std::move(input));
}

Result<DistributionalState> DistributionalState::read(Input input) {
  detail::CheckedLines lines(std::move(input),
                             "the rest of a state file; restore it from a copy: constants must not be drawn again");
  FUGU_ASSIGN(const std::string_view magic, lines.next());
  if (magic == kMagicWithoutKey)
    return found_but_expected(lines.here(), "a state of an earlier fugu, which drew anew whenever it published",
                              "one that was prepared for a stream that begins now");
  const bool has_versions = magic == kMagic;
  if (!has_versions && magic != kMagicWithoutVersions && magic != kMagicWithoutCircumstances)
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

  StateParts parts{*plan};
  std::vector<Member> members;
  Digest version{};
  while (true) {
    FUGU_ASSIGN(std::string_view line, lines.next());
    if (take_key(line, "end")) {
      version = sha256({lines.text_before()});
      if (line == (has_versions ? to_hex(version) : lines.checksum_before())) break;
      return found_but_expected(lines.here(), "another checksum", "the state as fugu distributional wrote it");
    }
    bool sound = false;
    if (take_key(line, "earlier")) {
      sound = has_versions && parts.take_earlier(line);
    } else if (take_key(line, "transformed")) {
      sound = line == "at-meters" && members.empty();
      parts.at_meters = true;
    } else if (take_key(line, "learned-until")) {
      sound = parse_whole(line, parts.learned_until_s.emplace());
    } else if (take_key(line, "series-per-meter")) {
      sound = parse_count(line, parts.series_per_meter.emplace()) && *parts.series_per_meter > 0;
    } else if (take_key(line, "series")) {
      sound = parts.take_series(line);
    } else if (take_key(line, "change")) {
      sound = parts.take_change(line);
    } else if (take_key(line, "also")) {
      sound = !members.empty() && parts.take_profile(line);
    } else if (take_key(line, "draws")) {
      sound = !members.empty() && parse_count(line, members.back().draws);
    } else if (take_key(line, "meter")) {
      const std::size_t comma = line.find(',');
      sound = comma != std::string_view::npos;
      if (sound) {
        Member& member = members.emplace_back();
        sound = parts.take_meter(line.substr(0, comma), member.name, member.series) &&
                (plan->form == DistributionalForm::bernoulli || parts.take_profile(line.substr(comma + 1)));
      }
    }
    if (!sound) return damaged(lines.here());
  }
  FUGU_ASSIGN(DistributionalTransform transform, DistributionalTransform::make(*plan, std::move(parts.profiles)));
  DistributionalState state(std::move(transform));
  for (const Member& member : members)
    state.series_per_meter_ = std::max<std::uint64_t>(state.series_per_meter_, member.series.size());
  if (parts.series_per_meter) state.series_per_meter_ = *parts.series_per_meter;
  state.at_meters_ = parts.at_meters;
  FUGU_TRY(state.parameter_noise());  // what it would refuse now, it is refused for
  state.id_ = id;
  state.key_ = *key;
  state.series_ = std::move(parts.series);
  state.members_ = std::move(members);
  state.index_members();
  state.constants_ = std::move(parts.constants);
  state.learned_until_s_ = parts.learned_until_s;
  if (!state.is_consistent()) return damaged(lines.here());
  state.versions_ = std::move(parts.earlier);
  if (!has_versions) state.versions_.push_back(version);  // it goes on as one of today's format
  state.add_version();
  if (has_versions && state.versions_.back() != version) return damaged(lines.here());
  return state;
}

Result<void> DistributionalState::check(const SeriesMap& map, const ClampRange& clamp,
                                        const UnitStep& unit_step) const {
  if (!(unit_step == plan().unit_step)) return refused("another unit step");  // in which the clamp is counted
  if (clamp.lo != plan().clamp.lo || clamp.hi != plan().clamp.hi) return refused("another clamp");
  if (map.series() != series_) return refused("other series");
  std::size_t counting = 0;
  for (MeterId meter = 0; meter < map.meter_count(); ++meter) {
    const auto series = map.series_of(meter);
    if (series.empty()) continue;
    ++counting;
    const auto known = position_of(map.meter_name(meter));
    if (!known ||
        !std::equal(series.begin(), series.end(), members_[*known].series.begin(), members_[*known].series.end()))
      return refused("other meters, or the same in other series");
  }
  const auto counts = [](const Member& member) { return !member.series.empty(); };
  if (static_cast<std::size_t>(std::count_if(members_.begin(), members_.end(), counts)) != counting)
    return refused("other meters, of which some are gone");
  return {};
}

Result<void> DistributionalState::check_slots(const Clock& clock) const {
  if (plan().form == DistributionalForm::bernoulli) return {};
  if (!clock.has_time()) {
    if (plan().circumstances.none() && !plan().slot_s) return {};
    return Error{Cause::refused,
                 "slot numbers do not say how long slots are, nor in which circumstances a reading was made; expected "
                 "time stamps, as the past readings had that the distributional state was learned from"};
  }
  if (!plan().slot_s)
    return Error{Cause::refused,
                 "the distributional state does not say how long the slots were that it was learned from; if they were "
                 "of " +
                     slot_length_text(clock.slot_s()) + " too, say so once: fugu distributional change --slot-length " +
                     slot_length_text(clock.slot_s())};
  if (*plan().slot_s == clock.slot_s()) return {};
  return Error{Cause::refused, "the stream has slots of " + slot_length_text(clock.slot_s()) +
                                   ", the distributional state was learned from slots of " +
                                   slot_length_text(*plan().slot_s) +
                                   ", whose laws are others: publish slots of that length, or prepare a state from "
                                   "past readings of this one"};
}

Result<void> DistributionalState::check_begin(const Clock& clock, Slot first) const {
  FUGU_TRY(check_slots(clock));
  if (!clock.has_time()) return {};
  if (!learned_until_s_ || clock.start_of(first) >= *learned_until_s_) return {};
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

DistributionalStream::DistributionalStream(DistributionalState state, const SeriesMap& map)
    : state_(std::move(state)), bits_(state_.key()) {
  for (MeterId meter = 0; meter < map.meter_count(); ++meter)
    position_.push_back(state_.position_of(map.meter_name(meter)));
}

// By time where there is one: the same readings may be published again from another slot on.
BitSource& DistributionalStream::bits_of(KeyedBits::Purpose purpose, Slot slot, std::size_t number) {
  bits_.start(purpose, clock_.has_time() ? clock_.start_of(slot) : slot, static_cast<std::uint32_t>(number));
  return bits_;
}

std::size_t DistributionalStream::circumstance_of(Slot slot) const {
  // Without times check_begin() refuses circumstances; what was read until then is not released.
  return clock_.has_time() ? state_.plan().circumstances.at(clock_.start_of(slot)) : 0;
}

ClampRange DistributionalStream::range() const {
  const DistributionalTransform& transform = state_.transform();
  if (!state_.at_meters() || transform.profiles().empty()) return transform.range();
  const auto [least, most] =
      std::minmax_element(transform.profiles().begin(), transform.profiles().end(),
                          [](const auto& a, const auto& b) { return a.mean_steps() < b.mean_steps(); });
  return {least->mean_steps() - transform.reach_steps(), most->mean_steps() + transform.reach_steps()};
}

std::int64_t DistributionalStream::sent_by_meter(std::size_t law, std::int64_t sent_steps) const {
  const DistributionalTransform& transform = state_.transform();
  if (transform.profiles().empty()) return std::clamp(sent_steps, transform.plan().clamp.lo, transform.plan().clamp.hi);
  const std::int64_t mean = transform.profiles()[law].mean_steps();
  return std::clamp(sent_steps, mean - transform.reach_steps(), mean + transform.reach_steps());
}

std::int64_t DistributionalStream::of_reading(Slot slot, MeterId meter, std::int64_t clamped_steps) {
  const std::size_t position = position_[meter].value();
  if (state_.at_meters())
    return sent_by_meter(state_.transform().law_of(position, circumstance_of(slot)), clamped_steps);
  return state_.transform().of_reading(state_.transform().law_of(position, circumstance_of(slot)), clamped_steps,
                                       bits_of(KeyedBits::Purpose::reading, slot, position));
}
std::int64_t DistributionalStream::of_absent(Slot slot, MeterId meter) {
  if (!position_[meter]) return 0;  // known to the map, but counts into nothing
  const std::size_t position = *position_[meter];
  return state_.transform().of_absent(state_.transform().law_of(position, circumstance_of(slot)),
                                      bits_of(KeyedBits::Purpose::absent, slot, position));
}
std::int64_t DistributionalStream::of_slot(Slot slot, SeriesId series) {
  const std::vector<SeriesConstants>& drawn = state_.constants()[series];
  const std::size_t levels = state_.plan().levels();
  std::int64_t sum = 0;
  std::size_t number = series;  // a number of its own for each time constants were drawn: their noise is independent
  for (std::size_t at = state_.plan().level_in(circumstance_of(slot)); at < drawn.size(); at += levels) {
    sum += slot_noise(drawn[at], bits_of(KeyedBits::Purpose::slot, slot, number));
    number += state_.constants().size();
  }
  return sum;
}

}  // namespace fugu
