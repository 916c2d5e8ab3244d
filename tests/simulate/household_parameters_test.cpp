// The table of figures: every one has a source, and a wrong row is named.
#include "fugu/simulate/household_parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace fugu {
namespace {

std::string table() { return std::string(shipped_household_table()); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

/// The message of the error, empty when there is none.
std::string error_of(const std::string& text) {
  const auto read = HouseholdParameters::read(Input::from_memory("t.csv", text));
  return read ? std::string() : read.error().message;
}

std::string line_of(const std::string& what) {
  const std::string text = table();
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(text.find(what));
  return std::to_string(std::count(text.begin(), end, '\n') + 1);
}

void expect_error(const std::string& text, const std::string& place, const std::string& part) {
  const std::string message = error_of(text);
  EXPECT_EQ(message.substr(0, place.size()), place) << message;
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(HouseholdParameters, TheShippedTableIsWhole) {
  const HouseholdParameters& shipped = HouseholdParameters::shipped();
  EXPECT_GE(shipped.appliances.size(), 15u);
  const auto count = [&](ApplianceKind kind) {
    return std::count_if(shipped.appliances.begin(), shipped.appliances.end(),
                         [&](const ApplianceModel& each) { return each.kind == kind; });
  };
  EXPECT_EQ(count(ApplianceKind::cycling), 2) << "refrigerator and freezer";
  EXPECT_EQ(count(ApplianceKind::timed), 1) << "space heating";
}

TEST(HouseholdParameters, NameAWrongRow) {
  const std::string row = "appliance,oven,power,2125";
  const std::string place = std::string("t.csv:").append(line_of(row)).append(":22:");
  expect_error(replaced(table(), row, "appliance,oven,power,hot"), place, "numbers separated by blanks");
  expect_error(replaced(table(), row, "appliance,oven,power,-5"), place, "expected 1 to 100000");
  expect_error(replaced(table(), row, "appliance,oven,power,nan"), place, "numbers separated by blanks");
  expect_error(replaced(table(), row, "appliance,oven,power,1 2"), place, "found 2 numbers; expected one number");
  const std::string line = std::string("t.csv:").append(line_of(row)).append(":1:");
  expect_error(replaced(table(), row, "appliance,oven,colour,2"), "t.csv", "no row 'appliance,oven,power'");
  expect_error(replaced(table(), row, "appliance,oven,power"), line, "found 5 fields");
  expect_error(replaced(table(), row, "appliance,stove,power,7"), line, "each figure once");
}

TEST(HouseholdParameters, NameWhatIsNotKnownOrDoesNotGoTogether) {
  expect_error(replaced(table(), "appliance,oven,season", "appliance,oven,period,5,min,assumed\nappliance,oven,season"),
               std::string("t.csv:").append(line_of("appliance,oven,season")), "goes with its kind");
  expect_error(replaced(table(), "appliance,oven,kind,activity", "appliance,oven,kind,magic"),
               std::string("t.csv:").append(line_of("appliance,oven,kind")), "activity, timed or cycling");
  expect_error(replaced(table(), "appliance,oven,profile,cooking", "appliance,oven,profile,dancing"),
               std::string("t.csv:").append(line_of("appliance,oven,profile")), "the name of a profile");
  expect_error(replaced(table(), "size_share,42 34", "size_share,42 84"), "t.csv:2:", "sum to 100");
  expect_error(replaced(table(), "freezer,period,86", "freezer,period,20"),
               std::string("t.csv:").append(line_of("appliance,freezer,period")), "1.2 times the duration");
  expect_error(replaced(table(), "profile,night,sunday,15", "profile,night,sunday,"),
               std::string("t.csv:").append(line_of("profile,night,sunday")), "found 23 numbers; expected 24");
  expect_error(table().append("car,all,power,7,W,assumed\n"), "t.csv:", "'car,all,power'");
}

TEST(HouseholdParameters, ADutyIsAShareAndMayBeLeftOut) {
  const std::string row = "appliance,oven,duty,0.4";
  const std::string place = std::string("t.csv:").append(line_of(row)).append(":21:");
  for (const char* wrong : {"0", "1.1", "-1"})
    expect_error(replaced(table(), row, std::string("appliance,oven,duty,").append(wrong)), place, "0.05 to 1");
  expect_error(replaced(table(), row, "appliance,freezer,duty,0.5"), "t.csv", "goes with its kind");
  std::string text = table();
  const std::size_t at = text.find(row);
  text.erase(at, text.find('\n', at) - at + 1);
  const auto read = HouseholdParameters::read(Input::from_memory("t.csv", text));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  const auto oven = std::find_if(read->appliances.begin(), read->appliances.end(),
                                 [](const ApplianceModel& each) { return each.name == "oven"; });
  EXPECT_EQ(oven->duty, 1);
}

TEST(HouseholdParameters, HaveAtMostAHundredAppliances) {
  std::string text = table();
  for (int i = 0; i < 100; ++i) text.append("appliance,lamp").append(std::to_string(i)).append(",power,9,W,assumed\n");
  expect_error(text, "t.csv", "at most 100 appliances");
}

TEST(HouseholdParameters, EveryFigureHasASource) {
  const std::string row = "appliance,oven,duration,27,minutes,Richardson et al. 2010\n";
  expect_error(replaced(table(), row, "appliance,oven,duration,27,minutes,\n"),
               std::string("t.csv:").append(line_of(row)), "the source of the figure, or 'assumed'");
}

TEST(HouseholdParameters, NeedAHeader) {
  expect_error("", "t.csv", "section,name,quantity,value,unit,source");
  expect_error("a,b\n", "t.csv:1", "section,name,quantity,value,unit,source");
  expect_error("section,name,quantity,value,unit,source\n", "t.csv", "no row 'households,all,size_share'");
}

}  // namespace
}  // namespace fugu
