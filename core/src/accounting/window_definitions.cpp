// Definitions that promise something about windows of slots: event, user, w-event.
#include "audit_windows.hpp"
#include "fugu/accounting/definition_kind.hpp"
#include "user_accountant.hpp"
#include "window_accountant.hpp"

namespace fugu {

namespace {

constexpr std::uint64_t kLargestHorizonSlots = std::uint64_t{1} << 40;

Result<void> check_event(Definition::Options& options) {
  if (options.window_slots && *options.window_slots != 1)
    return Error{Cause::usage, "event level protects single slots: w must be absent (or 1)"};
  options.window_slots = 1;
  return {};
}

Result<void> check_user(Definition::Options& options) {
  if (!options.window_slots)
    return Error{Cause::usage, "user level needs a horizon: the largest number of slots that will ever be released"};
  if (*options.window_slots < 1 || *options.window_slots > kLargestHorizonSlots)
    return Error{Cause::usage, "the horizon must be a whole number of slots from 1 to 2^40"};
  return {};
}

Result<void> check_w_event(Definition::Options& options) {
  if (!options.window_slots) return Error{Cause::usage, "w-event needs w, the length of the window in slots"};
  if (*options.window_slots < 1 || *options.window_slots > kLargestWindowSlots)
    return Error{Cause::usage, "w must be a whole number of slots from 1 to " + std::to_string(kLargestWindowSlots)};
  return {};
}

std::unique_ptr<Accountant> make_window_accountant(const Definition& definition, const Exposure& exposure,
                                                   Reach reach) {
  return std::make_unique<WindowAccountant>(definition, exposure, reach);
}

std::unique_ptr<Accountant> make_user_accountant(const Definition& definition, const Exposure& exposure, Reach) {
  return std::make_unique<UserAccountant>(definition, exposure);
}

std::unique_ptr<audit::PromiseAudit> make_window_audit(const Definition& definition, const Exposure& exposure,
                                                       std::size_t slots) {
  return std::make_unique<audit::WindowAudit>(definition, exposure, slots);
}

}  // namespace

extern constinit const DefinitionKind kEvent{
    .name = "event",
    .summary = "protects what a meter did in any single slot",
    .promise =
        "transcripts of two streams that differ by one meter in one slot are (ε, δ)-indistinguishable; over n slots a "
        "meter may lose n·ε",
    .page = "docs/guarantees/w-event.md",
    .example = "--definition event --epsilon 0.1 --sensitivity 10",
    .forgets = true,
    .check = check_event,
    .accountant = make_window_accountant,
    .audit = make_window_audit,
};

extern constinit const DefinitionKind kUser{
    .name = "user",
    .summary = "protects everything a meter did over a horizon of N slots",
    .promise =
        "transcripts of two streams that differ by one meter in all slots are (ε, δ)-indistinguishable, as long as at "
        "most N slots are released",
    .page = "docs/guarantees/w-event.md",
    .example = "--definition user --epsilon 1 --horizon 35040 --sensitivity 10",
    .parameter = {.name = "horizon",
                  .symbol = "horizon",
                  .help = "the largest number of slots that will ever be released",
                  .missing = "the largest number of slots ever released"},
    .has_horizon = true,
    .check = check_user,
    .accountant = make_user_accountant,
    .audit = make_window_audit,
};

extern constinit const DefinitionKind kWEvent{
    .name = "w-event",
    .summary = "protects whatever a meter did within any w consecutive slots",
    .promise =
        "transcripts of two streams that differ by one meter within w consecutive slots are (ε, δ)-indistinguishable; "
        "habits that last longer than w slots are not covered",
    .page = "docs/guarantees/w-event.md",
    .example = "--definition w-event --epsilon 1 --w 96 --sensitivity 10",
    .parameter = {.name = "w",
                  .symbol = "w",
                  .help = "length of the protected window in slots",
                  .missing = "the length of the protected window in slots"},
    .forgets = true,
    .check = check_w_event,
    .accountant = make_window_accountant,
    .audit = make_window_audit,
};

}  // namespace fugu
