// fugu attack: what somebody who sees a release could learn of what policies hide.
#include "fugu/attack/attack.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <tuple>

#include "command.hpp"
#include "definition_options.hpp"
#include "file_options.hpp"
#include "fugu/attack/detection.hpp"
#include "fugu/report/html.hpp"
#include "fugu/report/number.hpp"
#include "fugu/stream/release_reader.hpp"
#include "fugu/stream/series_map.hpp"
#include "output_stream.hpp"
#include "policy_options.hpp"
#include "progress.hpp"
#include "released_file.hpp"
#include "source_options.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

struct AttackArguments {
  std::string released;
  DefinitionOptions definition;  ///< of which an attack needs policies, budgets and δ
  std::string series_map;
  std::string meter;
  std::string unit_step;
  std::string unit;
  std::string noise;
  std::size_t top = 5;
  std::int64_t plays = 4000;
  std::uint64_t seed = 1;
  std::string uses;
  std::string slot_length = "15m";
  std::string out;
  std::string plot;
  std::string html;
};

constexpr const char* kExamples = R"(
The best test there is against a release: somebody who knows everything but whether what a policy hides happened, even
when it would have happened, and the noise scales. For each policy: how sure an attacker can get, how often the guess
is right, and what ε permits at most. "alone" is about the one thing the policy hides, "together" about all that the meter hides
within its interval, which is what ε is about. Released values are looked at; what a mechanism decides by the data
(when to release anew) costs budget of its own and is covered by ε, not by these figures.
Exit code 0 when every policy is within its ε, 1 when one is not. With --delta each secret is placed where it loses most
by itself; where several meet they can lose more, and fugu audit decides.

With --uses, also what somebody finds who has nothing but the release: a matched filter for each appliance.

Examples
  fugu attack --released released.csv --policies policies.csv --unit kW
  fugu attack --released released.csv --policies policies.csv --meter h0 --plot roc.svg --html attack.html --out all.csv
  fugu attack --released released.csv --policies policies.csv --delta 1e-6      Gaussian noise
  fugu attack --released released.csv --policies policies.csv --budgets own      no meter counts into two
  fugu simulate households --households 20 --totals totals.csv --log uses.csv --policies policies.csv
  fugu publish --stream totals.csv --policies policies.csv --exact-when-idle --unit-step 0.001 --mechanism narwhal \
               --out released.csv
  fugu attack --released released.csv --policies policies.csv --uses uses.csv
)";

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Error usage(std::string message) { return {Cause::usage, std::move(message)}; }

std::string number(double value) { return report::format_significant(value); }
std::string area(double auc) { return report::format_fixed(auc, 3); }
std::string percent(double share) {
  return std::isnan(share) ? "–" : report::format_fixed(100 * share, 1).append(" %");
}

/// A policy under attack.
struct Attacked {
  PolicyAttack attack;
  std::vector<SeriesId> series;  ///< that the meter counts into
};

/// One call of `fugu attack`.
class AttackRun {
 public:
  explicit AttackRun(const AttackArguments& arguments) : arguments_(arguments) {}
  Outcome run();

 private:
  const PolicyArguments& policies() const { return arguments_.definition.policies; }
  double delta() const { return arguments_.definition.delta; }
  bool own_budgets() const { return arguments_.definition.budgets == "own"; }
  Result<void> check() const;
  Result<void> read();
  Result<void> read_releases();
  Result<void> put_on_grid();
  void take(const ReleaseRecord& row);
  Result<std::vector<std::vector<SeriesId>>> possible_series_of(std::string_view meter) const;
  SlotNoise noise_of(const std::vector<SeriesId>& series) const;

  Attacked worst_attack(MeterId meter, const Policy& policy, const std::vector<std::vector<SeriesId>>& possible) const;
  Result<void> attack_all();
  void play_worst();
  Result<void> detect();

  std::string time_text(Slot slot) const { return clock_.clock.text(slot, clock_.utc_offset_s); }
  std::string magnitude_text(const Policy& policy) const {
    return step_.text(static_cast<std::int64_t>(policy.magnitude_steps)) +
           (arguments_.unit.empty() ? "" : " " + arguments_.unit);
  }
  AttackBound bound(const Policy& policy) const { return attack_bound(policy.epsilon.to_double(), delta()); }
  std::string unless() const {
    return delta() > 0 ? ", unless something happens that has a probability of at most " + short_number(delta()) : "";
  }
  report::Table alone_table() const;
  report::Table together_table() const;
  report::Table detection_table() const;
  std::vector<std::string> words() const;
  std::vector<std::string> summary() const;
  report::Chart roc() const;
  Result<void> write_csv() const;
  Result<void> write_pictures() const;

