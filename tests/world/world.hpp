// A whole publisher in a small world, made from one seed: readings, households, maps, policies, crashes, rollbacks.
//
// Everything is the real thing (Run, ReadingsReader, PolicyFile, SecureNoise, real files) but the clock, which is a
// number, and the disk, which can lose data (disk.hpp). A history is some runs of the publisher, one after the other.
// The seed gives the history again, not the noise: a mechanism that decides by noisy answers may go another way.
#pragma once

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "disk.hpp"
#include "fugu/accounting/audit.hpp"
#include "fugu/mechanism/run.hpp"
#include "fugu/policy/policy_file.hpp"
#include "fugu/strategy/registry.hpp"
#include "fugu/stream/readings_reader.hpp"
#include "model.hpp"
#include "support/builders.hpp"
#include "support/ledger_tools.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {

/// What is broken on purpose, around the publisher. The model must notice every one.
enum class Defect : std::uint8_t {
  none,
  syncs_late,           ///< the disk says that it synced, and did not
  resumes_unsynced,     ///< a run syncs what it wrote, and not what an earlier one left behind
  hides_moves,          ///< the source goes on with the map that the stream began with
  forgets_households,   ///< the publisher is told that each meter is a household of its own
  skips_broken_rows,    ///< the feed keeps quiet about rows that it cannot read
  forgets_policies,     ///< the feed leaves out what was stated while the stream ran
  believes_stamps,      ///< no clock is asked, and a row may move the stream on as far as it likes
  old_ledger_and_head,  ///< a backup brings back ledger and head file, and nobody says so
  removes_head,         ///< the ledger alone comes back, and the head file is removed
  starts_anew,          ///< ledger and head file are removed, and the stream begins again
  drops_answers,        ///< an answer is cut out of the ledger
};

/// Where a defect shows rarely: worlds with windows and this mechanism, under which it does.
struct Only {
  std::string_view mechanism;
};

/// Bytes that arrive while the publisher runs; never waits.
class LiveBytes final : public ByteSource {
 public:
  explicit LiveBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = std::min({into.size(), bytes_.size() - at_, std::size_t{64}});
    bytes_.copy(into.data(), count, at_);
    at_ += count;
    return count;
  }
  bool would_wait() override { return false; }
  bool is_live() const override { return true; }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

