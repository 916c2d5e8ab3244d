// fugu advise: which strategy to choose, before anything is published.
#include <cmath>
#include <cstdio>

#include "command.hpp"
#include "definition_options.hpp"
#include "fugu/report/number.hpp"
#include "fugu/study/advice.hpp"
#include "source_options.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

struct AdviseArguments {
  std::string sample;
  std::optional<double> amplitude;
  std::optional<std::uint64_t> period;
  std::optional<double> level;
  std::optional<std::int64_t> length;
  std::optional<double> sparsity;
  std::optional<double> growth;
  std::optional<std::size_t> series;
  std::optional<double> sensitivity;
  std::string unit_step = "1";
  std::string budgets = "shared";
  std::optional<double> epsilon;
  std::optional<std::int64_t> w;
  double delta = 0;
  std::string metric = "mae";
  double gamma = 1;
  std::optional<double> target_error;
  std::string solve;
  std::uint64_t seed = 1;
  bool json = false;
};

constexpr const char* kExamples = R"(
Predicts the error of every strategy for w-event, from what is publicly known of the stream or from a PUBLIC sample
of it: an earlier year that was published, another district, a simulation. A sample is public by your declaration:
nothing that is printed here is protected. Never give the stream that is to be protected.

Zero, the best constant and the last public value are candidates, too: what needs no look at the data. Uniform, Sample
and the hybrid (at its best --every) are predicted by closed forms, the others by seeded runs through the kernel and
accountant of fugu publish. Facts: streams with that amplitude and period are made up. "± one run" is the standard
deviation of a single run. The metric is one of mae, rmse, mre, season_kept, season_autocorrelation, level_error,
amplitude_kept, peak_error_slots, changes_found, forecast_mae; those that are no errors count as distances from what
the truth has.

Examples
  fugu advise --amplitude 12000 --level 4000 --period 96 --sensitivity 10 --epsilon 1 --w 96
  fugu advise --amplitude 500 --period 96 --level 200 --length 2000 --series 4 --budgets own --sensitivity 10 \
              --epsilon 1 --w 96 --metric mre --gamma 20
  fugu advise --sample totals.csv --sensitivity 10 --epsilon 0.5 --w 96 --json
  fugu advise --sample totals.csv --period 96 --sensitivity 1 --epsilon 1 --w 48 --metric season_kept
  fugu advise --sample totals.csv --sensitivity 1 --w 96 --target-error 20 --solve epsilon
  fugu advise --sample totals.csv --sensitivity 1 --epsilon 1 --target-error 20 --solve w

Exit code 1: the target error cannot be reached, or no run can show that it is. How to read the answer: docs/how-to/choose-a-mechanism.md
)";

std::string number(double value) { return report::format_significant(value); }

/// What is wrong with a command line, all of it at once.
class Complaints {
 public:
  void add(bool is_wrong, const std::string& what) {
    if (is_wrong) text_.append(text_.empty() ? "" : "\n       ").append(what);
  }
  Result<void> result() const {
    if (!text_.empty()) return Error{Cause::usage, text_};
    return {};
  }

 private:
  std::string text_;
};

/// One call of `fugu advise`.
class AdviseRun {
 public:
  explicit AdviseRun(const AdviseArguments& arguments) : arguments_(arguments) {}
  Outcome run();

 private:
  bool solves(const char* what) const { return arguments_.solve == what; }
  Result<void> check() const;
  Result<AdviceOptions> advice_options() const;
  Result<void> find_requirement(const Advisor& advisor);

  std::string about_stream(const Advisor& advisor) const;
  std::string about_requirement(const AdviceRequirement& requirement, std::size_t series) const;
  std::string about_target(const Advisor& advisor) const;
  std::string about_what_is_too_rare() const;
  std::string why(const Prediction& prediction) const;
  std::string publish_options(const Prediction& prediction, const AdviceRequirement& requirement) const;
  std::string not_looking(const Advisor& advisor, const Prediction& yardstick) const;
  std::string peers_of(const Advice& advice) const;

