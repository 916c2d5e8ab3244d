#include "fugu/stream/agenda.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace fugu {
namespace {

RC_GTEST_PROP(Agenda, RunsEverythingOnceInItsSlot, ()) {
  Agenda<int> agenda;
  std::multimap<Slot, int> expected;
  Slot now = -1;  // the slot that was run last
  int next_item = 0;
  const auto schedule = [&](Slot slot) {
    agenda.schedule(slot, next_item);
    expected.emplace(slot, next_item++);
  };
  const auto steps = *rc::gen::inRange(1, 200);
  for (int step = 0; step < steps; ++step) {
    const int scheduled = *rc::gen::inRange(0, 3);
    for (int i = 0; i < scheduled; ++i) schedule(now + *rc::gen::element<Slot>(1, 2, 7, 254, 255, 256, 257, 600, 5000));
    const Slot slot = now + *rc::gen::element<Slot>(1, 1, 1, 1, 1, 3, 255, 256, 300);
    const int again = *rc::gen::inRange(0, 2);  // scheduled while others run
    Slot latest = now;
    agenda.run_until(slot, [&](const std::vector<int>& items) {
      Slot of = -1;
      for (const int item : items) {
        const auto found =
            std::find_if(expected.begin(), expected.end(), [&](const auto& e) { return e.second == item; });
        RC_ASSERT(found != expected.end());
        RC_ASSERT(of == -1 || of == found->first);  // those of one slot together
        of = found->first;
        expected.erase(found);
      }
      RC_ASSERT(of > latest && of <= slot);
      latest = of;
      for (int i = 0; i < again; ++i) schedule(slot + *rc::gen::element<Slot>(1, 100, 255, 256, 1000));
    });
    RC_ASSERT(expected.empty() || expected.begin()->first > slot);
    now = slot;
  }
}

}  // namespace
}  // namespace fugu