  const AttackArguments& arguments_;
  NoiseKind kind_ = NoiseKind::laplace;
  UnitStep step_;
  RunClock clock_;
  std::vector<std::string> series_;
  std::optional<SeriesMap> map_;
  PolicyBook book_;
  Interval slots_{0, -1};
  std::vector<std::vector<double>> scales_;  // by series and slot, in steps once they are on the grid
  std::vector<std::vector<double>> values_;  // the same: what was released, NaN for nothing
  bool has_estimates_ = false;
  bool has_decisions_ = false;
  std::vector<Attacked> attacked_;  // those that are broken first, then by how sure he can be
  std::vector<SimulatedAttack> played_;
  std::size_t exceeding_ = 0;
  std::size_t within_ = 0;
  std::map<std::string, DetectionCount> detected_;  // by appliance
};

Result<void> AttackRun::check() const {
  if (arguments_.released.empty()) return usage("--released is missing: the file to attack");
  if (arguments_.released == "-") return usage("--released must be a file: it is read more than once");
  if (!policies().given()) return usage("--policies is missing: what households want hidden");
  if (!(delta() >= 0 && delta() < 1)) return usage("--delta: expected a number from 0 to below 1");
  if (!arguments_.noise.empty() && arguments_.noise != "laplace" && arguments_.noise != "gaussian")
    return usage("--noise: expected laplace or gaussian");
  if (arguments_.noise == "gaussian" && delta() == 0) return usage("--noise gaussian keeps no promise without --delta");
  if (arguments_.plays < 100 || arguments_.plays > 1'000'000)
    return usage("--plays: found " + std::to_string(arguments_.plays) + "; expected 100 to 1000000");
  if (!arguments_.series_map.empty() && own_budgets())
    return usage("--series-map says who counts into which series: leave --budgets out");
  return check_different({{"--released", arguments_.released},
                          {"--policies", policies().policies},
                          {"--series-map", arguments_.series_map},
                          {"--uses", arguments_.uses},
                          {"--out", arguments_.out},
                          {"--plot", arguments_.plot},
                          {"--html", arguments_.html}});
}

/// Slots between the rows that there are say nothing.
void AttackRun::take(const ReleaseRecord& row) {
  const auto slots = static_cast<std::size_t>(row.slot - slots_.first + 1);
  slots_.last = row.slot;
  for (std::size_t s = 0; s < series_.size(); ++s) {
    scales_[s].resize(slots, kInfinity);
    values_[s].resize(slots, std::numeric_limits<double>::quiet_NaN());
  }
  if (!row.known) return;
  values_[row.series].back() = row.value;
  if (!row.sampled) {
    has_decisions_ |= row.loss_rate > 0;
    return;
  }
  if (row.scale) {
    scales_[row.series].back() = *row.scale;
    const double value_rate = kind_ == NoiseKind::laplace ? 1 / *row.scale : 0.5 / (*row.scale * *row.scale);
    has_decisions_ |= row.loss_rate > value_rate * (1 + 1e-6);
  } else {  // an estimate: as if the answers behind it were one
    has_estimates_ = true;
    scales_[row.series].back() = kind_ == NoiseKind::laplace ? 1 / row.loss_rate : std::sqrt(0.5 / row.loss_rate);
  }
}

Result<void> AttackRun::read_releases() {
  scales_.resize(series_.size());
  values_.resize(series_.size());
  FUGU_ASSIGN(Input input, Input::open(arguments_.released));
  FUGU_ASSIGN(ReleaseReader rows, ReleaseReader::open(std::move(input), {clock_.clock, series_}));
  ReleaseRecord row;
  bool first = true;
  for (;;) {
    FUGU_ASSIGN(const bool more, rows.next(row));
    if (!more) return {};
    if (first) slots_ = {row.slot, row.slot - 1};
    first = false;
    constexpr Slot kSlotsMax = Slot{1} << 24;
    if (row.slot - slots_.first >= kSlotsMax)
      return Error{Cause::bad_input, arguments_.released + ": spans more than " + std::to_string(kSlotsMax) + " slots"};
    take(row);
  }
}

