// What fugu audit says about policies, on ledgers written by hand.
#include <gtest/gtest.h>

#include <string>

#include "support/builders.hpp"
#include "support/ledger_tools.hpp"
#include "support/process.hpp"
#include "support/released.hpp"

namespace fugu::test {
namespace {

/// Three policies, the long one over the two short ones; every slot is released with that scale.
void write_three_secrets(const std::string& path, const Definition& definition, std::uint64_t scale) {
  std::vector<LedgerRecord> records;
  for (const Interval interval : {Interval{1, 4}, Interval{1, 2}, Interval{3, 4}}) {
    Policy policy;
    policy.interval = interval;
    policy.magnitude_steps = 1;
    policy.epsilon = Budget::round_down(1);
    records.emplace_back(PolicyStated{0, "m7", {}, policy});
  }
  for (Slot slot = 0; slot < 5; ++slot) {
    Answer answer;
    answer.slot = answer.first_slot = slot;
    answer.series = {0};
    answer.parameter = {{scale, 1}};
    answer.values = {5};
    records.emplace_back(answer);
    records.emplace_back(SlotEnd{slot, 0, 1 / static_cast<double>(scale)});
  }
  records.emplace_back(StreamEnd{});
  write_ledger(path, header_of(definition, expose_one(1)), {records});
}

TEST(AuditPolicies, NamesTheWorstPolicyAndWhatHasToHappen) {
  const TempDir dir;
  write_three_secrets(dir / "run.ledger", define_swellfish_idle(), 2);
  const Finished audit = run_fugu(dir, "audit --ledger run.ledger");
  EXPECT_EQ(audit.exit_code, 1) << audit;
  for (const char* words : {"the worst may have lost ε = 1.5 of 1 promised", "meter m7", "somewhere in slots 1 to 4",
                            "from slot 3 on", "verdict     FAILS"})
    EXPECT_NE(audit.out.find(words), std::string::npos) << words << "\n" << audit;
  EXPECT_EQ(audit.out.find("worst loss"), std::string::npos) << "nothing is promised about windows";
}

TEST(AuditPolicies, SaysBothVerdictsWhenThereIsAFloor) {
  const TempDir dir;
  write_three_secrets(dir / "run.ledger", define_swellfish(define(Protects::event, 0.5)), 4);
  const AuditVerdict verdict = expect_audit_holds(dir, "--ledger run.ledger");
  EXPECT_EQ(verdict.worst_loss, 0.25);
  EXPECT_EQ(verdict.promised, 0.5);
  const Finished audit = run_fugu(dir, "audit --ledger run.ledger");
  EXPECT_NE(audit.out.find("the worst may have lost ε = 0.75 of 1 promised"), std::string::npos) << audit;

  write_three_secrets(dir / "low.ledger", define_swellfish(define(Protects::event, 0.2)), 4);
  EXPECT_EQ(run_fugu(dir, "audit --ledger low.ledger").exit_code, 1);
}

}  // namespace
}  // namespace fugu::test
