// A collector's memory: billed once, with what was sent, whatever is replayed, cut off, read again or killed.
#include "fugu/meter/durable_book.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <utility>

#include "build.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

constexpr Slot kDay = 24;
constexpr std::size_t kMeters = 4;
constexpr ReportBook::Window kAll{0, 100 * kDay};

/// What the meters send in `days` days.
std::vector<Gateway::Outgoing> reports_of(Slot days, unsigned seed = 0) {
  auto gateway = Gateway::make(with_periods(lagged_rules(), kDay), make_keys(kMeters));
  run_slots(*gateway, 0, days * kDay);
  gateway->drain();
  std::vector<Gateway::Outgoing> reports = gateway->outbox();
  if (seed != 0) std::shuffle(reports.begin(), reports.end(), std::mt19937(seed));
  return reports;
}

DurableBook open(const TempDir& directory) {
  return *DurableBook::open(*StateLock::take(directory / "collector.state"), "agreed");
}

void take(DurableBook& book, const std::vector<Gateway::Outgoing>& reports) {
  for (const auto& [meter, report] : reports) book.take(meter_name(meter), report);
}

/// Whether each meter has one bill for each day, of exactly what it measured.
void expect_right(const std::vector<Bill>& bills, const NameTable& meters, Slot days) {
  EXPECT_EQ(bills.size(), kMeters * static_cast<std::size_t>(days));
  for (const auto& [meter, from, account] : bills) {
    const auto id = static_cast<std::size_t>(meters.name(meter)[1] - '0');
    EXPECT_EQ(account.sum_steps, load_sum(id, from, from + kDay)) << meters.name(meter) << " " << from;
    EXPECT_TRUE(account.complete());
  }
}

TEST(DurableBook, BillsEachPeriodOnceWithWhatWasMeasured) {
  const TempDir directory;
  for (const unsigned seed : {1U, 2U, 3U}) {  // the same log again, in any order, changes nothing
    DurableBook book = open(directory);
    auto reports = reports_of(3, seed);
    take(book, reports);
    std::erase_if(reports, [](const auto& out) { return out.report.period != 0; });
    take(book, reports);  // the first day, replayed
    const auto bills = book.bill(kAll, {});
    ASSERT_TRUE(bills) << bills.error().message;
    expect_right(*bills, book.meters(), 3);
  }
}

// The log of each day alone, as when files are rotated: nothing of before is there, and nothing is lost or twice.
TEST(DurableBook, GoesOnFromLogToLog) {
  const TempDir directory;
  const auto all = reports_of(4);
  for (std::size_t begin = 0; begin < all.size(); begin += 37) {
    DurableBook book = open(directory);
    const std::size_t end = std::min(all.size(), begin + 50);  // some come again in the next log
    take(book, {all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end)});
    ASSERT_TRUE(book.bill(kAll, {}));
  }
  DurableBook book = open(directory);
  expect_right(*book.bill(kAll, {}), book.meters(), 4);
}

TEST(DurableBook, WhatIsMissingIsNotBilledUntilItComes) {
  const TempDir directory;
  const auto all = reports_of(2);
  for (std::size_t lost = 0; lost < all.size(); lost += 5) {
    const TempDir own;
    DurableBook book = open(own);
    auto came = all;
    came.erase(came.begin() + static_cast<std::ptrdiff_t>(lost));
    take(book, came);
    EXPECT_EQ(book.bill(kAll, {})->size(), kMeters * 2 - 1) << lost;
    book.take(meter_name(all[lost].meter), all[lost].report);
    expect_right(*book.bill(kAll, {}), book.meters(), 2);
  }
}

TEST(DurableBook, ABillDoesNotChange) {
  const TempDir directory;
  DurableBook book = open(directory);
  auto all = reports_of(1);
  const auto late = all[3];
  all.erase(all.begin() + 3);
  take(book, all);
  EXPECT_EQ(book.bill(kAll, {.incomplete = true})->size(), kMeters) << "what came is billed on demand";
  EXPECT_EQ(book.take(meter_name(late.meter), late.report), ReportBook::Taken::billed);
  const auto again = book.bill(kAll, {});
  EXPECT_EQ(again->size(), kMeters);
  EXPECT_EQ(std::ranges::count_if(*again, [](const Bill& bill) { return bill.account.missing() == 1; }), 1);
}

// Neither by another unit nor by another tariff; a calendar that grows changes nothing.
TEST(DurableBook, TheTermsOfABillAreRemembered) {
  const TempDir directory;
  const auto terms = [](const char* energy, const std::string& rows) {
    return DurableBook::Terms{energy, *Periods::read(Input::from_memory("c", "start,tariff\n" + rows), {}), false};
  };
  const auto bill = [&](const DurableBook::Terms& with) {
    DurableBook book = open(directory);
    take(book, reports_of(1));
    return book.bill(kAll, with);
  };
  EXPECT_EQ(bill(terms("kWh", "0,low\n24,\n"))->front().account.tariff, "low");
  EXPECT_EQ(bill(terms("kWh", "0,HIGH\n24,\n")).error().cause, Cause::usage);
  EXPECT_EQ(bill(terms("Wh", "0,low\n24,\n")).error().cause, Cause::usage);
  EXPECT_EQ(bill(terms("kWh", "0,low\n24,high\n48,\n"))->size(), kMeters);
}

TEST(DurableBook, AWindowBillsItsOwnPeriods) {
  const TempDir directory;
  DurableBook book = open(directory);
  take(book, reports_of(3));
  const auto second = book.bill({kDay, kDay}, {});
  EXPECT_EQ(second->size(), kMeters);
  EXPECT_TRUE(std::ranges::all_of(*second, [](const Bill& bill) { return bill.from == kDay; }));
  EXPECT_EQ(book.bill({kDay, kDay + 3}, {}).error().cause, Cause::usage) << "part of a period";
}

