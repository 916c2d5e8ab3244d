// A policies file as a feed: read once and as a whole, then followed.
#include "fugu/policy/policy_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "build.hpp"
#include "support/temp_dir.hpp"

namespace fugu::test {
namespace {

constexpr const char* kHeader = "meter,start,end,length,magnitude,epsilon,known\n";

class PolicyFileTest : public testing::Test {
 protected:
  void write(const std::string& rows) { std::ofstream(path_) << kHeader << rows; }
  void append(const std::string& rows) { std::ofstream(path_, std::ios::app) << rows; }

  Result<std::unique_ptr<PolicyFile>> open(bool fresh, bool live) {
    PolicyOptions reading;
    reading.map = &*map_;
    return PolicyFile::open({path_, reading, UnitSignatures(&*map_, {{0}, {1}}), fresh, live,
                             [this](const std::string& text) { warnings_ += text + "\n"; }});
  }
  /// All events that are known in `slot`: `meter@first`, `-` before one that is taken back, `!` for an error.
  std::string events(PolicyFile& file, Slot slot) {
    std::string text;
    for (int i = 0; i < 100; ++i) {
      const auto event = file.next(slot, in_force_);
      if (event && *event == nullptr) return text;
      if (!event) {
        errors_ += event.error().message + "\n";
        text += "! ";
        continue;
      }
      const PolicyEvent& each = **event;
      text.append(each.withdrawn ? "-" : "").append(each.meter).append("@");
      text.append(std::to_string(each.policy.interval.first)).append(" ");
    }
    return text + "…";
  }

  TempDir directory_;
  std::string path_ = directory_ / "p.csv";
  Result<SeriesMap> map_ = SeriesMap::read(text_input("meter,series\na,north\nb,south\n"));
  PolicyBook in_force_;
  std::string warnings_;
  std::string errors_;
};

TEST_F(PolicyFileTest, IsReadAsAWholeOrNotAtAll) {
  for (const std::string wrong : {"b,3,2,1,1,1,0\n", "c,3,4,1,1,1,0\n", "b,3\n"}) {
    write("a,2,4,1,1,1,0\n" + wrong + "a,6,8,1,1,1,0\n");
    for (const bool fresh : {true, false}) {
      for (const bool live : {true, false}) {
        const auto file = open(fresh, live);
        ASSERT_FALSE(file.has_value()) << wrong;
        EXPECT_EQ(file.error().cause, Cause::bad_input);
        EXPECT_NE(file.error().message.find("p.csv:3:"), std::string::npos) << file.error().message;
      }
    }
  }
}

TEST_F(PolicyFileTest, SaysWhetherItBeganWithoutPolicies) {
  write("");
  EXPECT_TRUE((*open(true, true))->began_empty()) << "until one comes, nothing is hidden";
  write("a,2,4,1,1,1,0\n");
  EXPECT_FALSE((*open(true, true))->began_empty());
}

TEST_F(PolicyFileTest, IsRightTogetherOnlyInAFreshRun) {
  write("a,2,4,1,1,1,0\na,2,4,1,1,1,0\n");
  EXPECT_FALSE(open(true, false).has_value());
  const auto again = open(false, false);  // what is on record is for others to recognise
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(events(**again, 0), "a@2 a@2 ");
}

TEST_F(PolicyFileTest, HandsOutRowsAsTheyBecomeKnown) {
  write("a,9,9,1,1,1,5\nb,8,8,1,1,1,0\na,7,7,1,1,1,3\na,6,6,1,1,1,0\n");
  const auto file = open(true, true);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(events(**file, 0), "b@8 a@6 ");
  append("b,9,9,1,1,1,4\n");
  EXPECT_EQ(events(**file, 3), "a@7 ");
  EXPECT_EQ(events(**file, 5), "b@9 a@9 ");
}

TEST_F(PolicyFileTest, ItsLastLineHasAnEnd) {
  write("a,2,4,1,1,1,0\nb,3,4,1,1,1,0");
  const auto file = open(true, true);
  ASSERT_FALSE(file.has_value());
  EXPECT_NE(file.error().message.find("p.csv:3: found a last line without an end"), std::string::npos)
      << file.error().message;
}

TEST_F(PolicyFileTest, MayBeReplacedByOneInTheOtherFormat) {
  std::ofstream(path_)
      << R"({"meter": "a", "start": 2, "end": 4, "length": 1, "magnitude": 1, "epsilon": 1, "known": 0})" << "\n";
  const auto file = open(true, true);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(events(**file, 0), "a@2 ");
  write("b,6,8,1,1,1,0\n");
  EXPECT_EQ(events(**file, 1), "b@6 ") << errors_;
}

TEST_F(PolicyFileTest, SaysOnceThatItCannotReadSomethingAndGoesOnAfterIt) {
  write("a,2,4,1,1,1,0\n");
  const auto file = open(true, true);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(events(**file, 0), "a@2 ");
  append("c,6,8,1,1,1,0\nb,7,8,1,1,1,0\n");  // no such meter
  EXPECT_EQ(events(**file, 1), "! b@7 ");
  EXPECT_NE(errors_.find("p.csv:3:1: found meter 'c'"), std::string::npos) << errors_;
  EXPECT_EQ(events(**file, 2), "");
  write("a,2,4,1,1,1,0\na,6,8,1,1,1,0\nb,7,8,1,1,1,0\n");
  EXPECT_EQ(events(**file, 3), "a@6 ") << "the others were handed out before";
  std::filesystem::remove(path_);
  EXPECT_EQ(events(**file, 4), "! ");
  EXPECT_EQ(events(**file, 5), "");
}

}  // namespace
}  // namespace fugu::test