  void print_text(const Advisor& advisor, const Advice& advice) const;
  void print_ranking(const Advice& advice) const;
  void print_recommendation(const Advisor& advisor, const Advice& advice) const;
  void print_json(const Advisor& advisor, const Advice* advice) const;

  const AdviseArguments& arguments_;
  AdviceMetric metric_ = AdviceMetric::mae;
  AdviceRequirement requirement_;
  std::optional<TargetSolution> target_;
};

Result<void> AdviseRun::check() const {
  Complaints complaints;
  const bool from_facts = arguments_.sample.empty();
  complaints.add(from_facts && !arguments_.amplitude && !arguments_.period,
                 "nothing is known of the stream: give --amplitude and --period, or a public --sample");
  complaints.add(from_facts && !arguments_.amplitude && arguments_.period,
                 "--amplitude is missing: largest minus smallest value, about");
  complaints.add(from_facts && arguments_.amplitude && !arguments_.period,
                 "--period is missing: after how many slots the stream repeats itself, about");
  complaints.add(!from_facts && (arguments_.amplitude || arguments_.level || arguments_.length || arguments_.sparsity ||
                                 arguments_.growth),
                 "--amplitude, --level, --length, --sparsity and --growth contradict --sample, which shows them");
  complaints.add(!arguments_.sensitivity,
                 "--sensitivity is missing: by how much one meter can change a series in one slot");
  complaints.add(arguments_.sensitivity && !(*arguments_.sensitivity > 0), "--sensitivity must be positive");
  complaints.add(!arguments_.epsilon && !solves("epsilon"),
                 "--epsilon is missing: there is no default; or ask for it with --target-error E --solve epsilon");
  complaints.add(arguments_.epsilon && solves("epsilon"), "--epsilon contradicts --solve epsilon, which looks for it");
  complaints.add(!arguments_.w && !solves("w"),
                 "--w is missing: the length of the protected window in slots; or --target-error E --solve w");
  complaints.add(arguments_.w && solves("w"), "--w contradicts --solve w, which looks for it");
  complaints.add(arguments_.w && *arguments_.w < 1, "--w must be at least 1 slot");
  complaints.add(arguments_.target_error && arguments_.solve.empty(),
                 "--target-error needs --solve epsilon or --solve w");
  complaints.add(!arguments_.target_error && !arguments_.solve.empty(), "--solve needs --target-error");
  complaints.add(arguments_.target_error && !(*arguments_.target_error > 0 && std::isfinite(*arguments_.target_error)),
                 "--target-error must be positive: every promise costs some noise");
  complaints.add(arguments_.series && *arguments_.series < 1, "--series must be at least 1");
  if (arguments_.epsilon) {
    const auto epsilon = Epsilon::make(*arguments_.epsilon);
    complaints.add(!epsilon, "--epsilon: " + (epsilon ? std::string() : epsilon.error().message));
  }
  const auto delta = Delta::make(arguments_.delta);
  complaints.add(!delta, "--delta: " + (delta ? std::string() : delta.error().message));
  const auto metric = find_advice_metric(arguments_.metric);
  complaints.add(!metric, "--metric: " + (metric ? std::string() : metric.error().message));
  return complaints.result();
}

