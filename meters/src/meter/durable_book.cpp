// The memory of a collector as text:
//
//     fugu-collector-state,3
//     agreement,…
//     energy,…                      of the bills; nothing before the first
//     the lines of the book
//     end,SHA-256 of all before
#include "fugu/meter/durable_book.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "fugu/base/durable_file.hpp"

namespace fugu {

namespace {

constexpr std::string_view kMagic = "fugu-collector-state,3";
constexpr std::string_view kAgreement = "agreement,";
constexpr std::string_view kEnergy = "energy,";
constexpr std::string_view kEnd = "end,";

}  // namespace

std::string DurableBook::body() const {
  std::string text = std::string(kMagic).append("\n").append(kAgreement).append(agreement_).append("\n");
  return text.append(kEnergy).append(energy_).append("\n").append(book_.text(meters_));
}

std::string DurableBook::state() const {
  std::string text = body();
  const Digest digest = sha256({text});
  return text.append(kEnd).append(to_hex(digest)).append("\n");
}

Result<void> DurableBook::restore(Input input) {
  LineReader lines(std::move(input));
  FUGU_ASSIGN(const auto magic, lines.next());
  if (magic != kMagic)
    return found_but_expected({lines.file(), lines.line(), 0}, "another file", "the memory of a fugu collector");
  FUGU_ASSIGN(const auto agreed, lines.next());
  if (agreed != std::string(kAgreement) + agreement_) {
    return found_but_expected(lines.at(1), agreed ? shown(*agreed) : "the end of the file",
                              "the scheme, parts, clock and unit step that this collector began with; for others, "
                              "begin another memory");
  }
  FUGU_ASSIGN(const auto energy, lines.next());
  if (!energy || !energy->starts_with(kEnergy))
    return found_but_expected({lines.file(), lines.line(), 0}, "something else", "a line `energy,…`");
  energy_ = energy->substr(kEnergy.size());
  FUGU_TRY(book_.read(lines, meters_));
  FUGU_ASSIGN(const auto end, lines.next());
  if (end != std::string(kEnd) + to_hex(sha256({body()}))) {
    return found_but_expected({lines.file(), lines.line(), 0}, "a memory that was changed or cut short",
                              "the memory as fugu wrote it; an older copy would bill again what was billed since");
  }
  return {};
}

Result<DurableBook> DurableBook::open(StateLock lock, std::string agreement) {
  DurableBook book(std::move(lock), std::move(agreement));
  if (::access(book.lock_.state_path().c_str(), F_OK) != 0) return book;
  FUGU_ASSIGN(Input input, Input::open(book.lock_.state_path()));
  FUGU_TRY(book.restore(std::move(input)));
  return book;
}

Result<void> DurableBook::save() const { return detail::replace_durably(lock_.state_path(), state()); }

Result<std::vector<Bill>> DurableBook::bill(const ReportBook::Window& window, const Terms& terms) {
  if (book_.cut_by(window))
    return Error{Cause::usage, "the window begins or ends within a period; expected one of whole periods"};
  if (!energy_.empty() && energy_ != terms.energy) {
    return Error{Cause::usage, lock_.state_path() + ": bills were made with " + shown(energy_) + "; found " +
                                   shown(terms.energy) + ", which would change them"};
  }
  if (const auto start = book_.billed_otherwise(window, terms.calendar)) {
    return Error{Cause::usage, lock_.state_path() + ": the calendar has another tariff for the period from slot " +
                                   std::to_string(*start) + " than it was billed with"};
  }
  ReportBook billed = book_;
  billed.bill(window, terms.incomplete, terms.calendar);
  std::swap(book_, billed);
  const std::string energy = std::exchange(energy_, terms.energy);
  if (auto saved = save(); !saved) {
    std::swap(book_, billed);  // what is not durable was not billed
    energy_ = energy;
    return std::move(saved).failure();
  }
  std::vector<Bill> bills;
  for (NameTable::Id meter = 0; meter < book_.meters(); ++meter) {
    for (const auto& [start, account] : book_.periods(meter))
      if (account.billed && window.has(start)) bills.push_back({meter, start, account});
  }
  // Not as meters came in: the same bills are the same file.
  std::ranges::sort(bills, {}, [&](const Bill& bill) { return std::pair(meters_.name(bill.meter), bill.from); });
  return bills;
}

}  // namespace fugu
