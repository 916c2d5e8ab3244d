// Any bytes as policies, CSV or JSON Lines, plain or gzip: no crash, what is accepted keeps the promises of Policy,
// small blocks say the same as large ones, and a book holds what its rows say.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fugu/base/check.hpp"
#include "fugu/policy/policy_reader.hpp"

using namespace fugu;

namespace {

PolicyOptions options_with(std::size_t block_size) {
  PolicyOptions options;
  options.unit_step = *UnitStep::parse("0.1");
  options.clock = Clock(1774738800, 900);
  options.utc_offset_s = 3600;
  options.series = {"park", "bar", "home"};
  options.block_size = block_size;
  return options;
}

void check_shape(const Policy& policy) {
  std::uint64_t length = 0;
  std::uint64_t magnitude = 0;
  FUGU_CHECK(!policy.shape->alternatives.empty());
  for (const Profile& profile : policy.shape->alternatives) {
    FUGU_CHECK(!profile.lanes.empty());
    for (const Lane& lane : profile.lanes) {
      FUGU_CHECK(!lane.series || *lane.series < 3);
      FUGU_CHECK(lane.steps.size() == profile.lanes[0].steps.size());
      length = std::max<std::uint64_t>(length, lane.steps.size());
      for (std::uint64_t steps : lane.steps) magnitude = std::max(magnitude, steps);
    }
  }
  FUGU_CHECK(policy.length_slots == length && policy.magnitude_steps == magnitude);
}

void check(const StatedPolicy& stated) {
  const Policy& policy = stated.policy;
  FUGU_CHECK(!stated.meter.empty() && stated.line > 0);
  FUGU_CHECK(0 <= stated.known && stated.known <= policy.interval.first);
  FUGU_CHECK(policy.interval.first <= policy.interval.last && policy.interval.last <= kPolicySlotMax);
  FUGU_CHECK(policy.length_slots >= 1 && policy.length_slots <= policy.interval.slots());
  FUGU_CHECK(policy.magnitude_steps >= 1 && policy.magnitude_steps <= kMagnitudeStepsMax);
  FUGU_CHECK(policy.epsilon > Budget());
  if (policy.shape) check_shape(policy);
}

struct Outcome {
  std::size_t rows = 0;
  std::size_t withdrawn = 0;
  std::string error;
};

Outcome read_all(const std::string& bytes, std::size_t block_size) {
  auto reader = PolicyReader::open(Input::from_memory("p", bytes), options_with(block_size));
  if (!reader) return {0, 0, reader.error().message};
  Outcome outcome;
  StatedPolicy stated;
  while (true) {
    const auto more = reader->next(stated);
    if (!more) outcome.error = more.error().message;
    if (!more || !*more) return outcome;
    check(stated);
    ++outcome.rows;
    outcome.withdrawn += stated.withdrawn;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const Outcome large = read_all(bytes, BlockReader::kBlockSize);
  const Outcome small = read_all(bytes, 7);
  FUGU_CHECK(large.rows == small.rows && large.error == small.error);

  const auto book = read_policy_book(Input::from_memory("p", bytes), options_with(BlockReader::kBlockSize));
  FUGU_CHECK(large.error.empty() || !book);
  if (book) FUGU_CHECK(book->size() + 2 * large.withdrawn == large.rows);
  return 0;
}
