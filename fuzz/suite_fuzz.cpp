// Any bytes as a suite: no crash, and what is accepted spans a grid that makes sense.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fugu/base/check.hpp"
#include "fugu/study/suite.hpp"

using namespace fugu;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto suite = parse_suite("suite.toml", {reinterpret_cast<const char*>(data), size});
  if (!suite) {
    FUGU_CHECK(suite.error().message.starts_with("suite.toml"));
    return 0;
  }
  FUGU_CHECK(!suite->mechanisms.empty() && !suite->streams.empty() && !suite->requirements.empty());
  FUGU_CHECK(suite->runs >= 1);
  for (const SuiteRequirement& requirement : suite->requirements) {
    FUGU_CHECK(requirement.epsilon > 0);
    FUGU_CHECK(requirement.policies.has_value() != requirement.window_slots.has_value());
  }
  for (const SuiteStream& stream : suite->streams) FUGU_CHECK(!stream.name.empty() || stream.place.line > 0);
  return 0;
}
