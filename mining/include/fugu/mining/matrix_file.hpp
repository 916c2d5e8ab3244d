// Distance matrices as text.
//
//     first,second,distance
//     1,2,3/5
//     1,4,0/1
//     2,4,1/2
//
// One line a pair: `second` goes up, and for each the items before it, in order. Items are named by a number, the line
// of the log that they come from; numbers may be left out, pairs may not.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fugu/base/result.hpp"
#include "fugu/mining/distance_matrix.hpp"
#include "fugu/stream/input.hpp"

namespace fugu::mining {

inline constexpr const char* kMatrixHeader = "first,second,distance";

struct NamedMatrix {
  std::vector<std::uint64_t> names;  ///< ascending
  DistanceMatrix distances;
};

/// Fails with bad_input where a line is not what it should be. Distances are between 0 and 1.
Result<NamedMatrix> read_matrix(Input input);

/// The lines of all pairs of which `item` is the second.
std::string matrix_lines(const DistanceMatrix& distances, std::span<const std::uint64_t> names, std::size_t item);

}  // namespace fugu::mining
