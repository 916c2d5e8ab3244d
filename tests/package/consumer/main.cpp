// A program of somebody else: it sees installed headers and libraries, nothing of this repository. Publishes a day of
// two feeders with 30 lines.
#include <cstdio>
#include <fugu/mechanism/publisher.hpp>
#include <fugu/strategy/registry.hpp>
#include <memory>

namespace {

constexpr fugu::Slot kSlots = 96;

/// Keeps count of what goes out.
class Printer final : public fugu::ReleaseSink {
 public:
  void prepare(const fugu::Release& release) override {
    for (const fugu::ReleasedValue& released : release.values()) known_ += released.known ? 1 : 0;
  }
  fugu::Result<void> emit() override { return {}; }
  int known() const { return known_; }

 private:
  int known_ = 0;
};

fugu::Result<int> publish() {
  FUGU_ASSIGN(const fugu::Epsilon epsilon, fugu::Epsilon::make(1));
  FUGU_ASSIGN(
      const fugu::Definition promise,
      fugu::Definition::make({.protects = fugu::Protects::w_event, .epsilon = epsilon, .window_slots = kSlots}));
  FUGU_ASSIGN(const fugu::Exposure exposure,
              fugu::Exposure::make({.sensitivity_steps = {10, 10}, .signatures = fugu::Exposure::all_disjoint(2)}));
  FUGU_ASSIGN(auto strategy, fugu::make_strategy("bd", {.window_slots = kSlots}));
  Printer printer;
  fugu::Publisher publisher({promise, exposure, fugu::NoiseKind::laplace, std::move(strategy)},
                            std::make_unique<fugu::SecureNoise>(), printer);
  fugu::SlotRow row;
  for (row.slot = 0; row.slot < kSlots; ++row.slot) {
    row.values = {fugu::Raw(500 + row.slot), fugu::Raw(700 - row.slot)};
    FUGU_TRY(publisher.publish(row));
  }
  FUGU_TRY(publisher.finish());
  return printer.known();
}

}  // namespace

int main() {
  const auto published = publish();
  if (!published) std::fprintf(stderr, "%s\n", published.error().message.c_str());
  return published && *published == 2 * kSlots ? 0 : 1;
}