Result<AdviceOptions> AdviseRun::advice_options() const {
  FUGU_ASSIGN(const Delta delta, Delta::make(arguments_.delta));
  AdviceOptions options{.stream = PublicSample{arguments_.sample, arguments_.series, arguments_.period},
                        .sensitivity = *arguments_.sensitivity,
                        .unit_step = arguments_.unit_step,
                        .budgets = arguments_.budgets == "own" ? SuiteBudgets::own : SuiteBudgets::shared,
                        .delta = delta,
                        .metric = metric_,
                        .gamma = arguments_.gamma,
                        .seed = arguments_.seed};
  if (!arguments_.sample.empty()) return options;
  StreamFacts facts{.amplitude = *arguments_.amplitude, .period_slots = *arguments_.period};
  facts.level = arguments_.level.value_or(facts.level);
  facts.length_slots = arguments_.length.value_or(facts.length_slots);
  facts.series = arguments_.series.value_or(facts.series);
  facts.sparsity = arguments_.sparsity.value_or(facts.sparsity);
  facts.growth = arguments_.growth;
  options.stream = facts;
  return options;
}

Result<void> AdviseRun::find_requirement(const Advisor& advisor) {
  requirement_ = {.epsilon = arguments_.epsilon.value_or(1),
                  .window_slots = static_cast<std::uint64_t>(arguments_.w.value_or(1))};
  if (!arguments_.target_error) return {};
  if (*arguments_.target_error < advisor.exact_error()) {
    target_ = TargetSolution{.closest = advisor.exact_error()};
    return {};
  }
  if (solves("epsilon")) {
    FUGU_ASSIGN(target_, advisor.solve_epsilon(*arguments_.target_error, requirement_.window_slots));
  } else {
    FUGU_ASSIGN(target_, advisor.solve_window(*arguments_.target_error, requirement_.epsilon));
  }
  if (target_->reached) requirement_ = target_->requirement;
  return {};
}

std::string AdviseRun::about_stream(const Advisor& advisor) const {
  const PreparedStream& stream = advisor.streams().front();
  const std::string size = std::to_string(stream.series()) + " series of " + std::to_string(stream.slots()) + " slots";
  const std::uint64_t count = advisor.runs_per_stream();
  const std::string runs = std::to_string(count) + (count == 1 ? " run" : " runs");
  if (!arguments_.sample.empty())
    return "From the sample " + arguments_.sample + ", which you declare public (" + size + "; " + runs +
           " of each strategy).";
  return "From public facts: " + std::to_string(advisor.streams().size()) + " streams made up with amplitude " +
         number(*arguments_.amplitude) + " and period " + std::to_string(*arguments_.period) + " (" + size + "; " +
         runs + " of each strategy on each).";
}

std::string AdviseRun::about_requirement(const AdviceRequirement& requirement, std::size_t series) const {
  std::string text = "w-event, ε = " + short_number(requirement.epsilon);
  if (arguments_.delta > 0) text += ", δ = " + short_number(arguments_.delta);
  text +=
      ", w = " + std::to_string(requirement.window_slots) + ", sensitivity " + short_number(*arguments_.sensitivity);
  if (series > 1)
    text += arguments_.budgets == "own" ? "; no meter counts into two of the series"
                                        : "; the series share the budget (--budgets own if no meter counts into two)";
  return text + "; error: " + arguments_.metric +
         (metric_ == AdviceMetric::mre ? " with γ = " + short_number(arguments_.gamma) : "");
}

std::string AdviseRun::about_target(const Advisor& advisor) const {
  const std::string wanted = arguments_.metric + " of at most " + short_number(*arguments_.target_error);
  if (target_->reached && solves("epsilon")) {
    const bool least = target_->requirement.epsilon <= Advisor::kEpsilonLeast * Advisor::kEpsilonTolerance;
    return wanted + " needs ε = " + short_number(target_->requirement.epsilon) + (least ? " or less" : "") + ", with " +
           target_->label + " (the ε is found to 1 %, from the same random numbers at every ε)." +
           about_what_is_too_rare();
  }
  if (target_->reached)
    return wanted + " permits windows of up to w = " + std::to_string(target_->requirement.window_slots) + " slots" +
           (target_->requirement.window_slots == advisor.streams().front().slots() ? ", the whole stream" : "") +
           ", with " + target_->label + " (found to the slot, from the same random numbers at every w)." +
           about_what_is_too_rare();
  const double exact = advisor.exact_error();
  if (*arguments_.target_error < exact)
    return "No: not even the true values have a " + wanted + ": theirs is " + number(exact) + ".";
  const std::string with =
      solves("epsilon") ? "with any ε up to " + short_number(Advisor::kEpsilonMost) : "with any w, not even 1";
  if (target_->too_rare_to_tell.empty())
    return "No: " + wanted + " cannot be reached " + with + "; the closest is " + number(target_->closest) + ".";
  return "No: that " + wanted + " is reached cannot be shown " + with +
         (std::isfinite(target_->closest) ? "; the smallest error that is known is " + number(target_->closest) : "") +
         "." + about_what_is_too_rare();
}

