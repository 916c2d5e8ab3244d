// fugu plan: the noise policies or a discounted promise lead to, before anything is released.
#include <cstdio>

#include "fugu/comparison/conference_planners.hpp"
#include "output_stream.hpp"
#include "plan_discounted.hpp"
#include "plan_run.hpp"
#include "table.hpp"

namespace fugu::cli {

namespace {

constexpr const char* kExamples = R"(
Shows, from the policies alone, how much noise each strategy would add and when, whether that keeps every policy's
promise (computed exactly), which policies hold the noise up, what everybody would gain if one of them were shorter,
smaller, later or less strict, and what an observer could still learn. No stream is read, nothing is released.

Scales and errors are in the unit of the magnitudes. The expected error is that of the noise; where a strategy repeats
an earlier release, what the stream moved since comes on top. In the first table it is a mean over the slots in which a
policy is relevant; what everybody would gain is a change of the total over all slots.

A stream of one series is planned. Say so when yours has more: the series that a meter may count into share its budget,
so five series with shared budgets get five times the noise. Names are needed only where policies use them.

strategies: those of fugu describe that need no data. unicorn, narwhal-adaptive, tes-bd, tes-ba (and -idle) look at the stream
before they decide what to spend: for them there is no plan.

With --definition discounted-exp or discounted-hyp instead of policies: scale and expected error of every slot, what it
loses and what it leaves, for equal, planned and published, as publish will do it with the same options. No data is
needed. Sensitivities may vary over time (--sensitivity-schedule); they are public.

Examples
  fugu simulate policies --meters 3 --days 7 --epsilon 1 --out policies.csv
  fugu plan --policies policies.csv --unit-step 0.001 --unit kW
  fugu plan --policies policies.csv --unit-step 0.001 --floor event:1 --sensitivity 10 --strategies narwhal,uniform
  fugu plan --policies policies.csv --unit-step 0.001 --series north,south,city --budgets shared
  fugu plan --policies policies.csv --unit-step 0.001 --series-map homes.csv --sensitivity 10 --floor event:1
  fugu plan --policies policies.csv --unit-step 0.001 --target-error 0.5      the ε with which the error is 0.5
  fugu plan --policies policies.csv --unit-step 0.001 --notice 4              known an hour before they begin
  fugu plan --policies policies.csv --unit-step 0.001 --meter h0 --plot plan.svg --html plan.html --out plan.csv
  fugu plan --definition discounted-hyp --beta 1 --epsilon 1 --sensitivity 50 --slots 365 --html plan.html
  fugu plan --definition discounted-exp --alpha 0.99 --epsilon 1 --sensitivity-schedule day.csv --start 2026-01-01T00:00Z \
            --slots 672 --strategies equal,planned --out plan.csv        day.csv: time,sensitivity / 00:00,2 / 06:00,10
)";

const std::vector<std::string> kStrategies = {"narwhal", "unicorn-ps",          "unicorn-is",  "tes-uniform",
                                              "uniform", "conference-repaired", "conference-9"};
const std::vector<std::string> kStrategiesWithDelta = {"narwhal", "unicorn-ps", "unicorn-is", "tes-uniform", "uniform"};

constexpr const char* kLooseningCosts =
    "That a looser wish makes the error larger is possible: where everything is known in advance, narwhal never adds "
    "more noise to a slot than unicorn-ps, and what that rule does changes with the wish.";

/// Options that belong to one kind of plan only.
const std::string kAboutPolicies = "Policies";
const std::string kAboutDiscounted = "Discounted promise";

/// What was given for the other kind of plan would go unnoticed.
Result<void> check_options(const CLI::App& command, bool discounted) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_group() != (discounted ? kAboutPolicies : kAboutDiscounted)) continue;
    return Error{Cause::usage,
                 option->get_name() + (discounted ? " is about policies: leave it out, or leave out --definition"
                                                  : " belongs to --definition discounted-exp or discounted-hyp")};
  }
  return {};
}

}  // namespace