/// Noise is played on the grid, too: it must be of a size that can be drawn. Without --unit-step the finest grid that
/// allows this and can count the magnitudes, as these are rounded up to it and would seem to lose more than they do.
Result<void> AttackRun::put_on_grid() {
  double largest = 0;
  for (const std::vector<double>& scales : scales_) {
    for (const double scale : scales) largest = std::isfinite(scale) ? std::max(largest, scale) : largest;
  }
  const double most_steps = kind_ == NoiseKind::laplace ? 0x1p40 : 0x1p30;
  const auto fits = [&] { return largest <= most_steps * step_.to_double(); };
  std::vector<std::string> steps = {"0.000001", "0.00001", "0.0001", "0.001", "0.01", "0.1", "1"};
  if (!arguments_.unit_step.empty()) steps = {arguments_.unit_step};
  for (const std::string& step : steps) {
    const bool is_last = &step == &steps.back();
    FUGU_ASSIGN(step_, of_option("--unit-step", UnitStep::parse(step)));
    if (!fits() && !is_last) continue;
    if (!fits())
      return usage("--unit-step " + step_.text(1) +
                   ": the noise spans more than 2^40 such steps (Gaussian: 2^30); give the step that the stream was "
                   "published with");
    auto book = policies().read({.unit_step = step_,
                                 .clock = clock_.clock,
                                 .utc_offset_s = clock_.utc_offset_s,
                                 .default_utc_offset_s = clock_.utc_offset_s,
                                 .series = series_});
    if (!book && !is_last) continue;
    FUGU_ASSIGN(book_, std::move(book));
    break;
  }
  const double per_step = 1 / step_.to_double();
  for (std::vector<double>& scales : scales_) {
    for (double& scale : scales) scale *= per_step;
  }
  return {};
}

Result<void> AttackRun::read() {
  kind_ = arguments_.noise.empty()         ? (delta() > 0 ? NoiseKind::gaussian : NoiseKind::laplace)
          : arguments_.noise == "gaussian" ? NoiseKind::gaussian
                                           : NoiseKind::laplace;
  FUGU_ASSIGN(series_, series_in(arguments_.released));
  FUGU_ASSIGN(clock_, clock_in(arguments_.released));
  FUGU_TRY(read_releases());
  FUGU_TRY(put_on_grid());
  if (!arguments_.series_map.empty()) {
    FUGU_ASSIGN(Input input, Input::open(arguments_.series_map));
    FUGU_ASSIGN(map_, SeriesMap::read(std::move(input)));
  }
  if (book_.empty()) return Error{Cause::bad_input, policies().policies + ": holds no policy to attack"};
  const auto meter = book_.find(arguments_.meter);
  if (!arguments_.meter.empty() && (!meter || book_.of(*meter).empty()))
    return usage("--meter: no policy of meter '" + arguments_.meter + "' in " + policies().policies);
  return {};
}

/// The sets of series that the meter may count into. As the map says; without one all of them, as a stream of totals is
/// published unless it says otherwise, or with budgets of their own any single one.
Result<std::vector<std::vector<SeriesId>>> AttackRun::possible_series_of(std::string_view meter) const {
  if (!map_) return own_budgets() ? Exposure::all_disjoint(series_.size()) : Exposure::all_shared(series_.size());
  const auto in_map = map_->meter(meter);
  if (!in_map)
    return Error{Cause::bad_input, arguments_.series_map + ": meter '" + std::string(meter) + "' is not in it"};
  std::vector<SeriesId> ids;
  for (const SeriesId id : map_->series_of(*in_map)) {
    const auto found = std::find(series_.begin(), series_.end(), map_->series()[id]);
    if (found != series_.end()) ids.push_back(static_cast<SeriesId>(found - series_.begin()));
  }
  return std::vector<std::vector<SeriesId>>{std::move(ids)};
}

SlotNoise AttackRun::noise_of(const std::vector<SeriesId>& series) const {
  SlotNoise noise{.slots = slots_, .kind = kind_, .scales_steps = {}};
  for (const SeriesId id : series) noise.scales_steps.push_back(scales_[id]);
  return noise;
}