std::string AdviseRun::about_what_is_too_rare() const {
  if (target_->too_rare_to_tell.empty()) return "";
  return " Whether " + target_->too_rare_to_tell +
         " does better cannot be told: where it might, too few of its runs show any error to say how large it is on "
         "average.";
}

/// Says so when the error of a strategy is so rare that its runs do not tell how large it is.
std::string rarely_seen(const Prediction& prediction) {
  if (prediction.unseen_error == 0) return "";
  return "an error in " + std::to_string(prediction.runs_with_error) + " of " + std::to_string(prediction.runs) +
         " runs; ";
}

std::string AdviseRun::why(const Prediction& prediction) const {
  if (!prediction.cannot_run.empty()) return "cannot run: " + prediction.cannot_run;
  if (prediction.strategy == nullptr) return "does not look at the data";
  return rarely_seen(prediction) + "noise " + number(prediction.noise_part) + ", staleness " +
         number(prediction.staleness_part) + "; " + number(prediction.samples_per_window) + " samples per window";
}

std::string AdviseRun::publish_options(const Prediction& prediction, const AdviceRequirement& requirement) const {
  std::string options = "--definition w-event --epsilon " + short_number(requirement.epsilon);
  if (arguments_.delta > 0) options += " --delta " + short_number(arguments_.delta);
  options +=
      " --w " + std::to_string(requirement.window_slots) + " --sensitivity " + short_number(*arguments_.sensitivity);
  if (arguments_.unit_step != "1") options += " --unit-step " + arguments_.unit_step;
  if (arguments_.budgets != "shared") options += " --budgets " + arguments_.budgets;
  return options + " --mechanism " + prediction.label;
}

/// What a yardstick publishes, in words.
std::string AdviseRun::not_looking(const Advisor& advisor, const Prediction& yardstick) const {
  if (yardstick.label == name_of(Yardstick::zero)) return "publishing 0 in every slot";
  if (yardstick.label == name_of(Yardstick::last_public)) return "repeating the last value that is public";
  const PreparedStream& stream = advisor.streams().front();
  const std::string about = arguments_.sample.empty() ? "about " : "";
  return "publishing one typical value, the median" +
         (stream.series() == 1 ? " of " + about + number(stream.best_constants()[0]) : " of each series") +
         ", in every slot";
}

/// The strategies that are as good as the best, as far as can be told.
std::string AdviseRun::peers_of(const Advice& advice) const {
  const Prediction* best = advice.best_strategy();
  std::string peers;
  for (const Prediction& other : advice.ranked) {
    if (&other == best || other.strategy == nullptr || !other.cannot_run.empty() || told_apart(*best, other)) continue;
    peers.append(peers.empty() ? "" : ", ").append(other.label);
  }
  return peers;
}

