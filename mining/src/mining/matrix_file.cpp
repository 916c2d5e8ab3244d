#include "fugu/mining/matrix_file.hpp"

#include <charconv>
#include <optional>
#include <utility>

#include "fugu/stream/csv.hpp"
#include "fugu/stream/line_reader.hpp"

namespace fugu::mining {

namespace {

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Fraction> fraction(std::string_view text) {
  const std::size_t line = text.find('/');
  if (line == std::string_view::npos) return std::nullopt;
  const auto num = number<std::uint32_t>(text.substr(0, line));
  const auto den = number<std::uint32_t>(text.substr(line + 1));
  if (!num || !den || *den == 0 || *num > *den) return std::nullopt;
  return Fraction{*num, *den};
}

/// Names and fractions, until their number is known.
struct Pairs {
  std::vector<std::uint64_t> names;
  std::vector<Fraction> distances;
  std::size_t in_row = 0;  // how many items the last one has been compared to

  bool is_whole() const { return in_row + 1 == names.size(); }
};

Result<void> add(Pairs& pairs, std::string_view line, const LineReader& lines) {
  const auto fields = csv::split(line);
  if (fields.size() != 3) return found_but_expected(lines.at(0), csv::count_fields(fields.size()), "3 fields");
  const auto first = number<std::uint64_t>(fields[0]);
  const auto second = number<std::uint64_t>(fields[1]);
  const auto distance = fraction(fields[2]);
  if (!first || !second)
    return found_but_expected(lines.at(1), "an item that is no number", "the numbers of two items");
  if (!distance) {
    return found_but_expected(lines.at(csv::column_of(fields[2], line)), "no distance",
                              "a fraction between 0 and 1, as 3/5");
  }
  if (pairs.names.empty()) pairs.names.push_back(*first);
  if (pairs.is_whole() && *second > pairs.names.back()) {
    pairs.names.push_back(*second);
    pairs.in_row = 0;
  }
  if (pairs.is_whole() || *second != pairs.names.back() || *first != pairs.names[pairs.in_row]) {
    return found_but_expected(lines.at(1), "a pair out of order", "each item with all items before it, in order");
  }
  pairs.distances.push_back(*distance);
  ++pairs.in_row;
  return {};
}

}  // namespace

Result<NamedMatrix> read_matrix(Input input) {
  LineReader lines(std::move(input));
  FUGU_ASSIGN(const std::string_view header, csv::read_header(lines, kMatrixHeader));
  if (header != kMatrixHeader) return found_but_expected(lines.at(1), "another header", kMatrixHeader);
  Pairs pairs;
  while (true) {
    FUGU_ASSIGN(const auto line, lines.next());
    if (!line) break;
    FUGU_TRY(add(pairs, *line, lines));
  }
  if (pairs.names.size() < 2 || !pairs.is_whole()) {
    return found_but_expected(lines.at(0), "the end of the file", "the distances of each item to all items before it");
  }
  DistanceMatrix distances(pairs.names.size());
  std::size_t pair = 0;
  for (std::size_t second = 1; second < pairs.names.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) distances.set(first, second, pairs.distances[pair++]);
  }
  return NamedMatrix{std::move(pairs.names), std::move(distances)};
}

std::string matrix_lines(const DistanceMatrix& distances, std::span<const std::uint64_t> names, std::size_t item) {
  std::string text;
  const std::string second = "," + std::to_string(names[item]) + ",";
  for (std::size_t first = 0; first < item; ++first) {
    const Fraction distance = distances.fraction(first, item);
    text += std::to_string(names[first]) + second + std::to_string(distance.num) + "/" + std::to_string(distance.den) +
            "\n";
  }
  return text;
}

}  // namespace fugu::mining