/// Where the meter may count into one series or another, it is attacked where the policy loses most.
Attacked AttackRun::worst_attack(MeterId meter, const Policy& policy,
                                 const std::vector<std::vector<SeriesId>>& possible) const {
  std::vector<Attacked> attacks;
  for (const std::vector<SeriesId>& series : possible)
    attacks.push_back({attack_policy(book_.of(meter), policy, noise_of(series), delta()), series});
  const auto badness = [](const Attacked& one) {
    const AttackMeasures& together = one.attack.together;
    return std::tuple(together.exceeds, !together.within, together.largest_loss, one.attack.alone.largest_loss);
  };
  Attacked worst = *std::ranges::max_element(attacks, {}, badness);
  worst.attack.meter = meter;
  return worst;
}

Result<void> AttackRun::attack_all() {
  Progress progress("policies attacked");
  ReadProgress share;
  share.bytes_total = book_.size();
  for (MeterId meter = 0; meter < book_.meter_count(); ++meter) {
    if (!arguments_.meter.empty() && book_.name(meter) != arguments_.meter) continue;
    if (book_.of(meter).empty()) continue;
    FUGU_ASSIGN(const auto possible, possible_series_of(book_.name(meter)));
    for (const Policy& policy : book_.of(meter).policies()) {
      if (!policy.interval.overlaps(slots_)) continue;
      attacked_.push_back(worst_attack(meter, policy, possible));
      exceeding_ += attacked_.back().attack.together.exceeds ? 1 : 0;
      within_ += attacked_.back().attack.together.within ? 1 : 0;
      share.bytes = attacked_.size();
      progress.update(attacked_.size(), share);
    }
  }
  if (attacked_.empty())
    return Error{Cause::bad_input, policies().policies + ": no policy overlaps the released slots"};
  std::stable_sort(attacked_.begin(), attacked_.end(), [](const Attacked& a, const Attacked& b) {
    const auto key = [](const Attacked& one) {
      return std::pair(one.attack.together.exceeds, one.attack.alone.largest_loss);
    };
    return key(a) > key(b);
  });
  return {};
}

void AttackRun::play_worst() {
  for (std::size_t i = 0; i < std::min(arguments_.top, attacked_.size()); ++i)
    played_.push_back(simulate_unknown_placement(attacked_[i].attack.policy, noise_of(attacked_[i].series),
                                                 static_cast<std::size_t>(arguments_.plays), arguments_.seed + i));
}

/// One filter for each meter and appliance, as its uses usually are.
Result<void> AttackRun::detect() {
  if (arguments_.uses.empty()) return {};
  if (own_budgets() && series_.size() > 1)
    return usage("--uses with --budgets own: it must be known which series each meter counts into; give --series-map");
  FUGU_ASSIGN(const std::int64_t slot_s, of_option("--slot-length", parse_duration(arguments_.slot_length)));
  if ((clock_.clock.has_time() ? clock_.clock.slot_s() : slot_s) % 60 != 0)
    return usage("--uses: the log counts minutes; expected slots of whole minutes");
  FUGU_ASSIGN(Input input, Input::open(arguments_.uses));
  FUGU_ASSIGN(const std::vector<LoggedUse> uses, read_use_log(std::move(input), clock_.clock, slot_s / 60));
  std::map<std::pair<std::string, std::string>, std::vector<const LoggedUse*>> groups;
  for (const LoggedUse& use : uses) {
    if (!arguments_.meter.empty() && use.meter != arguments_.meter) continue;
    if (slots_.contains(use.first)) groups[{use.meter, use.appliance}].push_back(&use);
  }
  const auto middle = [](auto& numbers) {
    std::nth_element(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2), numbers.end());
    return numbers[numbers.size() / 2];
  };
  for (const auto& [who, group] : groups) {
    std::vector<double> powers;
    std::vector<std::uint64_t> lengths;
    std::vector<std::size_t> starts;
    for (const LoggedUse* use : group) {
      powers.push_back(use->power);
      lengths.push_back(use->length_slots);
      starts.push_back(static_cast<std::size_t>(use->first - slots_.first));
    }
    const double power = middle(powers);
    const auto length = static_cast<std::size_t>(middle(lengths));
    FUGU_ASSIGN(const auto possible, possible_series_of(who.first));
    std::vector<std::vector<double>> scores;  // all series of the meter show the same uses: they count once
    for (const SeriesId id : possible.front()) scores.push_back(matched_filter(values_[id], power, length));
    detected_[who.second] += judge_claims(combined_scores(scores), starts, length);
  }
  return {};
}