void AdviseRun::print_ranking(const Advice& advice) const {
  using Align = report::Column::Align;
  report::Table table{.columns = {{"rank", Align::number},
                                  {"strategy", Align::text},
                                  {"error", Align::number},
                                  {"± one run", Align::number},
                                  {"/ not looking", Align::number},
                                  {"by", Align::text},
                                  {"why", Align::text}}};
  const double yardstick = advice.best_yardstick().error;
  int rank = 0;
  for (const Prediction& each : advice.ranked) {
    const bool runs = each.cannot_run.empty();
    table.rows.push_back({{runs ? std::to_string(++rank) : "–"},
                          {each.label},
                          {runs ? number(each.error) : "–"},
                          {runs ? number(each.spread) : "–"},
                          {runs && yardstick > 0 ? number(each.error / yardstick) : "–"},
                          {each.strategy == nullptr ? ""
                           : each.closed_form       ? "formula"
                                                    : "runs"},
                          {why(each)}});
  }
  print_table(table);
}

void AdviseRun::print_recommendation(const Advisor& advisor, const Advice& advice) const {
  const Prediction* best = advice.best_strategy();
  const Prediction& yardstick = advice.best_yardstick();
  std::printf("\n");
  if (best == nullptr) return print_wrapped("No strategy can run under this requirement.");
  const std::string peers = peers_of(advice);
  if (!advice.looking_helps()) {
    print_wrapped("Nothing beats not looking at the data: " + not_looking(advisor, yardstick) + " has an error of " +
                  number(yardstick.error) + ", the best strategy, " + best->label + ", one of " + number(best->error) +
                  (yardstick.label == name_of(Yardstick::zero) ? "" : " (it takes that value to be public)") +
                  ". Spend no budget on this" +
                  (yardstick.error > 0
                       ? ", or ask for less: a larger ε, a shorter w, totals over more meters. "
                         "--target-error " +
                             short_number(yardstick.error) + " --solve epsilon (or w) says how much less."
                       : std::string(".")));  // no promise is weak enough to have no error
    return;
  }
  print_wrapped("Use " + best->label + ": predicted error " + number(best->error) + ", " +
                number(best->error / yardstick.error) + " times that of the best that does not look at the data (" +
                not_looking(advisor, yardstick) + ").");
  if (best->unseen_error > 0)
    print_wrapped("Its error is too rare for its runs to say how large it is on average (" +
                  std::to_string(best->runs_with_error) + " of " + std::to_string(best->runs) +
                  " show one): do not rely on the figure.");
  if (!told_apart(*best, yardstick))
    print_wrapped("That it is better than not looking is within what two standard errors allow: do not rely on it.");
  if (!peers.empty()) print_wrapped("As good, as far as can be told: " + peers + ".");
  std::printf("\n  fugu publish --stream STREAM.csv %s --ledger run.ledger --out released.csv\n",
              publish_options(*best, advice.requirement).c_str());
}

void AdviseRun::print_text(const Advisor& advisor, const Advice& advice) const {
  print_wrapped(about_stream(advisor));
  if (target_) print_wrapped(about_target(advisor));
  const std::size_t series = advisor.streams().front().series();
  print_wrapped(about_requirement(advice.requirement, series));
  warn_if_delta_adds_noise(*Epsilon::make(advice.requirement.epsilon), *Delta::make(arguments_.delta),
                           NoiseKind::gaussian,
                           advice.requirement.window_slots * (arguments_.budgets == "own" ? 1 : series));
  std::printf("\n");
  print_ranking(advice);
  if (target_ && advice.best_yardstick().error <= *arguments_.target_error) {
    std::printf("\n");
    print_wrapped("The target needs no budget: " + not_looking(advisor, advice.best_yardstick()) + " reaches it.");
  }
  print_recommendation(advisor, advice);
}

std::string json_text(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      json += escaped;
    } else {
      json += c;
    }
  }
  return json + "\"";
}

