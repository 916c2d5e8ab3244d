// A collector's memory on disk: what was counted and billed, and under which agreement with the meters.
//
//     FUGU_ASSIGN(StateLock lock, StateLock::take("collector.state"));
//     FUGU_ASSIGN(auto book, DurableBook::open(std::move(lock), agreement_text(scheme, parts, format)));
//     book.take(meter, report);  …                                   // all reports, those of before as well
//     FUGU_ASSIGN(const auto bills, book.bill(window, false));       // durable, and only then handed out
//
// Guarantee: a bill is handed out only after a memory is durable that has it, and then it never changes. Killed at any
// point, the same program goes on: a period is billed once for each meter, with the sum of the reports that its meter
// sent for it, each counted once, whatever was replayed, cut off or read again. A bill that may not have reached
// anybody is handed out again, the same. One thread.
#pragma once

#include <string>
#include <vector>

#include "fugu/meter/report_book.hpp"
#include "fugu/meter/state_lock.hpp"

namespace fugu {

struct Bill {
  NameTable::Id meter;  ///< of DurableBook::meters()
  Slot from;
  PeriodAccount account;
};

class DurableBook {
 public:
  /// Goes on with the memory that `lock` is of, or begins one. A memory of another agreement is an error.
  static Result<DurableBook> open(StateLock lock, std::string agreement);

  /// `meter` by name: the collector's keys may change.
  ReportBook::Taken take(std::string_view meter, const Report& report) {
    return book_.take(meters_.intern(meter), report);
  }
  const NameTable& meters() const { return meters_; }
  const ReportBook& book() const { return book_; }

  /// What makes kWh and prices of sums.
  struct Terms {
    std::string energy = {};  ///< the unit of readings, and what makes energy of it; one line, and the same for ever
    Periods calendar = {};    ///< the tariffs
    bool incomplete = false;  ///< bill also what is not complete
  };
  /// Bills what lies in the window and is complete, or with `incomplete` everything that starts in it; saves; and gives
  /// all bills of the window, by the name of the meter and time. Periods that the window cuts are an error
  /// (Cause::usage), and so are other terms than those that a bill of before was made with.
  Result<std::vector<Bill>> bill(const ReportBook::Window& window, const Terms& terms);
  /// Makes what was taken durable.
  Result<void> save() const;

  /// The text of a memory, for save(); and back, for open() of a memory that has nothing yet.
  std::string state() const;
  Result<void> restore(Input input);

 private:
  DurableBook(StateLock lock, std::string agreement) : lock_(std::move(lock)), agreement_(std::move(agreement)) {}
  std::string body() const;

  StateLock lock_;
  std::string agreement_;
  std::string energy_;  // of Terms; empty before the first bill
  NameTable meters_;
  ReportBook book_;
};

}  // namespace fugu
