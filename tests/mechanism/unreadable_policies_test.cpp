// A feed that cannot read all that was stated: noise may go on, true values may not.
#include <gtest/gtest.h>

#include "fugu/mechanism/publisher.hpp"
#include "fugu/strategy/registry.hpp"
#include "support/builders.hpp"

namespace fugu::test {
namespace {

/// States nothing; in one slot something cannot be read.
class UnreadableFeed final : public PolicyFeed {
 public:
  explicit UnreadableFeed(Slot at) : at_(at) {}
  Result<const PolicyEvent*> next(Slot slot, const PolicyBook&) override {
    if (slot != at_) return nullptr;
    at_ = -1;  // said once
    return Error{Cause::bad_input, "p.csv:7: found nonsense; expected a policy"};
  }

 private:
  Slot at_;
};

class Told final : public PolicyListener {
 public:
  void accepted(const PolicyEvent&) override {}
  void refused(const PolicyEvent&, const Error&) override {}
  void unreadable(const Error& why) override { messages.push_back(why.message); }
  std::vector<std::string> messages;
};

class CountingSink final : public ReleaseSink {
 public:
  void prepare(const Release&) override { ++prepared; }
  Result<void> emit() override { return {}; }
  int prepared = 0;
};

/// Publishes ten slots, of which something cannot be read before slot 3. Returns the first error, and goes on trying.
std::string publish(bool exact, PolicyListener* listener, CountingSink& sink) {
  const Definition definition = exact ? define_swellfish_idle() : define_swellfish(define(Protects::event, 1));
  Publisher publisher({definition,
                       expose_one(10),
                       NoiseKind::laplace,
                       *make_strategy("uniform", {.policies = true}),
                       std::make_unique<UnreadableFeed>(3),
                       {},
                       {},
                       listener},
                      std::make_unique<SecureNoise>(), sink);
  std::string first_error;
  for (Slot slot = 0; slot < 10; ++slot) {
    const auto done = publisher.publish(row_of(slot, {5}));
    if (!done && first_error.empty()) first_error = done.error().message;
  }
  return first_error;
}

TEST(UnreadablePolicies, StopTrueValuesForGoodWhoeverListens) {
  Told told;
  CountingSink sink;
  const std::string error = publish(true, &told, sink);
  EXPECT_NE(error.find("p.csv:7: found nonsense"), std::string::npos) << error;
  EXPECT_NE(error.find("no true value is released"), std::string::npos) << error;
  EXPECT_EQ(sink.prepared, 3);
  EXPECT_TRUE(told.messages.empty());
}

TEST(UnreadablePolicies, AreToldAndTheFloorGoesOn) {
  Told told;
  CountingSink sink;
  EXPECT_EQ(publish(false, &told, sink), "");
  EXPECT_EQ(sink.prepared, 10);
  ASSERT_EQ(told.messages.size(), 1u);
  EXPECT_NE(told.messages[0].find("p.csv:7:"), std::string::npos);
}

TEST(UnreadablePolicies, StopEverythingWhereNobodyListens) {
  CountingSink sink;
  EXPECT_NE(publish(false, nullptr, sink).find("p.csv:7:"), std::string::npos);
  EXPECT_EQ(sink.prepared, 3);
}

}  // namespace
}  // namespace fugu::test
