// Charts as SVG: marks (what is drawn) on a frame (scales), inside a chart (title, legend, axes).
//
//     Chart chart({.title = "North feeder", .description = "True and released load over one week.",
//                  .x = {.label = "time", .unit = "slot"}, .y = {.label = "load", .unit = "kW"}});
//     chart.add(Band({.label = "95 % band", .colour = Colour::blue, .shape = Shape::steps}, spans));
//     chart.add(Line({.label = "released", .colour = Colour::blue, .shape = Shape::steps}, released));
//     chart.add(Line({.label = "truth", .colour = Colour::ink}, truth));
//     std::string picture = chart.standalone_svg();
//
// The result needs nothing from outside: no script, font, style sheet or image. Any text is escaped, any number
// accepted: what is not finite is a gap. A new kind of mark (bars, heat map, box plot) derives from Mark; axes, legend
// and layout stay as they are.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fugu/report/downsample.hpp"
#include "fugu/report/markup.hpp"
#include "fugu/report/scale.hpp"
#include "fugu/report/theme.hpp"

namespace fugu::report {

/// Where marks are drawn: data to pixels in both directions.
struct Frame {
  LinearScale x;
  LinearScale y;

  double width_px() const;
};

/// The data a mark covers; empty when it has nothing to draw.
struct Extent {
  std::optional<Interval> x;
  std::optional<Interval> y;
};

/// How a mark shows in the legend.
struct LegendEntry {
  enum class Swatch { line, dots, area };
  std::string label;  ///< empty: not shown
  Swatch swatch = Swatch::line;
  Colour colour = Colour::ink;
  double width_px = 0.0;
  bool dashed = false;
};

class Mark {
 public:
  virtual ~Mark() = default;
  virtual Extent extent() const = 0;
  virtual LegendEntry legend() const = 0;
  virtual void draw(MarkupWriter& svg, const Frame& frame) const = 0;
};

/// How points are joined: directly, or by holding each value until the next one (a repeated release).
enum class Shape { straight, steps };

/// Points ordered by x, joined; a y that is not finite leaves a gap.
class Line final : public Mark {
 public:
  struct Options {
    std::string label = {};
    Colour colour = Colour::blue;
    double width_px = 1.75;
    bool dashed = false;
    Shape shape = Shape::straight;
  };
  Line(Options options, std::vector<Point> points);

  Extent extent() const override;
  LegendEntry legend() const override;
  void draw(MarkupWriter& svg, const Frame& frame) const override;

 private:
  Options options_;
  std::vector<Point> points_;
};

/// Points that are not joined: scatter plots. Translucent, so that many on one spot show.
class Dots final : public Mark {
 public:
  struct Options {
    std::string label = {};
    Colour colour = Colour::blue;
    double size_px = 3.0;
  };
  Dots(Options options, std::vector<Point> points);

  Extent extent() const override;
  LegendEntry legend() const override;
  void draw(MarkupWriter& svg, const Frame& frame) const override;

 private:
  Options options_;
  std::vector<Point> points_;
};

/// The area between a lower and an upper line, translucent. Add it before the lines it belongs to.
class Band final : public Mark {
 public:
  struct Options {
    std::string label = {};
    Colour colour = Colour::blue;
    Shape shape = Shape::straight;
  };
  Band(Options options, std::vector<Span> spans);

  Extent extent() const override;
  LegendEntry legend() const override;
  void draw(MarkupWriter& svg, const Frame& frame) const override;

 private:
  Options options_;
  std::vector<Span> spans_;
};

/// Rectangles that lie side by side or on top of each other: intervals of time, as high as what happens in them.
struct Box {
  Interval x = {};
  Interval y = {};
  std::string label = {};  ///< inside, if there is room
  std::string hint = {};   ///< shown when the pointer rests on it
};

class Boxes final : public Mark {
 public:
  struct Options {
    std::string label = {};
    Colour colour = Colour::blue;
  };
  Boxes(Options options, std::vector<Box> boxes);

  Extent extent() const override;
  LegendEntry legend() const override;
  void draw(MarkupWriter& svg, const Frame& frame) const override;