/// `"name": value` after `before`.
std::string member(const char* before, const char* name, const std::string& value) {
  return std::string(before).append("\"").append(name).append("\": ").append(value);
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[40];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

std::string json_of(const Prediction& each, int rank, double yardstick) {
  const bool runs = each.cannot_run.empty();
  const bool is_strategy = each.strategy != nullptr;
  const auto measured = [&](double value) { return runs && is_strategy ? json_number(value) : "null"; };
  std::string json = member("    {", "rank", runs ? std::to_string(rank) : "null");
  json += member(", ", "label", json_text(each.label));
  json += member(", ", "mechanism", is_strategy ? json_text(each.strategy->name) : "null");
  json += member(", ", "every", each.every_slots ? std::to_string(*each.every_slots) : "null");
  json += member(", ", "looks_at_data", is_strategy ? "true" : "false");
  json += member(", ", "error", json_number(each.error));
  json += member(", ", "spread", json_number(each.spread));
  json += member(", ", "standard_error", json_number(each.standard_error));
  json += member(", ", "closed_form", each.closed_form ? "true" : "false");
  json += member(", ", "against_not_looking", yardstick > 0 ? json_number(each.error / yardstick) : "null");
  json += member(", ", "noise_part", measured(each.noise_part));
  json += member(", ", "staleness_part", measured(each.staleness_part));
  json += member(", ", "samples_per_window", measured(each.samples_per_window));
  json += member(", ", "runs", measured(static_cast<double>(each.runs)));
  json += member(", ", "runs_with_error", measured(static_cast<double>(each.runs_with_error)));
  json += member(", ", "unseen_error", measured(each.unseen_error));
  if (!runs) json += member(", ", "cannot_run", json_text(each.cannot_run));
  return json + "}";
}

void AdviseRun::print_json(const Advisor& advisor, const Advice* advice) const {
  const PreparedStream& stream = advisor.streams().front();
  std::string json = member("{\n  ", "metric", json_text(arguments_.metric));
  json += member(",\n  ", "source", json_text(arguments_.sample.empty() ? "public facts" : "public sample"));
  json += member(",\n  ", "streams", std::to_string(advisor.streams().size()));
  json += member(",\n  ", "runs_per_stream", std::to_string(advisor.runs_per_stream()));
  json += member(",\n  ", "slots", std::to_string(stream.slots()));
  json += member(",\n  ", "series", std::to_string(stream.series()));
  if (target_) {
    json += member(",\n  ", "target_error", json_number(*arguments_.target_error));
    json += member(",\n  ", "solved_for", json_text(arguments_.solve));
    json += member(",\n  ", "reached", target_->reached ? "true" : "false");
    if (!target_->reached) json += member(",\n  ", "closest", json_number(target_->closest));
    if (!target_->too_rare_to_tell.empty())
      json += member(",\n  ", "too_rare_to_tell", json_text(target_->too_rare_to_tell));
  }
  if (advice != nullptr) {
    json += member(",\n  ", "epsilon", json_number(advice->requirement.epsilon));
    json += member(",\n  ", "delta", json_number(arguments_.delta));
    json += member(",\n  ", "w", std::to_string(advice->requirement.window_slots));
    const Prediction* best = advice->looking_helps() ? advice->best_strategy() : nullptr;
    json += member(",\n  ", "looking_helps", best != nullptr ? "true" : "false");
    json += member(",\n  ", "recommended", json_text(best != nullptr ? best->label : advice->best_yardstick().label));
    json +=
        member(",\n  ", "publish_options", best != nullptr ? json_text(publish_options(*best, requirement_)) : "null");
    json += member(",\n  ", "candidates", "[\n");
    const double yardstick = advice->best_yardstick().error;
    int rank = 0;
    for (const Prediction& each : advice->ranked) {
      ++rank;
      json += (rank == 1 ? "" : ",\n") + json_of(each, rank, yardstick);
    }
    json += "\n  ]";
  }
  std::printf("%s\n}\n", json.c_str());
}

Outcome AdviseRun::run() {
  FUGU_TRY(check());
  FUGU_ASSIGN(metric_, find_advice_metric(arguments_.metric));
  FUGU_ASSIGN(const AdviceOptions options, advice_options());
  FUGU_ASSIGN(const Advisor advisor, Advisor::make(options));
  FUGU_TRY(find_requirement(advisor));
  const PreparedStream& stream = advisor.streams().front();
  warn_if_rounded(stream.unit_step(), short_number(*arguments_.sensitivity), stream.sensitivity_steps(),
                  "--sensitivity");
  if (target_ && !target_->reached) {
    if (arguments_.json) {
      print_json(advisor, nullptr);
    } else {
      print_wrapped(about_stream(advisor));
      print_wrapped(about_target(advisor));
    }
    return kAnswerIsNo;
  }
  FUGU_ASSIGN(const Advice advice, advisor.rank(requirement_));
  if (arguments_.json) {
    print_json(advisor, &advice);
  } else {
    print_text(advisor, advice);
  }
  return kDone;
}

}  // namespace

