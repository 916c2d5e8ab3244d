// What the tests of policies share: short ways to make policies, and random ones.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "fugu/policy/policy_reader.hpp"

namespace fugu::test {

inline Policy policy(Slot first, Slot last, std::uint64_t length = 1, std::uint64_t magnitude = 1, double epsilon = 1) {
  return {{first, last}, length, magnitude, Budget::round_down(epsilon)};
}

inline std::ostream& print(std::ostream& out, const Policy& p) {
  return out << '[' << p.interval.first << ", " << p.interval.last << "] length " << p.length_slots << " magnitude "
             << p.magnitude_steps << " epsilon " << p.epsilon.to_double() << (p.shape ? " with a shape" : "");
}

/// Few different values, so that policies coincide.
inline rc::Gen<Policy> any_policy(Slot slots) {
  return rc::gen::map(rc::gen::tuple(rc::gen::inRange<Slot>(0, slots), rc::gen::inRange<Slot>(0, slots),
                                     rc::gen::inRange<std::uint64_t>(1, 4), rc::gen::inRange<std::uint64_t>(1, 4),
                                     rc::gen::element(0.5, 1.0, 2.0)),
                      [](const std::tuple<Slot, Slot, std::uint64_t, std::uint64_t, double>& drawn) {
                        const auto [a, b, length, magnitude, epsilon] = drawn;
                        Policy made = policy(std::min(a, b), std::max(a, b), length, magnitude, epsilon);
                        made.length_slots = std::min(made.length_slots, made.interval.slots());
                        return made;
                      });
}

inline Input text_input(std::string text, std::string name = "p.csv") {
  return Input::from_memory(std::move(name), std::move(text));
}

inline const std::string kHeader = "meter,start,end,length,magnitude,epsilon\n";

}  // namespace fugu::test

namespace fugu {
inline void PrintTo(const Policy& policy, std::ostream* out) { test::print(*out, policy); }
inline void showValue(const Policy& policy, std::ostream& out) { test::print(out, policy); }
}  // namespace fugu