class World {
 public:
  explicit World(std::uint64_t seed, Defect defect = Defect::none, std::optional<Only> only = {})
      : random_(seed),
        defect_(defect),
        disk_(dir_.path().string(), seed),
        definition_(choose_definition(only.has_value())),
        model_(definition_, kClamp) {
    choose_people();
    choose_mechanism(only);
    disk_.watch = [this](const std::string& path, std::string_view bytes) { see(path, bytes); };
    note("seed " + std::to_string(seed) + ": " + definition_.text() + ", " + mechanism_ +
         (gaussian_ ? " with Gaussian noise" : "") + (has_clock_ ? ", with a clock" : "") +
         (files_.releases == dir_ / "pipe" ? ", to a pipe" : ""));
    for (const auto& [meter, in] : map_) {
      std::string text = meter + " of " + household_of_.at(meter) + " counts into";
      for (const std::string& each : in) text += " " + each;
      note(text);
    }
  }
  ~World() {
    if (pipe_ >= 0) ::close(pipe_);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Lives through the history. Returns what was wrong.
  const std::vector<std::string>& live() {
    const std::uint64_t runs = pick(2, 6);
    for (std::uint64_t i = 0; i < runs && !over_ && model_.violations().empty(); ++i) {
      if (i > 0) between_runs();
      if (over_) break;
      one_run(i + 1 == runs);
      after_run();
    }
    if (model_.violations().empty()) at_the_end();
    return model_.violations();
  }

  std::string trace() const {
    std::string text;
    for (const std::string& line : trace_) text += "  " + line + "\n";
    for (const std::string& line : model_.violations()) text += "  WRONG: " + line + "\n";
    return text;
  }
  /// What came up in this history, for the summary.
  const std::set<std::string>& met() const { return met_; }

 private:
  static constexpr std::uint64_t kClamp = 10;
  static constexpr std::int64_t kOrigin_s = 1'767'225'600;  // 2026
  static constexpr std::int64_t kSlot_s = 900;
  static constexpr Slot kSlotsMax = 60;
  static constexpr const char* kRefusedMove = "cannot move to other series";
  using Map = std::map<std::string, std::set<std::string>>;  // meter → series

  std::uint64_t pick(std::uint64_t from, std::uint64_t to) { return from + random_() % (to - from + 1); }
  bool chance(std::uint64_t in) { return random_() % in == 0; }
  void note(std::string what) { trace_.push_back(std::move(what)); }
  void met(const std::string& what) { met_.insert(what); }
  bool has_policies() const { return definition_.protects() == Protects::swellfish; }

  // --- How the world is made ---
  Definition choose_definition(bool windows_only) {
    const double epsilon = std::vector<double>{0.5, 1, 4}[pick(0, 2)];
    const bool approximate = chance(4);
    gaussian_ = approximate && chance(2);
    const double delta = approximate ? 1e-6 : 0;
    const auto discounted = [&](Protects protects, double factor) {
      gaussian_ = false;
      return *Definition::make({.protects = protects, .epsilon = *Epsilon::make(epsilon), .discount = factor});
    };
    switch (windows_only ? 8 : pick(0, 8)) {
      case 0: return define(Protects::event, epsilon, delta);
      case 1: gaussian_ = false; return define(Protects::user, epsilon, 0, kSlotsMax);
      case 2: return discounted(Protects::discounted_exp, 0.7);
      case 3: return discounted(Protects::discounted_hyp, 0.5);
      case 4: gaussian_ = false; return define_swellfish(define(Protects::w_event, epsilon, 0, pick(1, 5)));
      case 5:
      case 6: gaussian_ = false; return define_swellfish_idle();
      default: return define(Protects::w_event, epsilon, delta, chance(2) ? pick(2, 6) : pick(8, 12));
    }
  }

  void choose_people() {
    for (std::uint64_t i = 0, n = pick(1, 3); i < n; ++i) series_.push_back("s" + std::to_string(i));
    const bool share_homes = chance(2);
    for (std::uint64_t i = 0, n = pick(2, 5); i < n; ++i) {
      const std::string meter = "m" + std::to_string(i);
      household_of_[meter] = share_homes && i < 2 ? "home" : meter;
      map_[meter] = {series_[pick(0, series_.size() - 1)]};
      if (chance(4)) map_[meter].insert(series_[pick(0, series_.size() - 1)]);
    }
    for (const std::string& each : series_) {  // none is empty at first, and each is seen in this order
      bool used = false;
      for (const auto& [meter, in] : map_) used = used || in.contains(each);
      if (!used) map_.begin()->second.insert(each);
    }
    first_map_ = map_;
    has_clock_ = chance(2);
    grace_ = static_cast<Slot>(pick(0, 2));
    files_ = {.ledger = dir_ / "run.ledger", .releases = dir_ / "out.csv", .head = {}};
    if (chance(3)) {
      files_.releases = dir_ / "pipe";
      ::mkfifo(files_.releases.c_str(), 0600);
      pipe_ = ::open(files_.releases.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    }
    if (has_policies()) {  // an empty file would be an error
      const Policy policy{
          .interval = {1, 2}, .length_slots = 1, .magnitude_steps = 2, .epsilon = Budget::round_down(1)};
      write_policies(text_of("m0", policy, std::nullopt));
      model_.holds_policy(household_of_.at("m0"), policy);
    }
  }

  StrategyParameters parameters() const {
    const bool windows = !has_policies() && !definition_.discount();
    return {.policies = has_policies(),
            .user_level = definition_.protects() == Protects::user,
            .discount = definition_.discount(),
            .window_slots = windows ? definition_.window_slots() : 1,
            .every_slots = std::nullopt,
            .horizon_slots = std::nullopt,
            .delta = definition_.delta()};
  }
  Result<std::unique_ptr<Strategy>> strategy() const {
    StrategyParameters wanted = parameters();
    const StrategyKind* kind = find_strategy(mechanism_);
    FUGU_TRY(check_serves(*kind, wanted));
    if (kind->takes == "every_slots") wanted.every_slots = 2;
    if (kind->takes == "horizon_slots") wanted.horizon_slots = kSlotsMax;
    return make_strategy(mechanism_, wanted);
  }
  void choose_mechanism(const std::optional<Only>& only) {
    const auto kinds = strategy_kinds();
    do {
      mechanism_ = only ? only->mechanism : kinds[pick(0, kinds.size() - 1)].name;
    } while (!only && !strategy());
  }

  // --- Texts that the publisher reads ---
  SeriesMap series_map(const Map& map, const SeriesMap* earlier) const {
    std::string text = "meter,series\n";
    for (const auto& [meter, in] : map)
      for (const std::string& each : in) text += meter + "," + each + "\n";
    auto read = earlier == nullptr ? SeriesMap::read(Input::from_memory("map.csv", text), series_)
                                   : SeriesMap::read_again(Input::from_memory("map.csv", text), *earlier);
    EXPECT_TRUE(read) << reason(read) << "\n" << text;
    if (defect_ != Defect::forgets_households) {
      std::string homes = "meter,household\n";
      for (const auto& [meter, home] : household_of_)
        if (home != meter) homes += meter + "," + home + "\n";
      const auto done = read->read_households(Input::from_memory("homes.csv", homes));
      EXPECT_TRUE(done) << reason(done);
    }
    return *std::move(read);
  }

  Clock clock() const { return has_clock_ ? Clock(kOrigin_s, kSlot_s) : Clock(); }

  /// Rows of the slots from `first` to before `end`, out of order, some twice, some missing, sometimes one from far
  /// ahead. Takes note of which of them count, by the rules of the page about streams.
  std::string readings(Slot first, Slot end, Slot start) {
    struct Row {
      Slot slot;
      std::string meter;
      std::optional<std::int64_t> value;
    };
    std::vector<Row> rows;
    for (Slot slot = first; slot < end; ++slot) {
      for (const auto& [meter, in] : map_) {
        for (int copies = chance(8) ? 2 : 1; copies > 0; --copies)
          rows.push_back({slot, meter, chance(6) ? std::nullopt : std::optional<std::int64_t>(pick(0, 14))});
      }
      if (chance(25)) {
        rows.push_back({slot + static_cast<Slot>(pick(1000, 3000)), map_.begin()->first, 3});
        note("a row from far ahead after slot " + std::to_string(slot));
        met("a row from far ahead");
      }
    }
    for (std::size_t i = 1; i < rows.size(); ++i)
      if (chance(4)) std::swap(rows[i], rows[i - pick(1, std::min<std::size_t>(i, 3))]);
    counted_.clear();
    Slot newest = start - 1;
    std::string text = "time,meter,value\n";
    for (const Row& row : rows) {
      text += clock().text(row.slot) + "," + row.meter + "," + (row.value ? std::to_string(*row.value) : "") + "\n";
      const bool early = row.slot >= end + grace_;
      const bool late = row.slot < std::max(start, newest - grace_);
      if (early || late) continue;
      newest = std::max(newest, row.slot);
      if (row.value) counted_[row.slot].emplace(row.meter, std::min<std::int64_t>(*row.value, kClamp));
    }
    model_.time_is(end - 1);
    return text;
  }

  ReadingsOptions reading_options(Slot end) {
    ReadingsOptions options;
    options.clamp = {0, kClamp};
    options.grace_slots = grace_;
    options.late = LateRule::drop;
    options.threads = 1;
    if (has_clock_) {
      options.slot_s = kSlot_s;
      options.origin = Stamp{kOrigin_s, 0};
      // The last slot has just begun; nothing of a later one can have been measured.
      options.wall_clock_s = [end] { return kOrigin_s + (end - 1) * kSlot_s; };
    }
    if (defect_ == Defect::believes_stamps) {
      options.wall_clock_s = {};
      options.gap_slots_max = 100'000;
    }
    options.new_map = [this](const SeriesMap& now) -> std::optional<SeriesMap> {
      if (!next_map_ || !chance(4) || next_map_given_) return std::nullopt;
      next_map_given_ = true;
      note("the map changes while the stream runs");
      met("a map that changes live");
      return series_map(*next_map_, &now);
    };
    return options;
  }

  // --- One run of the publisher ---
  /// Feeds of broken worlds.
  class LossyFeed final : public PolicyFeed {
   public:
    LossyFeed(std::unique_ptr<PolicyFeed> feed, Defect defect) : feed_(std::move(feed)), defect_(defect) {}
    Result<const PolicyEvent*> next(Slot slot, const PolicyBook& in_force) override {
      for (;;) {
        auto event = feed_->next(slot, in_force);
        if (!event && defect_ == Defect::skips_broken_rows) continue;
        if (event && *event != nullptr && defect_ == Defect::forgets_policies && slot > 0) continue;
        return event;
      }
    }

   private:
    std::unique_ptr<PolicyFeed> feed_;
    Defect defect_;
  };
  struct Quiet final : PolicyListener {
    void accepted(const PolicyEvent&) override {}
    void refused(const PolicyEvent&, const Error&) override {}
    void unreadable(const Error&) override {}
  };

  Result<Mechanism> mechanism(const SeriesMap& map, const Exposure& exposure, bool fresh) {
    FUGU_ASSIGN(auto made, strategy());
    Mechanism mechanism{definition_, exposure, gaussian_ ? NoiseKind::gaussian : NoiseKind::laplace, std::move(made)};
    if (!has_policies()) return mechanism;
    std::vector<std::vector<SeriesId>> signatures;
    for (std::size_t g = 0; g < exposure.signature_count(); ++g) signatures.push_back(exposure.signature(g));
    PolicyOptions reading;
    reading.clock = clock();
    reading.map = &map;
    FUGU_ASSIGN(std::unique_ptr<PolicyFeed> feed,
                PolicyFile::open({dir_ / "policies.json", reading, UnitSignatures(&map, signatures), fresh, true, {}}));
    mechanism.policies = std::make_unique<LossyFeed>(std::move(feed), defect_);
    mechanism.admission.emplace();
    mechanism.listener = &quiet_;
    return mechanism;
  }

  RunIdentity identity() const {
    RunIdentity identity;
    identity.format.clock = clock();
    identity.format.series = series_;
    identity.format.estimates = find_strategy(mechanism_)->estimates;
    identity.facts["mechanism"] = mechanism_;
    return identity;
  }

  void one_run(bool last) {
    using Lies = Disk::Lies;
    if (has_policies()) repair_policies();
    const bool dies = !last && !chance(4);
    disk_.start(dies ? pick(1, 40) : 0, defect_ == Defect::syncs_late         ? Lies::always
                                        : defect_ == Defect::resumes_unsynced ? Lies::about_earlier_runs
                                                                              : Lies::never);
    const auto done = publish(last);
    if (done) return;
    note((disk_.dead() ? "the machine dies: " : "ends: ") + done.error().message);
    if (done.error().message.find(kRefusedMove) != std::string::npos) refuse_move();
    if (!disk_.dead() && !is_expected(done.error().message)) model_.wrong("the stream ended without a reason");
  }

  /// Why a run may end although nothing broke.
  bool is_expected(const std::string& why) const {
    for (const char* known : {"far ahead of the readings before", "no true value is released while", kRefusedMove})
      if (why.find(known) != std::string::npos) return true;
    return rolled_back_;
  }

  Result<void> publish(bool last) {
    FUGU_ASSIGN(fugu::Run run, fugu::Run::open(files_));
    const EarlierRuns* earlier = run.earlier();
    const Slot from = std::max<Slot>(earlier != nullptr ? earlier->next_slot : 0, not_before_.value_or(0));
    const Slot end = std::min<Slot>(from + static_cast<Slot>(pick(1, 12)), kSlotsMax);
    if (from >= end) {
      over_ = true;
      return {};
    }
    note("run from slot " + std::to_string(from) + " to " + std::to_string(end) +
         (not_before_ ? ", not before " + std::to_string(*not_before_) : ""));
    const Map& told = defect_ == Defect::hides_moves ? first_map_ : map_;
    FUGU_ASSIGN(
        ReadingsReader reader,
        ReadingsReader::open(
            Input("readings.csv", std::make_unique<LiveBytes>(readings(std::max<Slot>(0, from - 2), end, from))),
            series_map(told, nullptr), reading_options(end)));
    if (!exposure_) {
      FUGU_ASSIGN(Exposure exposure, exposure_of({&reader.series_map(), kClamp}));
      exposure_ = std::move(exposure);
    }
    const SeriesMap feed_map = series_map(told, nullptr);
    FUGU_ASSIGN(Mechanism made, mechanism(feed_map, *exposure_, earlier == nullptr));
    auto begun = run.begin(std::move(made), identity(), not_before_);
    if (!begun) return not_begun(begun.error());
    rolled_back_ = rolled_back_ && not_before_;  // until the head file names what is there now
    not_before_.reset();
    reader.skip_before((*begun)->next_slot());
    FUGU_TRY(publish_rows(**begun, reader));
    if (!last) return chance(2) ? (*begun)->flush() : Result<void>();
    over_ = true;
    FUGU_TRY((*begun)->finish());
    met("a stream that ends");
    finished_ = true;
    return {};
  }

  Result<void> publish_rows(Publisher& publisher, ReadingsReader& reader) {
    Map in_force = map_;
    SlotRow row;
    for (bool first = true;; first = false) {
      FUGU_ASSIGN(const bool more, reader.next(row));
      if (!more) return {};
      if (row.counting && !first) in_force = *next_map_;
      if (has_policies()) state_policies(row.slot);
      model_.happened(row.slot, counts(in_force), sums(in_force, row.slot));
      if (broken_) model_.could_not_read(row.slot);
      published_ = std::max(published_, row.slot);
      FUGU_TRY(publisher.publish(row));
      map_in_force_ = in_force;
      if (!chance(3)) continue;
      FUGU_TRY(publisher.flush());
      head_may_be_behind_ = rolled_back_ = false;
    }
  }

  /// What a refusal means, and how an operator goes on.
  Result<void> not_begun(const Error& why) {
    if (disk_.dead()) return why;
    if (!rolled_back_) {
      model_.wrong("nothing happened, but the run was refused: " + why.message);
      return why;
    }
    met("a refusal after a rollback");
    if (why.message.find("move this file away") != std::string::npos) {
      std::filesystem::rename(files_.releases, files_.releases + ".away");
      half_row_.clear();
    } else if (definition_.protects() == Protects::event || definition_.protects() == Protects::w_event) {
      not_before_ = published_ + static_cast<Slot>(definition_.window_slots());
    } else {
      over_ = true;
    }
    return why;
  }

  std::map<std::string, Counts> counts(const Map& map) const {
    std::map<std::string, Counts> counts;
    for (const auto& [meter, in] : map)
      for (SeriesId i = 0; i < series_.size(); ++i)
        if (in.contains(series_[i])) ++counts[household_of_.at(meter)][i];
    return counts;
  }
  std::vector<std::int64_t> sums(const Map& map, Slot slot) {
    std::vector<std::int64_t> sums(series_.size());
    for (const auto& [meter, value] : counted_[slot])
      for (SeriesId i = 0; i < series_.size(); ++i)
        if (map.at(meter).contains(series_[i])) sums[i] += value;
    return sums;
  }

  // --- Policies ---
  void write_policies(const std::string& row) { std::ofstream(dir_ / "policies.json", std::ios::app) << row << "\n"; }
  static std::string text_of(const std::string& meter, const Policy& policy, std::optional<Slot> withdrawn) {
    std::ostringstream text;
    text << R"({"meter": ")" << meter << R"(", "start": )" << policy.interval.first << R"(, "end": )"
         << policy.interval.last << R"(, "length": )" << policy.length_slots << R"(, "magnitude": )"
         << policy.magnitude_steps << R"(, "epsilon": )" << policy.epsilon.to_double();
    if (withdrawn) text << R"(, "known": )" << *withdrawn << R"(, "withdraw": true)";
    text << "}";
    return text.str();
  }
  /// Before `slot` is published, somebody may have a wish.
  void state_policies(Slot slot) {
    if (chance(3)) {
      const auto meter = std::next(map_.begin(), static_cast<std::ptrdiff_t>(pick(0, map_.size() - 1)))->first;
      Policy policy;
      policy.interval.first = slot + static_cast<Slot>(pick(0, 4));
      policy.interval.last = policy.interval.first + static_cast<Slot>(pick(0, 5));
      policy.length_slots = pick(1, policy.interval.slots());
      policy.magnitude_steps = pick(1, kClamp);
      policy.epsilon = Budget::round_down(std::vector<double>{0.25, 0.5, 1}[pick(0, 2)]);
      const auto same = [&](const HeldPolicy& held) { return held.policy == policy; };
      if (std::none_of(model_.policies().begin(), model_.policies().end(), same)) {
        write_policies(text_of(meter, policy, std::nullopt));
        note("before slot " + std::to_string(slot) + ": " + text_of(meter, policy, std::nullopt));
        model_.holds_policy(household_of_.at(meter), policy);
        met("a policy");
      }
    }
    if (chance(6)) take_back_policy(slot);
    if (chance(12)) {
      write_policies(R"({"meter": "m0", "start": "soon"})");
      note("before slot " + std::to_string(slot) + ": a policy that cannot be read");
      met("a policy that cannot be read");
      broken_ = true;
    }
  }
  /// One that has not begun, of somebody who is a household of their own.
  void take_back_policy(Slot slot) {
    for (std::size_t i = 0; i < model_.policies().size(); ++i) {
      const HeldPolicy held = model_.policies()[i];
      if (held.policy.interval.first <= slot || !household_of_.contains(held.unit)) continue;
      write_policies(text_of(held.unit, held.policy, slot));
      note("before slot " + std::to_string(slot) + ": " + text_of(held.unit, held.policy, slot));
      model_.takes_back(i);
      met("a policy that is taken back");
      return;
    }
  }
  /// Between two runs somebody takes the broken rows out.
  void repair_policies() {
    broken_ = false;
    std::istringstream lines(read_file(dir_ / "policies.json"));
    std::string text;
    for (std::string line; std::getline(lines, line);)
      if (line.find("soon") == std::string::npos) text += line + "\n";
    write_file(dir_ / "policies.json", text);
  }

  // --- Between runs ---
  void between_runs() {
    move_meters();
    if (defect_ == Defect::starts_anew && chance(2)) {
      for (const std::string& path : {files_.ledger, files_.ledger + ".head", dir_ / "out.csv"})
        std::filesystem::remove(path);
      note("ledger, head file and releases are removed");
    } else if (backup_ && chance(defect_ == Defect::none ? 4 : 2)) {
      roll_back();
    }
    // A backup holds what is durable: what is not may be lost, and happen again in another way.
    if (!backup_ && exists(files_.ledger) && !disk_.durable(files_.ledger).empty())
      backup_ = {disk_.durable(files_.ledger), bytes(files_.ledger + ".head")};
  }

  /// The operator goes back to the map that was in force.
  void refuse_move() {
    met("a move that is refused");
    if (map_in_force_) map_ = *map_in_force_;
    next_map_.reset();
  }

  void move_meters() {
    map_ = next_map_ && next_map_given_ ? *next_map_ : map_;
    if (chance(2)) move_one(map_);
    next_map_.reset();
    next_map_given_ = false;
    if (!chance(2) || defect_ == Defect::hides_moves) return;
    next_map_ = map_;
    move_one(*next_map_);
  }
  /// To where somebody of the first map is: other places are refused, which a stream survives but a history does not.
  void move_one(Map& map) {
    const auto mover = std::next(map.begin(), static_cast<std::ptrdiff_t>(pick(0, map.size() - 1)));
    if (household_of_.at(mover->first) != mover->first) return;
    const auto like = std::next(first_map_.begin(), static_cast<std::ptrdiff_t>(pick(0, first_map_.size() - 1)));
    if (mover->second == like->second) return;
    mover->second = like->second;
    note(mover->first + " moves to where " + like->first + " was at first");
    met("a meter that moves");
  }

  void roll_back() {
    const auto [ledger, head] = *std::exchange(backup_, std::nullopt);
    if (ledger == bytes(files_.ledger)) return;
    Slot next = 0;
    write_file(dir_ / "older", ledger);
    for (const SlotEnd& end : only<SlotEnd>(read_ledger(dir_ / "older").records)) next = end.slot + 1;
    for (const Answer& answer : only<Answer>(read_ledger(files_.ledger).records))
      if (answer.slot >= next && answer.slot <= model_.last_seen()) lost_answers_.push_back(answer);
    for (Slot slot = next; slot <= model_.last_seen(); ++slot) lost_slots_.insert(slot);
    disk_.put(files_.ledger, ledger);
    rolled_back_ = true;
    note("a backup brings back the ledger before slot " + std::to_string(next));
    met("a rollback");
    const bool with_head = defect_ == Defect::old_ledger_and_head || (defect_ == Defect::none && chance(3));
    if (defect_ == Defect::removes_head) std::filesystem::remove(files_.ledger + ".head");
    if (with_head && !head.empty()) disk_.put(files_.ledger + ".head", head);
    const bool nobody_says = defect_ == Defect::old_ledger_and_head || defect_ == Defect::removes_head;
    if (nobody_says && pipe_ < 0) std::filesystem::remove(files_.releases);
    if (nobody_says || !(with_head || head_may_be_behind_)) return;
    // Only whoever restored it can know.
    note("the head file is older, too: the operator says so");
    met("a rollback that only the operator knows of");
    if (definition_.protects() == Protects::event || definition_.protects() == Protects::w_event) {
      not_before_ = published_ + static_cast<Slot>(definition_.window_slots());
    } else {
      over_ = true;
    }
  }

  // --- What is looked at ---
  void see(const std::string& path, std::string_view bytes) {
    if (path != files_.releases) return;
    char drained[4096];
    while (pipe_ >= 0 && ::read(pipe_, drained, sizeof drained) > 0) {
    }
    const std::uint64_t durable = exists(files_.ledger) ? disk_.durable(files_.ledger).size() : 0;
    half_row_ += bytes;
    for (std::size_t end; (end = half_row_.find('\n')) != std::string::npos; half_row_.erase(0, end + 1)) {
      const std::string row = half_row_.substr(0, end);
      const std::size_t time = row.find(',');
      const std::size_t series = row.find(',', time + 1);
      Tick tick;
      if (row.starts_with("time") || clock().parse(row.substr(0, time), std::nullopt, tick) != TimeFault::none)
        continue;
      model_.saw(tick.slot, row.substr(time + 1, series - time - 1), row.substr(series + 1));
      paid_when_seen_.emplace(tick.slot, durable);
    }
  }

  /// What was seen must have been durable then, and be there now.
  void after_run() {
    half_row_.clear();
    check_paid(true);
    if (disk_.dead() && chance(2)) {
      note("power cut");
      met("a power cut");
      head_may_be_behind_ = true;
      disk_.cut_power({files_.ledger, files_.ledger + ".head", dir_ / "out.csv"});
      check_paid(false);
    } else if (disk_.dead()) {
      met("a kill");
    }
    paid_when_seen_.clear();
  }

  void check_paid(bool when_seen) {
    std::map<Slot, std::uint64_t> ends;
    if (auto reader =
            exists(files_.ledger) ? LedgerReader::open(files_.ledger) : Result<LedgerReader>(Error{Cause::usage, ""})) {
      for (auto record = reader->next(); record && *record; record = reader->next())
        if (const auto* end = std::get_if<SlotEnd>(&**record)) ends[end->slot] = reader->intact_bytes();
    }
    for (const auto& [slot, rows] : model_.seen()) {
      if (!lost_slots_.contains(slot) && !ends.contains(slot))
        model_.wrong("slot " + std::to_string(slot) + " was handed out, and the ledger does not have it");
    }
    for (const auto& [slot, durable] : paid_when_seen_) {
      if (when_seen && ends.contains(slot) && durable < ends[slot])
        model_.wrong("slot " + std::to_string(slot) + " was handed out before it was durable");
    }
  }

  void at_the_end() {
    if (!exists(files_.ledger)) return;
    disk_.start(0, Disk::Lies::never);
    if (defect_ == Defect::drops_answers) drop_an_answer();
    const std::vector<LedgerRecord> records = read_ledger(files_.ledger).records;
    std::vector<Answer> answers = only<Answer>(records);
    check_sampled(answers);
    answers.insert(answers.end(), lost_answers_.begin(), lost_answers_.end());
    model_.judge(answers);
    if (defect_ != Defect::none) return;
    audit();
    if (!has_policies() && !definition_.discount() && definition_.delta().value() == 0) audit_forgery(records, answers);
  }

  /// A value that was handed out as new has an answer behind it.
  void check_sampled(const std::vector<Answer>& answers) {
    if (find_strategy(mechanism_)->estimates) return;
    std::set<Slot> answered;
    for (const Answer& answer : answers) answered.insert(answer.slot);
    for (const auto& [slot, rows] : model_.seen())
      for (const auto& [series, rest] : rows)
        if (rest.ends_with(",1") && !answered.contains(slot) && !lost_slots_.contains(slot))
          model_.wrong("slot " + std::to_string(slot) + " was handed out without an answer");
  }

  void audit() {
    auto report = audit_ledger(files_.ledger, {.open_ended = !finished_});
    if (!report) return model_.wrong("the audit cannot read the ledger: " + report.error().message);
    if (pipe_ < 0 && exists(files_.releases) && model_.last_seen() >= 0) {
      const auto header = LedgerReader::open(files_.ledger)->header();
      const auto compared = audit_releases_against_ledger(Input::from_memory("out.csv", bytes(files_.releases)),
                                                          files_.ledger, *release_format_of(header), *report);
      if (!compared && finished_) model_.wrong("the audit cannot read the releases: " + compared.error().message);
    }
    if (!report->holds() && finished_) model_.wrong("the audit says: " + report->findings.front());
    if (report->holds() && finished_) audit_changed_release();
    met("an audit");
  }

  /// One more digit in a value that was handed out: the audit must see it.
  void audit_changed_release() {
    if (pipe_ >= 0 || !exists(files_.releases)) return;
    std::string text = bytes(files_.releases);
    const std::size_t row = text.rfind('\n', text.size() - 2) + 1;
    const std::size_t value = text.find(',', text.find(',', row) + 1) + 1;
    if (row == 0 || text[value] == ',') return;
    text.insert(value, "1");
    AuditReport report;
    const auto format = release_format_of(LedgerReader::open(files_.ledger)->header());
    const auto compared =
        audit_releases_against_ledger(Input::from_memory("out.csv", text), files_.ledger, *format, report);
    if (compared && report.holds()) model_.wrong("the audit believes a release that was changed");
    met("a changed release");
  }

  /// The same answers under a header that promises more: the audit must say that they do not keep it, and whoever kept
  /// the head that it is another ledger.
  void audit_forgery(const std::vector<LedgerRecord>& records, const std::vector<Answer>& answers) {
    if (!finished_ || !lost_answers_.empty()) return;
    const long double worst = model_.worst_loss(answers);
    const double promised = definition_.epsilon().value() / 4;
    if (worst <= promised * 1.001L) return;
    LedgerHeader header = LedgerReader::open(files_.ledger)->header();
    const bool by_window = definition_.protects() != Protects::event;
    header.definition = define(definition_.protects(), promised, 0,
                               by_window ? std::optional(definition_.window_slots()) : std::nullopt);
    std::filesystem::copy_file(files_.ledger + ".head", dir_ / "forged.ledger.head");
    write_ledger(dir_ / "forged.ledger", header, {records});
    const auto report = audit_ledger(dir_ / "forged.ledger");
    if (report && report->holds()) model_.wrong("the audit believes a header that was rewritten");
    const auto run = fugu::Run::open({.ledger = dir_ / "forged.ledger", .releases = "-"});
    if (run && !run->earlier()->missed) model_.wrong("the head file does not tell a forged ledger");
    met("a forged ledger");
  }

  void drop_an_answer() {
    std::vector<LedgerRecord> records = read_ledger(files_.ledger).records;
    std::erase_if(records, [&](const LedgerRecord& record) {
      const auto* answer = std::get_if<Answer>(&record);
      return answer != nullptr && answer->slot == model_.last_seen();
    });
    const LedgerHeader header = LedgerReader::open(files_.ledger)->header();
    std::filesystem::remove(files_.ledger);
    write_ledger(files_.ledger, header, {records});
  }

  static bool exists(const std::string& path) { return std::filesystem::exists(path); }
  static std::string bytes(const std::string& path) { return read_file(path); }

  struct Backup {
    std::string ledger;
    std::string head;
  };

  std::mt19937_64 random_;
  Defect defect_;
  TempDir dir_;
  Disk disk_;
  bool gaussian_ = false;
  Definition definition_;
  Model model_;
  std::string mechanism_;
  std::vector<std::string> series_;
  std::map<std::string, std::string> household_of_;  // by meter
  Map first_map_;
  Map map_;
  std::optional<Map> map_in_force_;
  std::optional<Map> next_map_;  // that the run will be given while it runs
  bool next_map_given_ = false;
  std::optional<Exposure> exposure_;
  bool has_clock_ = false;
  Slot grace_ = 1;
  RunFiles files_;
  int pipe_ = -1;
  Quiet quiet_;
  std::map<Slot, std::map<std::string, std::int64_t>> counted_;  // readings that count, by slot and meter
  bool broken_ = false;                                          // the policies file has a row that cannot be read
  std::string half_row_;
  std::map<Slot, std::uint64_t> paid_when_seen_;  // how much of the ledger was durable when a slot was first seen
  Slot published_ = -1;
  std::optional<Backup> backup_;
  bool rolled_back_ = false;
  bool head_may_be_behind_ = false;  // the head file is not synced: a power cut may leave an older head
  std::optional<Slot> not_before_;
  std::vector<Answer> lost_answers_;
  std::set<Slot> lost_slots_;
  bool over_ = false;
  bool finished_ = false;
  std::vector<std::string> trace_;
  std::set<std::string> met_;
};

}  // namespace fugu::test