report::Table AttackRun::alone_table() const {
  using Align = report::Column::Align;
  report::Table table{.caption = "The policies whose secrets are least safe",
                      .columns = {{"meter"},
                                  {"hides"},
                                  {"from"},
                                  {"to"},
                                  {"AUC", Align::number},
                                  {"when unknown", Align::number},
                                  {"right guesses", Align::number},
                                  {"50:50 becomes", Align::number}}};
  for (std::size_t i = 0; i < played_.size(); ++i) {
    const PolicyAttack& attack = attacked_[i].attack;
    const Policy& policy = attack.policy;
    table.rows.push_back(
        {{std::string(book_.name(attack.meter))},
         {magnitude_text(policy) + " for " + std::to_string(policy.length_slots)},
         {time_text(policy.interval.first)},
         {time_text(policy.interval.last)},
         {area(attack.alone.auc)},
         {area(played_[i].auc).append(" ± ").append(area((played_[i].auc_high - played_[i].auc_low) / 2))},
         {percent(attack.alone.accuracy())},
         {odds_text(attack.alone.belief)}});
  }
  return table;
}

report::Table AttackRun::together_table() const {
  using Align = report::Column::Align;
  report::Table table{.caption = "All that the meter hides in that time, together: what ε is about",
                      .columns = {{"meter"},
                                  {"from"},
                                  {"to"},
                                  {"AUC", Align::number},
                                  {"right guesses", Align::number},
                                  {"50:50 becomes", Align::number},
                                  {"ε", Align::number},
                                  {"permits", Align::number},
                                  {"verdict"}}};
  for (std::size_t i = 0; i < played_.size(); ++i) {
    const auto& [meter, policy, alone, together] = attacked_[i].attack;
    table.rows.push_back({{std::string(book_.name(meter))},
                          {time_text(policy.interval.first)},
                          {time_text(policy.interval.last)},
                          {area(together.auc)},
                          {percent(together.accuracy())},
                          {odds_text(together.belief)},
                          {short_number(policy.epsilon.to_double())},
                          {odds_text(bound(policy).belief)},
                          {together.exceeds  ? "MORE than ε permits"
                           : together.within ? "within ε"
                                             : "not shown to be within ε",
                           together.within ? report::Tone::good : report::Tone::bad}});
  }
  return table;
}

std::vector<std::string> AttackRun::words() const {
  const PolicyAttack& attack = attacked_.front().attack;
  const Policy& policy = attack.policy;
  std::vector<std::string> words;
  words.push_back("Meter " + std::string(book_.name(attack.meter)) +
                  ": someone who thinks it is 50:50 whether something of up to " + magnitude_text(policy) +
                  " ran for up to " + std::to_string(policy.length_slots) +
                  (policy.length_slots == 1 ? " slot" : " slots") + " between " + time_text(policy.interval.first) +
                  " and " + time_text(policy.interval.last) + " can get from this release to at most " +
                  odds_text(attack.alone.belief) + unless() + "; a guess is right in " +
                  percent(attack.alone.accuracy()) +
                  " of all cases, even for an attacker who knows when it would have been. About all that the meter "
                  "hides in that time, taken together: at most " +
                  odds_text(attack.together.belief) + ". Its ε permits " + odds_text(bound(policy).belief) + ".");
  if (has_estimates_)
    words.push_back(
        "Some releases are estimates made of several answers: the figures are for one answer with all their loss.");
  if (has_decisions_)
    words.push_back(
        "The mechanism also spent budget on decisions (loss rates are above those of the values): ε covers them, these "
        "figures do not.");
  return words;
}