Result<PlannedNoise> PlanRun::plan(const std::string& name, double epsilon_factor, Known known) const {
  PlanRules rules = *outlook_.rules;
  const bool by_notice = known == Known::as_stated && arguments_.notice;
  if (by_notice) rules.outlook.notice_slots = static_cast<std::uint64_t>(*arguments_.notice);
  FUGU_ASSIGN(const ComparedOutlook strategy, make_compared_outlook(name, rules.planner));
  PlannedNoise all{.name = std::string(strategy.name), .comparison_only = strategy.comparison_only};
  const std::size_t first = outlook_.index(outlook_.shown.first);
  const auto count = static_cast<std::size_t>(outlook_.shown.slots());
  for (const PlanPart& part : outlook_.parts) {
    PolicyBook stated = part.stated;
    PolicyBook book = part.book;
    std::vector<Announcement> late;
    if (known == Known::as_stated && !by_notice) late = part.late;
    if (epsilon_factor != 1) {
      stated = with_scaled_epsilons(stated, epsilon_factor);
      book = with_scaled_epsilons(book, epsilon_factor);
      for (Announcement& news : late) news.policy = with_scaled_epsilon(std::move(news.policy), epsilon_factor);
    }
    FUGU_ASSIGN(PlannedPart planned,
                plan_part(name, stated, book, announcements_with(book, late, rules.outlook), rules));
    planned.scales = shown_scales(planned.rates, noise());
    planned.summary = summarize_scales(std::span(planned.rates).subspan(first, count),
                                       std::span(planned.scales).subspan(first, count),
                                       std::span(part.relevant).subspan(first, count), noise());
    all.parts.push_back(std::move(planned));
  }
  return all;
}

Result<void> PlanRun::write_csv() const {
  FUGU_ASSIGN(OutputStream out, OutputStream::open(arguments_.out));
  const bool named = map_ || !arguments_.series.empty();
  std::fprintf(out.get(), "%s,strategy,scale,expected_error,relevant%s\n",
               outlook_.clock.clock.has_time() ? "time" : "slot", named ? ",series" : "");
  for (Slot slot = outlook_.shown.first; slot <= outlook_.shown.last; ++slot) {
    const std::size_t i = outlook_.index(slot);
    const std::string time = outlook_.time_text(slot);
    for (const PlannedNoise& strategy : outlook_.strategies) {
      for (std::size_t p = 0; p < outlook_.parts.size(); ++p) {
        const PlanPart& part = outlook_.parts[p];
        for (const SeriesGroup& group : part.groups) {
          const double scale = outlook_.in_units(strategy.parts[p].scales[i] * group.factor(noise()));
          for (const SeriesId series : group.series)
            std::fprintf(out.get(), "%s,%s,%.9g,%.9g,%d%s%s\n", time.c_str(), strategy.name.c_str(), scale,
                         expected_error(scale, noise()), part.relevant[i] != 0 ? 1 : 0, named ? "," : "",
                         named ? outlook_.series[series].c_str() : "");
        }
      }
    }
  }
  return out.finish();
}