 private:
  Options options_;
  std::vector<Box> boxes_;
};

/// How values spread: a box from quartile to quartile with a line at the median, whiskers from the smallest to the
/// largest.
struct Spread {
  double x = 0.0;  ///< where it stands
  double lowest = 0.0;
  double lower_quartile = 0.0;
  double median = 0.0;
  double upper_quartile = 0.0;
  double highest = 0.0;
  std::string hint = {};  ///< shown when the pointer rests on it
};

class BoxPlots final : public Mark {
 public:
  struct Options {
    std::string label = {};
    Colour colour = Colour::blue;
    double width = 0.6;  ///< of a box, in units of x
  };
  BoxPlots(Options options, std::vector<Spread> spreads);

  Extent extent() const override;
  LegendEntry legend() const override;
  void draw(MarkupWriter& svg, const Frame& frame) const override;

 private:
  Options options_;
  std::vector<Spread> spreads_;
};

/// A table in colours: cells that say by colour and number how good something is. Cells without heat are headings.
struct HeatCell {
  Interval x = {};
  Interval y = {};
  std::optional<std::size_t> heat = std::nullopt;  ///< below kHeatLevels
  std::string label = {};                          ///< inside, if there is room
  std::string hint = {};                           ///< shown when the pointer rests on it
};

class HeatMap final : public Mark {
 public:
  explicit HeatMap(std::vector<HeatCell> cells);

  Extent extent() const override;
  LegendEntry legend() const override { return {}; }
  void draw(MarkupWriter& svg, const Frame& frame) const override;

 private:
  std::vector<HeatCell> cells_;
};

/// Parts of the horizontal axis, shaded over the whole height: nights, gaps. Add them before everything else.
class Shades final : public Mark {
 public:
  struct Options {
    std::string label = {};
    Colour colour = Colour::slate;
  };
  Shades(Options options, std::vector<Interval> parts);

  Extent extent() const override;
  LegendEntry legend() const override;
  void draw(MarkupWriter& svg, const Frame& frame) const override;

 private:
  Options options_;
  std::vector<Interval> parts_;
};

struct Axis {
  std::string label = {};
  std::string unit = {};                    ///< shown in parentheses after the label
  std::optional<double> lo = std::nullopt;  ///< instead of the smallest value; what lies outside is cut off
  std::optional<double> hi = std::nullopt;
  std::vector<Tick> ticks = {};  ///< instead of round numbers: dates, categories; those that would overlap are left out
};

class Chart {
 public:
  struct Options {
    std::string title = {};
    std::string description = {};  ///< read aloud instead of the picture: say what it shows
    Axis x = {};
    Axis y = {};
    double width_px = 960.0;   ///< at least 320
    double height_px = 420.0;  ///< at least 160
  };
  explicit Chart(Options options);

  /// Marks are drawn in the order they are added.
  template <std::derived_from<Mark> SomeMark>
  Chart& add(SomeMark mark) {
    marks_.push_back(std::make_unique<SomeMark>(std::move(mark)));
    return *this;
  }

  const std::string& title() const { return options_.title; }

  /// For a page that carries chart_css(); scales to its container. `id` must be unique on the page.
  std::string inline_svg(std::string_view id) const;

  /// A file of its own, on a card: legible on light and on dark surroundings.
  std::string standalone_svg() const;

 private:
  friend class ChartStack;
  struct Layout;
  std::string svg(std::string_view id, bool standalone) const;
  /// `axis_px`: room for the labels of the vertical axis, at least.
  Layout layout(double padding_px, double axis_px) const;
  void draw(MarkupWriter& svg, std::string_view id, const Layout& layout) const;

  Options options_;
  std::vector<std::unique_ptr<Mark>> marks_;
};

/// Charts one above the other as one picture, their plots aligned: different things over the same time. Give all the
/// same width and the same horizontal range.
class ChartStack {
 public:
  explicit ChartStack(std::vector<Chart> charts);

  std::string inline_svg(std::string_view id) const;
  std::string standalone_svg() const;

 private:
  std::string svg(std::string_view id, bool standalone) const;

  std::vector<Chart> charts_;
};

}  // namespace fugu::report