std::vector<std::string> AttackRun::summary() const {
  double worst_use = 0;
  double auc = 0;
  for (const Attacked& one : attacked_) {
    worst_use = std::max(worst_use, one.attack.together.largest_loss / one.attack.policy.epsilon.to_double());
    auc = std::max(auc, one.attack.alone.auc);
  }
  const std::string noise = kind_ == NoiseKind::laplace ? "discrete Laplace" : "discrete Gaussian";
  const std::size_t unshown = attacked_.size() - within_ - exceeding_;
  return {"released    " + time_text(slots_.first) + " to " + time_text(slots_.last) + ", " +
              std::to_string(series_.size()) + " series, " + noise + " noise",
          "policies    " + std::to_string(attacked_.size()) + " attacked; " + std::to_string(exceeding_) +
              " lose more than their ε permits" +
              (unshown > 0 ? ", " + std::to_string(unshown) + " are not shown to be within it" : "") + "; the worst " +
              number(worst_use) + " of 1",
          "best AUC    " + area(auc) + " on a single secret (0.5 is guessing, 1 is certainty)"};
}

report::Table AttackRun::detection_table() const {
  using Align = report::Column::Align;
  report::Table table{.caption = "What a matched filter finds that knows only the release",
                      .columns = {{"appliance"},
                                  {"uses", Align::number},
                                  {"claims", Align::number},
                                  {"precision", Align::number},
                                  {"by chance", Align::number},
                                  {"recall", Align::number},
                                  {"AUC", Align::number}}};
  DetectionCount all;
  const auto add = [&](const std::string& name, const DetectionCount& count) {
    table.rows.push_back({{name},
                          {std::to_string(count.uses)},
                          {std::to_string(count.claims)},
                          {percent(count.precision())},
                          {percent(count.chance_precision())},
                          {percent(count.recall())},
                          {area(count.auc()).append(" ± ").append(area(count.auc_half_width()))}});
  };
  for (const auto& [appliance, count] : detected_) {
    add(appliance, count);
    all += count;
  }
  add("all", all);
  return table;
}

/// Of the policy he can be surest of.
report::Chart AttackRun::roc() const {
  const Attacked& worst = attacked_.front();
  const Policy& policy = worst.attack.policy;
  const SlotNoise noise = noise_of(worst.series);
  report::Chart chart({.title = "Best test against the release: meter " + std::string(book_.name(worst.attack.meter)),
                       .description = "Detection against false alarms, with the bound that the promise gives.",
                       .x = {.label = "false alarms", .lo = 0, .hi = 1},
                       .y = {.label = "detection", .lo = 0, .hi = 1},
                       .width_px = 640,
                       .height_px = 520});
  std::vector<report::Point> permitted;
  for (int i = 0; i <= 400; ++i)
    permitted.push_back({i / 400.0, detection_bound(i / 400.0, policy.epsilon.to_double(), delta())});
  const auto curve = [&](const PlacedSecret& secret) {
    std::vector<report::Point> points;
    for (const RocPoint& point : LossDistribution::of(exposed_answers(secret, noise)).roc())
      points.push_back({point.false_alarm, point.detection});
    return points;
  };
  chart.add(report::Line({.label = "what ε permits", .colour = report::Colour::vermilion, .dashed = true}, permitted));
  chart.add(report::Line({.label = "all that is hidden there, together", .colour = report::Colour::purple},
                         curve(place_together(book_.of(worst.attack.meter), policy, noise))));
  // Dashed: where nothing else is hidden there, both are the same.
  chart.add(
      report::Line({.label = "this secret alone", .colour = report::Colour::blue, .width_px = 2.5, .dashed = true},
                   curve(place_alone(policy, noise))));
  chart.add(report::Line({.label = "guessing", .colour = report::Colour::slate, .width_px = 1}, {{0, 0}, {1, 1}}));
  return chart;
}