Result<void> PlanRun::write_pictures(const Gains& gained, const std::optional<Target>& target) const {
  if (arguments_.plot.empty() && arguments_.html.empty()) return {};
  const std::vector<BindingInPart> explained = policies_to_explain();
  if (explained.empty()) {
    note(why_nothing_is_explained() + " No picture was drawn.");
    return {};
  }
  const BindingInPart& drawn = explained.front();
  const report::ChartStack timeline =
      draw_timeline(outlook_, drawn.part, drawn.meter, has_span_ ? std::optional(outlook_.shown) : std::nullopt);
  if (!arguments_.plot.empty()) FUGU_TRY(write_file(arguments_.plot, timeline.standalone_svg()));
  if (arguments_.html.empty()) return {};
  report::Page page({.title = "Plan", .subtitle = "The noise these policies lead to, before anything is released"});
  report::Table known{.columns = {{"about"}, {"what is planned"}}};
  for (const auto& [about, text] : facts()) known.rows.push_back({{about}, {text}});
  page.table(known);
  page.table(strategies_table());
  for (const std::string& remark : remarks()) page.paragraph(remark);
  page.figure(timeline, "Above: what the meter hides. Below: the noise of every release" +
                            std::string(outlook_.series.size() > 1 ? " of one series" : "") +
                            ", for all meters together.");
  page.section("Who binds").table(binding_table());
  page.section("What everybody would gain").table(gained.table);
  if (gained.loosening_costs) page.paragraph(kLooseningCosts);
  page.section("What the policies are like").table(facts_table());
  page.paragraph(facts_words());
  page.section("What an observer could still learn");
  for (const std::string& words : plain_words()) page.paragraph(words);
  if (target) {
    page.section("The error that is wanted");
    for (const std::string& words : target->words)
      page.note(words, target->reached ? report::Tone::good : report::Tone::bad);
  }
  return write_file(arguments_.html, page.html());
}

Outcome PlanRun::run() {
  FUGU_TRY(check());
  FUGU_TRY(read());
  const bool pure = delta() == 0;
  for (const std::string& name : !arguments_.strategies.empty() ? arguments_.strategies
                                 : pure                         ? kStrategies
                                                                : kStrategiesWithDelta) {
    FUGU_ASSIGN(PlannedNoise planned, plan(name, 1, Known::as_stated));
    outlook_.strategies.push_back(std::move(planned));
  }
  FUGU_TRY(weigh_parts());
  find_binding();

  // What can be piped on has standard output for itself.
  std::FILE* const to = files_on_standard_output() > 0 ? stderr : stdout;
  const auto print_heading = [to](const std::string& heading) { std::fprintf(to, "\n%s\n", heading.c_str()); };
  for (const auto& [about, text] : facts()) std::fprintf(to, "%-11s %s\n", about.c_str(), text.c_str());
  print_heading(noise_caption());
  print_table(strategies_table(), "  ", to);
  for (const std::string& remark : remarks()) print_wrapped(remark, "  ", to);
  const Gains gained = gains();
  if (gained.table.rows.empty()) {
    print_heading(why_nothing_is_explained());
  } else {
    const report::Table binding = binding_table();
    print_heading(binding.caption);
    print_table(binding, "  ", to);
    print_heading(gained.table.caption);
    print_table(gained.table, "  ", to);
  }
  if (gained.loosening_costs) print_wrapped(kLooseningCosts, "  ", to);
  if (const report::Table like = facts_table(); !like.rows.empty()) {
    print_heading(like.caption);
    print_table(like, "  ", to);
    print_wrapped(facts_words(), "  ", to);
  }
  print_heading("What an observer could still learn");
  for (const std::string& words : plain_words()) print_wrapped(words, "  ", to);
  std::optional<Target> target;
  if (arguments_.target_error) {
    FUGU_ASSIGN(target, solve_target());
    print_heading("The error that is wanted");
    for (const std::string& words : target->words) print_wrapped(words, "  ", to);
  }
  if (!arguments_.out.empty()) FUGU_TRY(write_csv());
  FUGU_TRY(write_pictures(gained, target));
  return target && !target->reached ? kAnswerIsNo : kDone;
}