void add_advise(CLI::App& app, Outcome& outcome) {
  auto arguments = std::make_shared<AdviseArguments>();
  CLI::App* command = app.add_subcommand("advise", "Choose a mechanism from public facts or a public sample");
  command->footer(kExamples);
  const std::string stream = "What is public of the stream";
  command
      ->add_option("--sample", arguments->sample, "A PUBLIC stream like the one to be protected: CSV, each row a slot")
      ->group(stream);
  command->add_option("--amplitude", arguments->amplitude, "Largest minus smallest value, about, in the stream's unit")
      ->group(stream);
  command->add_option("--period", arguments->period, "After how many slots it repeats itself; a day, for example")
      ->group(stream);
  command->add_option("--level", arguments->level, "Smallest value; 0 without it")->group(stream);
  command->add_option("--length", arguments->length, "Slots to be published; 1000 without it")->group(stream);
  command->add_option("--sparsity", arguments->sparsity, "Share of slots at the level; 0 without it")->group(stream);
  command
      ->add_option("--growth", arguments->growth,
                   "Factor per slot towards a peak: 1.5 makes sharp peaks, as in fugu simulate; without it a period "
                   "rises tenfold from foot to peak")
      ->group(stream);
  command->add_option("--series", arguments->series, "Number of series; 1 without it. With --sample: what it must have")
      ->group(stream);
  command->add_option("--unit-step", arguments->unit_step, "Grid of the values")->capture_default_str()->group(stream);
  const std::string promise = "Promise";
  command->add_option("--epsilon", arguments->epsilon, "How well: 0.1 is strong, 1 usual, 10 weak. There is no default")
      ->group(promise);
  command->add_option("--w", arguments->w, "Length of the protected window in slots")->group(promise);
  command->add_option("--delta", arguments->delta, "0 for a pure promise")->capture_default_str()->group(promise);
  command->add_option("--sensitivity", arguments->sensitivity, "By how much one meter can change a series in one slot")
      ->group(promise);
  command
      ->add_option("--budgets", arguments->budgets, "Several series: shared when a meter may count into more than one")
      ->check(CLI::IsMember({"shared", "own"}))
      ->capture_default_str()
      ->group(promise);
  const std::string question = "Question";
  command->add_option("--metric", arguments->metric, "The error that counts")->capture_default_str()->group(question);
  command->add_option("--gamma", arguments->gamma, "Sanity bound of mre, in the stream's unit")
      ->capture_default_str()
      ->group(question);
  command->add_option("--target-error", arguments->target_error, "An error that is good enough")->group(question);
  command->add_option("--solve", arguments->solve, "epsilon: the smallest that reaches the target; w: the largest")
      ->check(CLI::IsMember({"epsilon", "w"}))
      ->group(question);
  command->add_option("--seed", arguments->seed, "Of streams and runs")->capture_default_str()->group(question);
  command->add_flag("--json", arguments->json, "For programs")->group(question);
  command->callback([arguments, &outcome] { outcome = AdviseRun(*arguments).run(); });
}

}  // namespace fugu::cli