Result<void> AttackRun::write_csv() const {
  FUGU_ASSIGN(OutputStream out, OutputStream::open(arguments_.out));
  std::fprintf(out.get(),
               "meter,start,end,length,magnitude,epsilon,auc,accuracy,belief,loss,together_auc,together_accuracy,"
               "together_belief,together_loss,bound_auc,bound_accuracy,bound_belief,exceeds\n");
  for (const Attacked& one : attacked_) {
    const auto& [meter, policy, alone, together] = one.attack;
    const AttackBound permitted = bound(policy);
    std::fprintf(out.get(), "%s,%s,%s,%llu,%s,%.6g,", std::string(book_.name(meter)).c_str(),
                 time_text(policy.interval.first).c_str(), time_text(policy.interval.last).c_str(),
                 static_cast<unsigned long long>(policy.length_slots),
                 step_.text(static_cast<std::int64_t>(policy.magnitude_steps)).c_str(), policy.epsilon.to_double());
    for (const AttackMeasures* measures : {&alone, &together})
      std::fprintf(out.get(), "%.6g,%.6g,%.6g,%.6g,", measures->auc, measures->accuracy(), measures->belief,
                   measures->largest_loss);
    std::fprintf(out.get(), "%.6g,%.6g,%.6g,%d\n", permitted.auc, permitted.accuracy, permitted.belief,
                 together.exceeds ? 1 : 0);
  }
  return out.finish();
}

Result<void> AttackRun::write_pictures() const {
  if (!arguments_.plot.empty()) FUGU_TRY(write_file(arguments_.plot, roc().standalone_svg()));
  if (arguments_.html.empty()) return {};
  report::Page page({.title = "Attack", .subtitle = "What somebody who sees the release could learn"});
  for (const std::string& line : summary()) page.paragraph(line);
  for (const std::string& text : words()) page.note(text, exceeding_ > 0 ? report::Tone::bad : report::Tone::plain);
  page.table(alone_table()).table(together_table());
  page.figure(roc(), "The least safe policy, against an attacker who knows everything but whether it happened.");
  if (!detected_.empty()) page.section("Knowing only the release").table(detection_table());
  return write_file(arguments_.html, page.html());
}

Outcome AttackRun::run() {
  FUGU_TRY(check());
  FUGU_TRY(read());
  FUGU_TRY(attack_all());
  play_worst();
  FUGU_TRY(detect());
  if (arguments_.out != "-") {
    for (const std::string& line : summary()) std::printf("%s\n", line.c_str());
    for (const report::Table& table : {alone_table(), together_table()}) {
      std::printf("\n%s\n", table.caption.c_str());
      print_table(table, "  ");
    }
    std::printf("\n");
    for (const std::string& text : words()) print_wrapped(text, "  ");
    if (!detected_.empty()) {
      const report::Table detection = detection_table();
      std::printf("\n%s\n", detection.caption.c_str());
      print_table(detection, "  ");
    }
  }
  if (!arguments_.out.empty()) FUGU_TRY(write_csv());
  FUGU_TRY(write_pictures());
  return within_ < attacked_.size() ? kAnswerIsNo : kDone;
}

}  // namespace

void add_attack(CLI::App& app, Outcome& outcome) {
  auto arguments = std::make_shared<AttackArguments>();
  CLI::App* command = app.add_subcommand("attack", "Show what somebody who sees a release could learn");
  command->footer(kExamples);
  command->add_option("--released", arguments->released, "Releases to attack");
  arguments->definition.policies.add_file_to(*command);
  command->add_option("--series-map", arguments->series_map,
                      "Which meter counts into which series; without it, as --budgets says");
  arguments->definition.add_budgets_to(*command, "Policies");
  command->add_option("--meter", arguments->meter, "Only this meter");
  command->add_option(
      "--unit-step", arguments->unit_step,
      "The grid that the stream was published on; without it the finest that the noise allows, down to 0.000001");
  command->add_option("--unit", arguments->unit, "Unit of the values, for texts");
  command->add_option("--delta", arguments->definition.delta, "δ of the promise")->capture_default_str();
  command->add_option("--noise", arguments->noise, "laplace, or gaussian, which is the default with --delta");
  command->add_option("--top", arguments->top, "How many policies to list")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_option("--plays", arguments->plays, "Attacks played for each listed policy, when is not known")
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "Of these plays")->capture_default_str();
  command->add_option("--uses", arguments->uses, "Log of true uses, as fugu simulate households --log writes it");
  command->add_option("--slot-length", arguments->slot_length, "For --uses, when times are slot numbers")
      ->capture_default_str();
  command->add_option("--out", arguments->out, "CSV: all policies; - is standard output");
  command->add_option("--plot", arguments->plot, "SVG: detection against false alarms for the first policy listed");
  command->add_option("--html", arguments->html, "All of it on one page");
  command->callback([arguments, &outcome] { outcome = AttackRun(*arguments).run(); });
}

}  // namespace fugu::cli
