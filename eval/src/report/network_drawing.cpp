#include "fugu/report/network_drawing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "fugu/report/scale.hpp"

namespace fugu::report {

namespace {

constexpr double kSide = 600;  // the longer side of a map to scale, and the width of a tree
// A tree is stretched until it is about as wide as high: a screen has room for that.
constexpr double kTreeHeightMin = 360;
constexpr double kTreeHeightMax = 780;

/// The outline of a subtree: per row the outermost nodes, relative to its top. The last element is the first row, so
/// that a subtree gets a node on top at no cost.
struct Outline {
  std::vector<double> left;
  std::vector<double> right;

  std::size_t rows() const { return left.size(); }
  double left_of_row(std::size_t row) const { return left[left.size() - 1 - row]; }
  double right_of_row(std::size_t row) const { return right[right.size() - 1 - row]; }

  void push_top() {
    left.push_back(0);
    right.push_back(0);
  }
};

/// Widths and rows of one: the caller stretches them.
class Tree {
 public:
  explicit Tree(const grid::Network& network) : network_(network), children_(network.nodes().size()) {
    for (const std::uint32_t node : network.order()) {
      if (node != network.root()) children_[network.parent(node)].push_back(node);
    }
    offsets_.resize(children_.size());
    outlines_.resize(children_.size());
    const auto order = network.order();
    for (auto node = order.rbegin(); node != order.rend(); ++node) place_children(*node);
  }

  std::vector<Place> places() const {
    std::vector<Place> places(children_.size());
    for (const std::uint32_t node : network_.order()) {
      if (node == network_.root()) continue;
      const Place& above = places[network_.parent(node)];
      places[node] = {above.x + offsets_[node], above.y + 1};
    }
    return places;
  }

 private:
  /// Puts the finished subtrees below `node` side by side, each where it is nearer. The deepest one is first: it stands
  /// right below and lends its outline, so that each row of another is looked at once: as many steps as nodes in all.
  void place_children(std::uint32_t node) {
    std::vector<std::uint32_t>& children = children_[node];
    std::ranges::stable_sort(children, std::ranges::greater(),
                             [&](std::uint32_t child) { return outlines_[child].rows(); });
    Outline outline;
    for (const std::uint32_t child : children) {
      Outline part = std::exchange(outlines_[child], {});
      if (outline.rows() == 0) {
        outline = std::move(part);
        continue;
      }
      const double to_right = right_of(outline, part);
      const double to_left = left_of(outline, part);
      const bool is_right = to_right <= -to_left;
      offsets_[child] = is_right ? to_right : to_left;
      auto& side = is_right ? outline.right : outline.left;
      const auto& part_side = is_right ? part.right : part.left;
      const std::size_t rows_below = outline.rows() - part.rows();
      for (std::size_t i = 0; i < part.rows(); ++i) side[rows_below + i] = offsets_[child] + part_side[i];
    }
    outline.push_top();
    outlines_[node] = std::move(outline);
  }

  /// How far to the right of `all` the top of `part` has to stand so that they are 1 apart in every row.
  static double right_of(const Outline& all, const Outline& part) {
    double offset = -std::numeric_limits<double>::infinity();
    for (std::size_t row = 0; row < part.rows(); ++row) {
      offset = std::max(offset, all.right_of_row(row) + 1 - part.left_of_row(row));
    }
    return offset;
  }
  /// The same to the left: below 0.
  static double left_of(const Outline& all, const Outline& part) {
    double offset = std::numeric_limits<double>::infinity();
    for (std::size_t row = 0; row < part.rows(); ++row) {
      offset = std::min(offset, all.left_of_row(row) - 1 - part.right_of_row(row));
    }
    return offset;
  }

  const grid::Network& network_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<double> offsets_;  // from the node above
  std::vector<Outline> outlines_;
};

struct Bounds {
  Interval x;
  Interval y;
};

Bounds bounds_of(const std::vector<Place>& places) {
  const auto [left, right] = std::ranges::minmax(places, {}, &Place::x);
  const auto [top, bottom] = std::ranges::minmax(places, {}, &Place::y);
  return {{left.x, right.x}, {top.y, bottom.y}};
}

/// Stretched to `width` and `height`; what has no extent is in the middle.
void fit(std::vector<Place>& places, const Bounds& bounds, double width, double height) {
  const auto part = [](double value, const Interval& all) {
    return all.width() > 0 ? (value - all.lo) / all.width() : 0.5;
  };
  for (Place& place : places) place = {part(place.x, bounds.x) * width, part(place.y, bounds.y) * height};
}

}  // namespace

NetworkDrawing draw_tree(const grid::Network& network) {
  std::vector<Place> places = Tree(network).places();
  const Bounds bounds = bounds_of(places);
  const double columns = std::max(bounds.x.width(), 1.0);
  const double height = std::clamp(kSide * bounds.y.width() / columns, kTreeHeightMin, kTreeHeightMax);
  fit(places, bounds, kSide, height);
  return {.width = kSide, .height = height, .nodes = std::move(places)};
}

NetworkDrawing draw_network(const grid::Network& network) {
  std::vector<Place> places;
  for (const grid::Node& node : network.nodes()) {
    if (!node.position) return draw_tree(network);
    places.push_back({node.position->x_m, -node.position->y_m});
  }
  const Bounds bounds = bounds_of(places);
  const double longer = std::max(bounds.x.width(), bounds.y.width());
  if (longer == 0) return draw_tree(network);
  const double width = kSide * bounds.x.width() / longer;
  const double height = kSide * bounds.y.width() / longer;
  fit(places, bounds, width, height);
  return {.is_geographic = true, .width = width, .height = height, .nodes = std::move(places)};
}

}  // namespace fugu::report
