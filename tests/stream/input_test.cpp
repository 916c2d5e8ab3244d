#include "fugu/stream/input.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fugu/stream/line_reader.hpp"
#include "text.hpp"

namespace fugu {
namespace {

using test::contains;

struct Lines {
  std::vector<std::string> lines;
  std::vector<std::uint64_t> numbers;
  std::optional<Error> error;
};

Lines read_lines(Input input, std::size_t block_size = BlockReader::kBlockSize) {
  Lines all;
  LineReader reader(std::move(input), block_size);
  while (true) {
    const auto line = reader.next();
    if (!line) all.error = line.error();
    if (!line || !*line) return all;
    all.lines.emplace_back(**line);
    all.numbers.push_back(reader.line());
  }
}

TEST(LineReader, ToleratesLineEndsBlankLinesAndByteOrderMark) {
  const auto all = read_lines(Input::from_memory("m", "\xef\xbb\xbf\r\na\r\n\n\nb\nc"));
  EXPECT_EQ(all.lines, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(all.numbers, (std::vector<std::uint64_t>{2, 5, 6}));
}

TEST(LineReader, AnEmptyFileHasNoLines) {
  EXPECT_TRUE(read_lines(Input::from_memory("m", "")).lines.empty());
  EXPECT_TRUE(read_lines(Input::from_memory("m", "\n\n\r\n")).lines.empty());
}

TEST(LineReader, PeekDoesNotMoveOn) {
  LineReader reader(Input::from_memory("m", "a\nb\n"), 2);
  EXPECT_EQ(**reader.peek(), "a");
  EXPECT_EQ(reader.ahead_at(1).line, 1u);
  EXPECT_EQ(**reader.next(), "a");
  EXPECT_EQ(**reader.peek(), "b");
  EXPECT_EQ(reader.line(), 1u);
  EXPECT_EQ(**reader.next(), "b");
  EXPECT_FALSE(reader.peek()->has_value());
}

TEST(LineReader, LimitsTheLengthOfALine) {
  const std::string longest(BlockReader::kLineMax, 'x');
  const auto good = read_lines(Input::from_memory("m", std::string("a\n").append(longest).append("\nb")));
  ASSERT_FALSE(good.error) << good.error->message;
  EXPECT_EQ(good.lines.size(), 3u);
  for (const char* end : {"", "\n", "\nb\n"}) {
    const auto bad = read_lines(Input::from_memory("m", std::string("a\n").append(longest).append("x").append(end)));
    ASSERT_TRUE(bad.error);
    EXPECT_EQ(bad.error->cause, Cause::bad_input);
    EXPECT_TRUE(contains(bad.error->message, "m:2: found a line of more than 1 MiB")) << bad.error->message;
    EXPECT_EQ(bad.lines.size(), 1u);
  }
}

rc::Gen<std::string> small_text() {
  return rc::gen::container<std::string>(rc::gen::element('a', 'b', '\n', '\r', ','));
}

RC_GTEST_PROP(LineReader, BlocksAndPiecesDoNotShow, ()) {
  const std::string text = *small_text();
  const auto block = *rc::gen::inRange<std::size_t>(1, 20);
  const auto piece = *rc::gen::inRange<std::size_t>(1, 20);
  const auto expected = read_lines(Input::from_memory("m", text));
  const auto found = read_lines(test::dripping(text, piece), block);
  RC_ASSERT(found.lines == expected.lines);
  RC_ASSERT(found.numbers == expected.numbers);
  const auto zipped = read_lines(test::dripping(test::gzip(text), piece), block);
  RC_ASSERT(!zipped.error);
  RC_ASSERT(zipped.lines == expected.lines);
}

TEST(Gzip, SeveralMembersAreOneText) {
  const auto all =
      read_lines(test::dripping(test::gzip("a\nb") + test::gzip("c\n") + test::gzip("") + test::gzip("d"), 3));
  ASSERT_FALSE(all.error) << all.error->message;
  EXPECT_EQ(all.lines, (std::vector<std::string>{"a", "bc", "d"}));
}

TEST(Gzip, CutShortAnywhereIsAnError) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += std::to_string(i * i) + "\n";
  const std::string whole = test::gzip(text);
  for (std::size_t size = 2; size < whole.size(); ++size) {
    const auto all = read_lines(Input::from_memory("cut.gz", whole.substr(0, size)));
    ASSERT_TRUE(all.error) << size;
    EXPECT_EQ(all.error->cause, Cause::bad_input);
    EXPECT_EQ(all.error->message, "cut.gz: found gzip data that ends early; expected a complete gzip file");
  }
}

TEST(Gzip, WhatCouldBeDecodedBeforeTheCutIsHandedOut) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919 % 100'003) + "\n";
  const std::string whole = test::gzip(text);
  const auto all = read_lines(Input::from_memory("cut.gz", whole.substr(0, whole.size() / 2)));
  EXPECT_TRUE(all.error);
  EXPECT_GT(all.lines.size(), 50'000u);
}

TEST(Gzip, DamageIsAnError) {
  std::string damaged = test::gzip("some text\nthat is longer\n");
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 1);  // the checksum
  for (const std::string& bytes : {damaged, test::gzip("a\n") + "rubbish"}) {
    const auto all = read_lines(Input::from_memory("bad.gz", bytes));
    ASSERT_TRUE(all.error);
    EXPECT_TRUE(contains(all.error->message, "bad.gz: found damaged gzip data")) << all.error->message;
  }
}

TEST(Input, AFileThatIsNotThere) {
  const auto input = Input::open("no/such/file.csv");
  ASSERT_FALSE(input.has_value());
  EXPECT_EQ(input.error().cause, Cause::usage);
  EXPECT_TRUE(contains(input.error().message, "no/such/file.csv: cannot be opened")) << input.error().message;
}

TEST(Input, ADirectoryIsNoFile) {
  auto input = Input::open("/");
  ASSERT_TRUE(input.has_value());
  const auto all = read_lines(*std::move(input));
  ASSERT_TRUE(all.error);
  EXPECT_EQ(all.error->cause, Cause::usage);
}

TEST(Input, ReadsFiles) {
  const auto path =
      std::filesystem::temp_directory_path() / std::string("fugu_input_test_").append(std::to_string(getpid()));
  std::ofstream(path) << "a\nb\n";
  auto input = Input::open(path.string());
  ASSERT_TRUE(input.has_value());
  EXPECT_FALSE(input->is_live());
  EXPECT_EQ(read_lines(*std::move(input)).lines.size(), 2u);
  std::filesystem::remove(path);
}

/// A pipe whose reading end is standard input while the object lives.
class PipedStandardInput {
 public:
  PipedStandardInput() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    saved_ = dup(STDIN_FILENO);
    EXPECT_EQ(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    writer_ = ends[1];
  }
  ~PipedStandardInput() {
    close_writer();
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }
  void write(std::string_view text) {
    EXPECT_EQ(::write(writer_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_writer() {
    if (writer_ >= 0) close(writer_);
    writer_ = -1;
  }

 private:
  int saved_ = -1;
  int writer_ = -1;
};

TEST(Input, KnowsWhenAPipeWouldWait) {
  PipedStandardInput in;
  LineReader reader(*Input::open("-"));
  EXPECT_TRUE(reader.is_live());
  EXPECT_TRUE(reader.would_wait());
  in.write("a\nb");
  EXPECT_FALSE(reader.would_wait());
  EXPECT_EQ(**reader.next(), "a");
  EXPECT_TRUE(reader.would_wait());  // b is not complete
  in.write("c\n\n");
  EXPECT_FALSE(reader.would_wait());
  EXPECT_EQ(**reader.next(), "bc");
  EXPECT_TRUE(reader.would_wait());  // a blank line is no line
  in.write("last");
  in.close_writer();
  EXPECT_FALSE(reader.would_wait());
  EXPECT_EQ(**reader.next(), "last");
  EXPECT_FALSE(reader.would_wait());
  EXPECT_FALSE(reader.next()->has_value());
}

TEST(Location, ShowsNoNumbers) {
  EXPECT_EQ(shown("a\tb"), "'a\\x09b'");
  EXPECT_EQ(shown("0123456789012345678901234567890123456789x"), "'0123456789012345678901234567890123456789…'");
  EXPECT_EQ(shown_name("meter_1"), "'meter_1'");
  EXPECT_EQ(shown_name("12.5"), "a number");
  EXPECT_EQ(shown_name("-1e300"), "a number");
  EXPECT_EQ(shown_name("nan"), "a number");
  EXPECT_EQ(shown_time("2026-03-29T99:00"), "'2026-03-29T99:00'");
  EXPECT_EQ(shown_time("12.5"), "written as a number");
  EXPECT_EQ(shown_time("5000-1"), "'5000-1'");
  EXPECT_EQ(shown_time("1234.5 kWh"), "written as text");
  EXPECT_EQ(shown_time(""), "nothing");
}

}  // namespace
}  // namespace fugu