// A meter that was rolled back uses a number again. Its period is not billed; everybody else's is.
TEST(DurableBook, ADisputedPeriodIsNotBilled) {
  const TempDir directory;
  const auto all = reports_of(2);
  Report other = all[5].report;
  other.value_steps += 1;
  other.mac[0] ^= 1;
  for (int run = 0; run < 2; ++run) {  // and it is remembered
    DurableBook book = open(directory);
    take(book, all);
    EXPECT_EQ(book.take(meter_name(all[5].meter), other), ReportBook::Taken::conflict);
    const auto bills = book.bill(kAll, {});
    EXPECT_EQ(bills->size(), kMeters * 2 - 1);
    EXPECT_TRUE(std::ranges::none_of(*bills, [&](const Bill& bill) {
      return book.meters().name(bill.meter) == meter_name(all[5].meter) && bill.from == *all[5].report.period;
    }));
  }
}

TEST(DurableBook, AnotherAgreementOrADamagedMemoryIsRefused) {
  const TempDir directory;
  {
    DurableBook book = open(directory);
    take(book, reports_of(1));
    ASSERT_TRUE(book.bill(kAll, {}));
  }
  const auto error = [&](const std::string& agreement) {
    const auto book = DurableBook::open(*StateLock::take(directory / "collector.state"), agreement);
    return book ? "" : book.error().message;
  };
  EXPECT_EQ(error("agreed"), "");
  EXPECT_NE(error("published b=2").find(":2:1: found 'agreement,agreed'; expected the scheme"), std::string::npos)
      << error("published b=2");
  const std::string state = read_file(directory / "collector.state");
  for (std::size_t size = 0; size + 1 < state.size(); size += 41) {
    write_file(directory / "collector.state", state.substr(0, size));
    EXPECT_NE(error("agreed"), "") << size;
  }
  for (std::size_t at = 0; at + 1 < state.size(); at += 29) {
    std::string changed = state;
    changed[at] = changed[at] == '1' ? '2' : '1';
    if (changed == state) continue;
    write_file(directory / "collector.state", changed);
    EXPECT_NE(error("agreed"), "") << at;
  }
}

TEST(DurableBook, OneCollectorAtATime) {
  const TempDir directory;
  DurableBook book = open(directory);
  EXPECT_EQ(StateLock::take(directory / "collector.state").error().cause, Cause::environment);
}

/// Hands out the bill of the first day, and is killed right then. The broken twin would have saved after that.
std::string billed_and_killed(const TempDir& directory, bool broken) {
  const pid_t child = ::fork();
  if (child == 0) {
    DurableBook book = open(directory);
    take(book, reports_of(1));
    if (!broken && !book.bill(kAll, {})) ::_exit(1);
    write_file(directory / "bill", "handed out");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return read_file(directory / "bill");
}

// After a bill was handed out, another one of the same period with other numbers must not be possible.
TEST(DurableBook, WhatWasHandedOutIsRemembered) {
  const auto changed_bill_possible = [](bool broken) {
    const TempDir directory;
    EXPECT_EQ(billed_and_killed(directory, broken), "handed out");
    DurableBook book = open(directory);
    Report more{5, 1000, 5, 7, {}};
    more.period = 0;
    return book.take("m0", more) == ReportBook::Taken::counted;
  };
  EXPECT_FALSE(changed_bill_possible(false));
  EXPECT_TRUE(changed_bill_possible(true)) << "the twin that hands out before it saves";
}

TEST(DurableBook, WhatCannotBeSavedIsNotHandedOut) {
  const TempDir directory;
  const std::string path = directory / "collector.state";
  DurableBook book = open(directory);
  take(book, reports_of(1));
  std::filesystem::create_directories(path + ".new/full");  // where the new memory would be written first
  const auto refused = book.bill(kAll, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cause, Cause::environment);
  std::filesystem::remove_all(path + ".new");
  expect_right(*book.bill(kAll, {}), book.meters(), 1);
}

TEST(SeenNumbers, RememberGapsAndMarks) {
  SeenNumbers seen;
  std::mt19937 random(1);
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t number = 100; number < 3000; ++number)
    if (number % 7 != 0) numbers.push_back(number);
  std::shuffle(numbers.begin(), numbers.end(), random);
  using Seen = SeenNumbers::Seen;
  for (const std::uint64_t number : numbers) {
    ASSERT_EQ(seen.look(number, 9), Seen::fresh);
    seen.add(number, static_cast<std::uint16_t>(number));
  }
  EXPECT_EQ(seen.gaps(), 414) << "multiples of 7 from 105 to 2,996";
  const auto back = SeenNumbers::parse(seen.text());
  ASSERT_TRUE(back);
  EXPECT_EQ(back->text(), seen.text());
  for (const SeenNumbers* each : {&std::as_const(seen), &*back}) {
    EXPECT_EQ(each->look(2999, 2999), Seen::duplicate);
    EXPECT_EQ(each->look(2999, 1), Seen::conflict);
    EXPECT_EQ(each->look(2100, 1), Seen::fresh) << "a multiple of 7";
    EXPECT_EQ(each->look(2101, 1), Seen::conflict);
    EXPECT_EQ(each->look(2101, 2101), Seen::duplicate);
    EXPECT_EQ(each->look(101, 1), Seen::duplicate) << "too long ago to tell";
    EXPECT_EQ(each->look(99, 1), Seen::fresh);
  }
  for (const char* damaged : {"1", "3-1/", "1-5 6-7/", "1-2/00", "x-2/", "0-0/zzzz"})
    EXPECT_FALSE(SeenNumbers::parse(damaged)) << damaged;
}

}  // namespace
}  // namespace fugu::test