void add_plan(CLI::App& app, Outcome& outcome) {
  auto arguments = std::make_shared<PlanArguments>();
  CLI::App* command = app.add_subcommand(
      "plan", "Show the noise that policies or a discounted promise lead to, before anything is released");
  command->footer(kExamples);
  DefinitionOptions& definition = arguments->definition;
  definition.policies.add_to(*command);
  definition.add_discounted_to(*command, kAboutDiscounted);
  command->add_option("--every", arguments->every, "equal: release every K-th slot")->group(kAboutDiscounted);
  command->add_option("--least", arguments->least, "planned: least mean or least largest expected error")
      ->check(CLI::IsMember({"mean", "largest"}))
      ->capture_default_str()
      ->group(kAboutDiscounted);
  const std::string stream = "Stream";
  command
      ->add_option("--series", arguments->series,
                   "Names of the stream's series, separated by commas, or how many they are; one when left out")
      ->delimiter(',')
      ->group(stream);
  definition.add_budgets_to(*command, stream);
  command
      ->add_option("--series-map", arguments->series_map,
                   "CSV meter,series: what each meter counts into, as for readings")
      ->group(stream);
  command
      ->add_option("--households", arguments->households,
                   "CSV meter,household: policies of all meters of a household are kept together")
      ->needs("--series-map")
      ->group(stream);
  command->add_option("--unit-step", arguments->unit_step, "The stream's grid: magnitudes are rounded up to it")
      ->capture_default_str()
      ->group(stream);
  command->add_option("--unit", arguments->unit, "Unit of the values, for tables and axes")->group(stream);
  command
      ->add_option("--sensitivity", definition.sensitivity,
                   "By how much one meter can change a series in a slot (readings: the width of the clamp), as for "
                   "publish; the most its policies say when left out")
      ->group(stream);
  command->add_option("--delta", definition.delta, "0 for pure promises")->capture_default_str()->group(kAboutPolicies);
  command
      ->add_option("--slots", arguments->slots,
                   "Length of the stream; when left out until the last policy ends, or discounted: --horizon, or 365")
      ->group(stream);
  command->add_option("--start", arguments->start, "Time of slot 0, when the policies have times")->group(stream);
  command->add_option("--slot-length", arguments->slot_length, "With --start: how long a slot is")
      ->capture_default_str()
      ->group(stream);
  const std::string question = "Question";
  command
      ->add_option("--strategies", arguments->strategies,
                   "What to compare, separated by commas; a good selection when left out")
      ->delimiter(',')
      ->group(question);
  command
      ->add_option("--notice", arguments->notice,
                   "Policies become known this many slots before they begin; when left out, as their column `known` "
                   "says, or in advance")
      ->group(kAboutPolicies);
  command->add_option("--from", arguments->from, "First slot, or its time, of tables, files and pictures")
      ->group(question);
  command->add_option("--until", arguments->until, "Last slot, or its time")->group(question);
  command->add_option("--meter", arguments->meter, "Explain and draw the policies of this meter")
      ->group(kAboutPolicies);
  command->add_option("--top", arguments->top, "How many policies to explain, and groups of series to show")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000))
      ->group(kAboutPolicies);
  command
      ->add_option("--target-error", arguments->target_error,
                   "Find the factor on all ε with which the first strategy's expected error is this")
      ->group(kAboutPolicies);
  const std::string output = "Output";
  command
      ->add_option(
          "--out", arguments->out,
          "CSV slot,strategy,scale,expected_error,relevant (with --start: time instead of slot; with series: their "
          "names last), or discounted slot,strategy,series,sensitivity,scale,expected_error,standard_deviation,loss,"
          "left,sampled. - is standard output; tables then go to standard error")
      ->group(output);
  command
      ->add_option("--plot", arguments->plot,
                   "SVG: policies of a meter above, scale over time below; discounted: scale, and what counts")
      ->group(output);
  command->add_option("--html", arguments->html, "All of it on one page")->group(output);
  command->callback([arguments, command, &outcome]() -> void {
    const bool discounted = !arguments->definition.definition.empty();
    const auto checked = check_options(*command, discounted);
    outcome = !checked     ? Outcome(checked.error())
              : discounted ? DiscountedPlanRun(*arguments).run()
                           : PlanRun(*arguments).run();
  });
}

}  // namespace fugu::cli
