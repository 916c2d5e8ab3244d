// Simulated households: reproducible, consistent with themselves, and believable.
//
// Ranges are those of the literature named beside them, widened where said. Figures of the model that nobody published
// were chosen on seeds 1 to 5, 51, 95 and 101; the seeds of believable households are others. Bounds are not
// statistical tests: with hundreds of households and a year the means move by a per cent or two from seed to seed, and
// no bound is nearer than that.
#include "fugu/simulate/households.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>

#include "fugu/stream/line_reader.hpp"
#include "fugu/stream/stamp.hpp"
#include "support/released.hpp"

namespace fugu {
namespace {

constexpr std::int64_t kYear = 364;  // whole weeks

Neighbourhood street(const HouseholdOptions& options,
                     const HouseholdParameters& parameters = HouseholdParameters::shipped()) {
  auto made = Neighbourhood::make(options, parameters);
  EXPECT_TRUE(made.has_value()) << made.error().message;
  return *std::move(made);
}

std::vector<std::int32_t> all_watts(const HouseholdOptions& options, std::size_t household) {
  Neighbourhood neighbourhood = street(options);
  std::vector<std::int32_t> watts;
  while (neighbourhood.next_day()) {
    const auto day = neighbourhood.watts(household);
    watts.insert(watts.end(), day.begin(), day.end());
  }
  return watts;
}

std::vector<ApplianceUse> all_uses(const HouseholdOptions& options, std::size_t household) {
  Neighbourhood neighbourhood = street(options);
  std::vector<ApplianceUse> uses;
  while (neighbourhood.next_day()) {
    const auto day = neighbourhood.uses(household);
    uses.insert(uses.end(), day.begin(), day.end());
  }
  return uses;
}

TEST(Households, AreTheSameWhateverThreadsAndNeighbours) {
  const auto expected = all_watts({.households = 70, .days = 20, .seed = 5, .threads = 1}, 69);
  EXPECT_EQ(all_watts({.households = 70, .days = 20, .seed = 5, .threads = 2}, 69), expected);
  EXPECT_EQ(all_watts({.households = 400, .days = 20, .seed = 5, .threads = 7}, 69), expected);
  EXPECT_NE(all_watts({.households = 70, .days = 20, .seed = 6, .threads = 1}, 69), expected);
  EXPECT_NE(all_watts({.households = 70, .days = 20, .seed = 5, .threads = 1}, 68), expected);
}

TEST(Households, AreTheSameOnEveryPlatform) {
  std::uint64_t sum = 0;
  for (const std::int32_t watts : all_watts({.households = 4, .days = 28, .seed = 7}, 3))
    sum = sum * 31 + static_cast<std::uint64_t>(watts);
  EXPECT_EQ(sum, 8075624018859141724u);
}

TEST(Households, LongerHorizonsContinueShorterOnes) {
  const auto longer = all_watts({.households = 3, .days = 40, .seed = 8}, 2);
  auto shorter = all_watts({.households = 3, .days = 11, .seed = 8}, 2);
  ASSERT_EQ(shorter.size(), 11u * 96);
  EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
}

TEST(Households, SlotLengthChangesTheMeterNotTheLife) {
  const HouseholdOptions quarter = {.households = 2, .days = 14, .seed = 3};
  const auto uses = all_uses(quarter, 1);
  const auto watts = all_watts(quarter, 1);
  ASSERT_GT(uses.size(), 30u);
  for (const std::int64_t slot_min : {1, 30, 60}) {
    HouseholdOptions options = quarter;
    options.slot_min = slot_min;
    EXPECT_EQ(all_uses(options, 1), uses);
    const auto other = all_watts(options, 1);
    ASSERT_EQ(other.size(), static_cast<std::size_t>(14 * 1440 / slot_min));
    const auto longer = static_cast<std::size_t>(std::max<std::int64_t>(slot_min, 15));
    for (std::size_t i = 0; i < 14 * 1440 / longer; ++i) {
      const auto mean_w = [&](const std::vector<std::int32_t>& of, std::size_t min) {
        const auto begin = of.begin() + static_cast<std::ptrdiff_t>(i * (longer / min));
        const std::int64_t sum =
            std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(longer / min), std::int64_t{0});
        return static_cast<double>(sum) / static_cast<double>(longer / min);
      };
      EXPECT_NEAR(mean_w(other, static_cast<std::size_t>(slot_min)), mean_w(watts, 15), 1.01) << "slot " << i;
    }
  }
}

TEST(Households, ReadingsContainTheUses) {
  const HouseholdOptions options = {.households = 40, .days = 10, .slot_min = 1, .seed = 11};
  for (const std::size_t household : {0u, 17u, 39u}) {
    const auto watts = all_watts(options, household);
    std::vector<std::int32_t> used(watts.size() + 2880);
    for (const ApplianceUse& use : all_uses(options, household)) {
      const auto drawn_w = std::lround(use.power_w * HouseholdParameters::shipped().appliances[use.appliance].duty);
      for (std::int64_t minute = use.start_min; minute < use.end_min; ++minute)
        used[static_cast<std::size_t>(minute)] += static_cast<std::int32_t>(drawn_w);
    }
    std::int64_t beside = 0;
    for (std::size_t minute = 0; minute < watts.size(); ++minute) {
      ASSERT_GE(watts[minute], used[minute]);
      beside += watts[minute] - used[minute];
    }
    // Standby, light, cold: something is always on, and it is not most of a house's connected load.
    const double rest_w = static_cast<double>(beside) / static_cast<double>(watts.size());
    EXPECT_GT(rest_w, 40);
    EXPECT_LT(rest_w, 400);
  }
}

TEST(Households, ADutyChangesWhatIsReadAndNothingElse) {
  HouseholdParameters always_on = HouseholdParameters::shipped();
  for (ApplianceModel& model : always_on.appliances) model.duty = 1;
  const HouseholdOptions options = {.households = 5, .days = 14, .seed = 12};
  Neighbourhood shipped = street(options);
  Neighbourhood other = street(options, always_on);
  std::int64_t saved_w = 0;
  while (shipped.next_day() && other.next_day()) {
    for (std::size_t i = 0; i < 5; ++i) {
      const auto uses = shipped.uses(i);
      ASSERT_TRUE(std::equal(uses.begin(), uses.end(), other.uses(i).begin(), other.uses(i).end()))
          << "uses, and so policies, speak of rated power";
      for (std::size_t slot = 0; slot < 96; ++slot) {
        ASSERT_LE(shipped.watts(i)[slot], other.watts(i)[slot]);
        saved_w += other.watts(i)[slot] - shipped.watts(i)[slot];
      }
    }
  }
  EXPECT_GT(saved_w, 0);
}

TEST(Households, UseAppliancesOneAfterTheOtherAndOnlyWhenSomebodyIsActive) {
  Neighbourhood neighbourhood = street({.households = 60, .days = 120, .seed = 21});
  std::map<std::pair<std::size_t, std::uint32_t>, std::int64_t> ends;
  std::size_t holidays = 0;
  while (neighbourhood.next_day()) {
    const std::int64_t midnight = neighbourhood.day() * 1440;
    for (std::size_t i = 0; i < 60; ++i) {
      bool is_anybody_active = false;
      for (std::size_t minute = 0; minute < 1440; minute += 5)
        is_anybody_active = is_anybody_active || neighbourhood.active_people(i, minute) > 0;
      holidays += is_anybody_active ? 0 : 1;
      std::int64_t previous = midnight;
      for (const ApplianceUse& use : neighbourhood.uses(i)) {
        const ApplianceModel& model = neighbourhood.parameters().appliances[use.appliance];
        ASSERT_TRUE(neighbourhood.owns(i, use.appliance)) << model.name;
        ASSERT_NE(model.kind, ApplianceKind::cycling);
        ASSERT_GE(use.start_min, previous);
        ASSERT_LT(use.start_min, midnight + 1440);
        ASSERT_GT(use.end_min, use.start_min);
        std::int64_t& end = ends[{i, use.appliance}];
        ASSERT_GE(use.start_min, end) << model.name << " runs twice at once";
        if (model.kind == ApplianceKind::activity) {
          ASSERT_GT(neighbourhood.active_people(i, static_cast<std::size_t>(use.start_min - midnight)), 0u);
        }
        previous = use.start_min;
        end = use.end_min;
      }
      ASSERT_LE(neighbourhood.active_people(i, 1200), neighbourhood.people(i));
    }
  }
  // Two weeks a year, each for a household: 4 % of 60 · 120 days, in blocks of seven.
  EXPECT_GT(holidays, 60u);
  EXPECT_LT(holidays, 900u);
}

TEST(Households, AreAsLargeAndEquippedAsTheTableSays) {
  const HouseholdParameters& table = HouseholdParameters::shipped();
  constexpr std::size_t kHouseholds = 20'000;
  Neighbourhood city = street({.households = kHouseholds, .days = 1, .seed = 31});
  std::array<double, kPeopleMax> sizes = {};
  for (std::size_t i = 0; i < kHouseholds; ++i) sizes[city.people(i) - 1] += 1;
  // Five deviations: a false alarm once in a hundred thousand runs, were the seed not fixed.
  const auto near = [](double share, double expected, double count) {
    return std::abs(share - expected) <= 5 * std::sqrt(expected * (1 - expected) / count) + 1e-12;
  };
  for (std::size_t size = 0; size < kPeopleMax; ++size)
    EXPECT_TRUE(near(sizes[size] / kHouseholds, table.size_share[size], kHouseholds)) << size + 1;
  for (std::size_t a = 0; a < table.appliances.size(); ++a) {
    for (const std::size_t size : {0u, 1u, 3u}) {
      double owners = 0;
      for (std::size_t i = 0; i < kHouseholds; ++i) owners += city.people(i) == size + 1 && city.owns(i, a) ? 1 : 0;
      EXPECT_TRUE(near(owners / sizes[size], table.appliances[a].ownership[size], sizes[size]))
          << table.appliances[a].name << " of " << size + 1;
    }
  }
}

TEST(Households, UseAppliancesAsOftenAsTheTableSays) {
  const HouseholdParameters& table = HouseholdParameters::shipped();
  constexpr std::size_t kHouseholds = 200;
  Neighbourhood city = street({.households = kHouseholds, .days = kYear, .people = 2, .seed = 41});
  std::vector<double> uses(table.appliances.size());
  while (city.next_day()) {
    for (std::size_t i = 0; i < kHouseholds; ++i) {
      for (const ApplianceUse& use : city.uses(i)) uses[use.appliance] += 1;
    }
  }
  for (std::size_t a = 0; a < table.appliances.size(); ++a) {
    const ApplianceModel& model = table.appliances[a];
    if (model.kind == ApplianceKind::cycling) continue;
    double owners = 0;
    for (std::size_t i = 0; i < kHouseholds; ++i) owners += city.owns(i, a) ? 1 : 0;
    if (owners < 5) continue;
    const double expected = model.cycles_per_year * std::pow(2 / table.reference_people, model.size_exponent);
    // Holidays take 4 %, and the end of the day takes some of what follows a use of the same appliance.
    EXPECT_GT(uses[a] / owners, 0.85 * expected) << model.name;
    EXPECT_LT(uses[a] / owners, 1.05 * expected) << model.name;
  }
}

// Believable -------------------------------------------------------------------------------------------------------

/// What one year of a neighbourhood comes to.
struct Year {
  double mean_w = 0;                                            // of a household
  std::array<std::array<double, 24>, kDayTypes> hourly_w = {};  // of a household, by DayType
  std::vector<double> peak_w;                                   // of each household
  std::map<std::size_t, double> group_peak_w;  // households in a group → its largest sum, per household, mean of groups
};

Year year_of(const HouseholdOptions& options, const std::vector<std::size_t>& group_sizes = {},
             const HouseholdParameters& parameters = HouseholdParameters::shipped()) {
  Neighbourhood city = street(options, parameters);
  const std::size_t count = options.households;
  const std::size_t slots = city.slots_per_day();
  Year year;
  year.peak_w.resize(count);
  std::array<double, kDayTypes> days = {};
  std::map<std::size_t, std::vector<double>> group_peaks;
  for (const std::size_t size : group_sizes) group_peaks[size].resize(count / size);
  while (city.next_day()) {
    const auto type = static_cast<std::size_t>(city.day_type());
    days[type] += 1;
    for (std::size_t i = 0; i < count; ++i) {
      const auto watts = city.watts(i);
      for (std::size_t slot = 0; slot < slots; ++slot) {
        year.hourly_w[type][slot * 24 / slots] += watts[slot];
        year.peak_w[i] = std::max(year.peak_w[i], static_cast<double>(watts[slot]));
      }
    }
    for (auto& [size, peaks] : group_peaks) {
      for (std::size_t group = 0; group < peaks.size(); ++group) {
        for (std::size_t slot = 0; slot < slots; ++slot) {
          double sum = 0;
          for (std::size_t i = group * size; i < (group + 1) * size; ++i) sum += city.watts(i)[slot];
          peaks[group] = std::max(peaks[group], sum / static_cast<double>(size));
        }
      }
    }
  }
  double all = 0;
  for (std::size_t type = 0; type < kDayTypes; ++type) {
    for (double& watts : year.hourly_w[type]) {
      all += watts;
      watts /= days[type] * static_cast<double>(count * slots / 24);
    }
  }
  year.mean_w = all / static_cast<double>(options.days * static_cast<std::int64_t>(count * slots));
  for (const auto& [size, peaks] : group_peaks)
    year.group_peak_w[size] = std::accumulate(peaks.begin(), peaks.end(), 0.0) / static_cast<double>(peaks.size());
  return year;
}

double mean_of(const std::array<double, 24>& hours, std::size_t from, std::size_t to) {
  return std::accumulate(hours.begin() + static_cast<std::ptrdiff_t>(from),
                         hours.begin() + static_cast<std::ptrdiff_t>(to), 0.0) /
         static_cast<double>(to - from);
}

std::size_t largest_hour(const std::array<double, 24>& hours) {
  return static_cast<std::size_t>(std::max_element(hours.begin(), hours.end()) - hours.begin());
}

/// Without electric heating: 2.8 % have it, and so few of a few hundred households are a matter of luck.
HouseholdParameters without_heating() {
  HouseholdParameters parameters = HouseholdParameters::shipped();
  for (ApplianceModel& model : parameters.appliances) {
    if (model.kind == ApplianceKind::timed) model.ownership = {};
  }
  return parameters;
}

/// A broken twin: nobody leaves, nobody sleeps, and every hour is as good as any other.
HouseholdParameters without_habits() {
  HouseholdParameters parameters = without_heating();
  for (StartProfile& profile : parameters.profiles) {
    for (auto& day : profile.weights) day.fill(1);
  }
  PeopleModel& people = parameters.people;
  people.goes_out = {};
  people.errand_share = 0;
  people.evening_share = 0;
  people.home_wake = {0, 0};
  people.weekend_wake = {0, 0};
  people.sleep = {24, 0};
  return parameters;
}

// Means by household size: BDEW (press, 2022) 1900, 2890, 3720, 4085 kWh; BDEW (of 2019) 2050, 3440, 4050, 4940; VDEW
// 2005: 1790, 3030, 3880, 4430; VDEW 1998: 1730, 2930, 3750, 4290. Allowed: from the smallest less a tenth to the
// largest plus a tenth.
TEST(BelievableHouseholds, AnnualEnergyBySize) {
  const std::array<std::array<double, 2>, 4> published_kwh = {{{1730, 2050}, {2890, 3440}, {3720, 4050}, {4085, 4940}}};
  for (std::uint64_t people = 1; people <= 4; ++people) {
    const Year year = year_of({.households = 200, .days = kYear, .people = people, .seed = 52}, {}, without_heating());
    const double kwh = year.mean_w * 8.766;
    EXPECT_GT(kwh, 0.9 * published_kwh[people - 1][0]) << people;
    EXPECT_LT(kwh, 1.1 * published_kwh[people - 1][1]) << people;
  }
}

bool is_within(double value, double from, double to) { return from <= value && value <= to; }

// BDEW H25 (2025), weekdays in January: the evening peak is at 18:45 and 1.57 times the day's mean, the load from 2 to
// 5 is 0.57 of it. The SLP of 2026 (a utility's, whole year) peaks at 2.11 times its mean.
bool has_evening_peak(const Year& year) {
  const auto& weekday = year.hourly_w[static_cast<std::size_t>(DayType::weekday)];
  const double mean = mean_of(weekday, 0, 24);
  const std::size_t peak = largest_hour(weekday);
  return peak >= 17 && peak <= 20 && is_within(weekday[peak] / mean, 1.4, 2.11) &&
         is_within(mean_of(weekday, 2, 5) / mean, 0.3, 0.7) && mean_of(weekday, 6, 9) > 1.3 * mean_of(weekday, 2, 5);
}

// BDEW H25, January: from 11 to 13 a Saturday is 1.46 and a Sunday 1.62 times a weekday; from 6 to 7 they are 0.79 and
// 0.76 of it. A whole Saturday or Sunday is a little more than a weekday (SimBench H0-B: 1.09 and 1.11).
bool has_weekend_shape(const Year& year) {
  const auto& weekday = year.hourly_w[static_cast<std::size_t>(DayType::weekday)];
  return std::all_of(year.hourly_w.begin() + 1, year.hourly_w.end(), [&](const auto& weekend) {
    return is_within(mean_of(weekend, 11, 13) / mean_of(weekday, 11, 13), 1.3, 1.8) &&
           mean_of(weekend, 6, 7) < 0.9 * mean_of(weekday, 6, 7) &&
           is_within(mean_of(weekend, 0, 24) / mean_of(weekday, 0, 24), 0.95, 1.15);
  });
}

TEST(BelievableHouseholds, EveningPeak) {
  EXPECT_TRUE(has_evening_peak(year_of({.households = 600, .days = 28, .seed = 61})));
  EXPECT_FALSE(has_evening_peak(year_of({.households = 200, .days = 28, .seed = 61}, {}, without_habits())));
}

TEST(BelievableHouseholds, WeekendShape) {
  EXPECT_TRUE(has_weekend_shape(year_of({.households = 250, .days = kYear / 2, .seed = 71})));
  EXPECT_FALSE(has_weekend_shape(year_of({.households = 200, .days = 28, .seed = 71}, {}, without_habits())));
}

// Peak per household by number of households. Low Carbon London (Konstantelos et al. 2014): 0.54 to 1.78 kW after
// diversity, by income and size; Customer-Led Network Revolution (CLNR-L217): 1.5 kW for 100 households, falling with
// their number; DIN 18015-1: 5.5 kVA for one of 10 dwellings, 1.1 of 100, both for sizing, so upper bounds but for 100.
TEST(BelievableHouseholds, PeakPerHouseholdFallsWithTheirNumber) {
  const Year year = year_of({.households = 300, .days = kYear, .seed = 81}, {1, 3, 10, 30, 100, 300});
  double before = 1e9;
  for (const auto& [size, peak_w] : year.group_peak_w) {
    EXPECT_LT(peak_w, before) << size;
    before = peak_w;
  }
  EXPECT_GT(year.group_peak_w.at(1), 3000);
  EXPECT_LT(year.group_peak_w.at(1), 15'000) << "DIN 18015-1, one dwelling";
  EXPECT_LT(year.group_peak_w.at(10), 5500);
  EXPECT_GT(year.group_peak_w.at(100), 540);
  EXPECT_LT(year.group_peak_w.at(100), 1780);
  EXPECT_GT(year.group_peak_w.at(300), 540);
  EXPECT_LT(year.group_peak_w.at(300), 1500);
}

TEST(BelievableHouseholds, MoreInWinterThanInSummer) {
  const Year january = year_of({.households = 300, .days = 28, .seed = 91});
  const Year july = year_of({.households = 300, .days = 28, .first_day = 19'723 + 182, .seed = 91});
  EXPECT_GT(january.mean_w, 1.1 * july.mean_w);
  EXPECT_LT(january.mean_w, 1.8 * july.mean_w);
}

// Real households --------------------------------------------------------------------------------------------------

struct Recorded {
  std::vector<double> mean_kw;
  std::vector<double> peak_kw;
  double group_peak_kw = 0;                           // per household, over rows without gaps
  std::array<std::array<double, 24>, 2> hourly = {};  // mean of all households, weekday and weekend
};

std::int64_t day_number(std::string_view stamp) {
  Stamp parsed;
  EXPECT_EQ(parse_stamp(stamp, 0, parsed), TimeFault::none) << stamp;
  return parsed.instant_s / 86'400;
}

/// Columns whose name begins and ends like that.
Recorded read_recorded(const std::string& file, double to_kw, std::string_view prefix, std::string_view suffix) {
  auto input = Input::open(file);
  EXPECT_TRUE(input.has_value());
  LineReader lines(*std::move(input));
  std::vector<std::size_t> columns;
  const std::vector<std::string> header = test::fields_of(std::string(**lines.next()));
  for (std::size_t i = 1; i < header.size(); ++i) {
    if (header[i].starts_with(prefix) && header[i].ends_with(suffix)) columns.push_back(i);
  }
  Recorded recorded;
  recorded.peak_kw.resize(columns.size());
  std::array<std::array<double, 24>, 2> counts = {};
  std::vector<double> sums(columns.size());
  std::vector<double> numbers(columns.size());
  while (const auto line = *lines.next()) {
    const std::vector<std::string> fields = test::fields_of(std::string(*line));
    const std::size_t is_weekend = (day_number(fields[0]) + 3) % 7 >= 5 ? 1 : 0;
    const auto hour = static_cast<std::size_t>(std::stoi(fields[0].substr(11, 2)));
    double row_kw = 0;
    bool is_whole = true;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string& field = fields[columns[i]];
      is_whole = is_whole && !field.empty();
      if (field.empty()) continue;  // a gap stays a gap
      const double kw = std::stod(field) * to_kw;
      row_kw += kw;
      sums[i] += kw;
      numbers[i] += 1;
      recorded.peak_kw[i] = std::max(recorded.peak_kw[i], kw);
      recorded.hourly[is_weekend][hour] += kw;
      counts[is_weekend][hour] += 1;
    }
    if (is_whole)
      recorded.group_peak_kw = std::max(recorded.group_peak_kw, row_kw / static_cast<double>(columns.size()));
  }
  for (std::size_t i = 0; i < sums.size(); ++i) recorded.mean_kw.push_back(sums[i] / numbers[i]);
  for (std::size_t type = 0; type < 2; ++type) {
    for (std::size_t hour = 0; hour < 24; ++hour) recorded.hourly[type][hour] /= counts[type][hour];
  }
  return recorded;
}

double correlation(const std::array<double, 24>& a, const std::array<double, 24>& b) {
  const double mean_a = mean_of(a, 0, 24);
  const double mean_b = mean_of(b, 0, 24);
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < 24; ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Ten households of Newcastle, New South Wales, half hours. Another climate and another country: what should agree is
// what one household and ten of them look like, not when exactly they cook.
TEST(BelievableHouseholds, BesideRealOnes) {
  const std::string file = std::string(FUGU_SHARED_DATA) + "/sgsc_newcastle/load_kwh_10.csv.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no recorded data here";
  const Recorded real = read_recorded(file, 2, "", "");
  const Year made = year_of({.households = 200, .days = kYear, .slot_min = 30, .seed = 97}, {1, 10});
  const auto [least, most] = std::minmax_element(real.mean_kw.begin(), real.mean_kw.end());
  EXPECT_GT(made.mean_w / 1000, *least);
  EXPECT_LT(made.mean_w / 1000, *most);
  // Peaks: the median household's, and that of ten together, within a factor of two.
  EXPECT_LT(std::abs(std::log2(median(made.peak_w) / 1000 / median(real.peak_kw))), 1);
  EXPECT_LT(std::abs(std::log2(made.group_peak_w.at(10) / 1000 / real.group_peak_kw)), 1);
  const auto& weekday = made.hourly_w[static_cast<std::size_t>(DayType::weekday)];
  const auto& sunday = made.hourly_w[static_cast<std::size_t>(DayType::sunday)];
  EXPECT_GT(correlation(weekday, real.hourly[0]), 0.6);
  EXPECT_GT(correlation(sunday, real.hourly[1]), 0.6);
  EXPECT_LE(largest_hour(real.hourly[0]), largest_hour(weekday) + 2);
  RecordProperty("correlation_weekday", std::to_string(correlation(weekday, real.hourly[0])));
  RecordProperty("correlation_sunday", std::to_string(correlation(sunday, real.hourly[1])));
}

// The household profiles of SimBench (H0-A, H0-B, H0-C), Germany, quarter hours of 2016.
TEST(BelievableHouseholds, BesideGermanProfiles) {
  const std::string file = std::string(FUGU_SHARED_DATA) + "/lvgrid/simbench_profiles_15min_pu.csv.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no recorded data here";
  const Recorded real = read_recorded(file, 1, "H0", "_p_pu");
  const Year made = year_of({.households = 200, .days = kYear / 2, .seed = 96});
  ASSERT_EQ(real.mean_kw.size(), 3u);
  EXPECT_GT(correlation(made.hourly_w[0], real.hourly[0]), 0.6);
  EXPECT_GT(correlation(made.hourly_w[2], real.hourly[1]), 0.6);
  RecordProperty("correlation_weekday", std::to_string(correlation(made.hourly_w[0], real.hourly[0])));
  RecordProperty("correlation_sunday", std::to_string(correlation(made.hourly_w[2], real.hourly[1])));
}

TEST(Households, RefuseWhatMakesNoSense) {
  const auto message = [](const HouseholdOptions& options) {
    const auto made = Neighbourhood::make(options, HouseholdParameters::shipped());
    return made ? std::string() : made.error().message;
  };
  EXPECT_NE(message({.households = 0}).find("households: expected 1 to"), std::string::npos);
  EXPECT_NE(message({.days = 0}).find("days: expected 1 to"), std::string::npos);
  EXPECT_NE(message({.days = -5}).find("days: expected 1 to"), std::string::npos);
  EXPECT_NE(message({.slot_min = 10}).find("expected 1, 15, 30 or 60 minutes"), std::string::npos);
  EXPECT_NE(message({.slot_min = 0}).find("expected 1, 15, 30 or 60 minutes"), std::string::npos);
  EXPECT_NE(message({.people = 6}).find("people: expected 1 to 5"), std::string::npos);
  EXPECT_NE(message({.first_day = 1'000'000}).find("first day"), std::string::npos);
}

}  // namespace
}  // namespace fugu
