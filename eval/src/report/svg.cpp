#include "fugu/report/svg.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "fugu/base/check.hpp"

namespace fugu::report {

namespace {

constexpr double kFontPx = 13.0;
constexpr double kTitleFontPx = 17.0;
constexpr double kBoldWidening = 1.08;
constexpr double kPaddingPx = 20.0;
constexpr double kRowPx = 20.0;
constexpr double kSwatchPx = 26.0;
constexpr double kSwatchGapPx = 8.0;
constexpr double kLegendGapPx = 24.0;
constexpr double kTickPx = 5.0;
constexpr double kTickGapXPx = 90.0;
constexpr double kTickGapYPx = 30.0;
constexpr double kSmallestShare = 0.75;  // of its width, on a narrow page: below, nobody can read it
constexpr double kLargestShare = 1.1;    // on a wide page
constexpr double kStackGapPx = 14.0;     // between two charts, instead of the padding of both

/// A coordinate with two decimals. Far outside points are pulled to where clipping still hides them.
std::string px(double value) {
  value = std::clamp(value, -1e5, 1e5);
  std::array<char, 16> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 2).ptr;
  std::string out(text.data(), end);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.')) out.pop_back();
  return out == "-0" ? "0" : out;
}

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

/// Share of the font size a character takes in DejaVu Sans, the widest of the common sans-serifs.
double character_width(char first_byte) {
  if (std::string_view(" ijl.,:;'|!()[]/tfrI").find(first_byte) != std::string_view::npos) return 0.38;
  if (std::string_view("mwMW%@&").find(first_byte) != std::string_view::npos) return 0.95;
  if (first_byte >= 'A' && first_byte <= 'Z') return 0.70;
  return 0.63;
}

/// How wide a text will be at most, without knowing the font.
double text_width_px(std::string_view utf8, double font_px = kFontPx) {
  double width = 0.0;
  for (const char byte : utf8)
    if (starts_character(byte)) width += character_width(byte);
  return width * font_px;
}

/// `text` cut to fit, with an ellipsis where something was cut.
std::string fitted(std::string_view text, double width_px, double font_px = kFontPx) {
  if (text_width_px(text, font_px) <= width_px) return std::string(text);
  double used_px = font_px;  // the ellipsis
  std::size_t bytes = 0;
  for (; bytes < text.size(); ++bytes) {
    if (!starts_character(text[bytes])) continue;
    used_px += character_width(text[bytes]) * font_px;
    if (used_px > width_px) break;
  }
  return std::string(text.substr(0, bytes)).append("…");
}

std::string with_unit(const Axis& axis) {
  if (axis.unit.empty()) return axis.label;
  if (axis.label.empty()) return axis.unit;
  return std::string(axis.label).append(" (").append(axis.unit).append(")");
}

void include(std::optional<Interval>& interval, double value) {
  if (!std::isfinite(value)) return;
  if (!interval) interval = Interval{value, value};
  interval->lo = std::min(interval->lo, value);
  interval->hi = std::max(interval->hi, value);
}

void include(std::optional<Interval>& interval, const std::optional<Interval>& other) {
  if (!other) return;
  include(interval, other->lo);
  include(interval, other->hi);
}

void move_to(std::string& path, const Point& point) {
  path.append("M").append(px(point.x)).append(" ").append(px(point.y));
}

void line_to(std::string& path, const Point& point) {
  path.append("L").append(px(point.x)).append(" ").append(px(point.y));
}

/// Continues `path` through the corners that join `from` to `to`.
void join(std::string& path, const Point& from, const Point& to, Shape shape) {
  if (shape == Shape::steps && from.y != to.y) line_to(path, {to.x, from.y});
  line_to(path, to);
}

std::string dashes(double width_px) { return px(4.0 * width_px).append(" ").append(px(3.0 * width_px)); }

std::vector<Attribute> line_attributes(Colour colour, double width_px, bool dashed, std::string path) {
  std::vector<Attribute> attributes = {{"class", std::string("fugu-line ").append(stroke_class(colour))},
                                       {"stroke-width", px(width_px)},
                                       {"d", std::move(path)}};
  if (dashed) attributes.push_back({"stroke-dasharray", dashes(width_px)});
  return attributes;
}

std::string band_class(Colour colour) { return std::string("fugu-band ").append(fill_class(colour)); }

/// The range an axis shows. Values all of one sign that come near zero get their zero: areas and bars need it, and
/// cutting it off exaggerates.
Interval axis_domain(const Axis& axis, std::optional<Interval> data, bool rounded, int ticks_max) {
  for (const auto& bound : {axis.lo, axis.hi})
    if (bound) include(data, *bound);
  for (const Tick& tick : axis.ticks) include(data, tick.value);
  Interval domain = drawable(data.value_or(Interval{0.0, 1.0}));
  if (rounded) {
    if (domain.lo > 0.0 && domain.lo < 0.5 * domain.hi) domain.lo = 0.0;
    if (domain.hi < 0.0 && domain.hi > 0.5 * domain.lo) domain.hi = 0.0;
    domain = nice_domain(domain, ticks_max);
  }
  if (axis.lo && std::isfinite(*axis.lo)) domain.lo = *axis.lo;
  if (axis.hi && std::isfinite(*axis.hi)) domain.hi = *axis.hi;
  return drawable(domain);
}

std::vector<Tick> ticks_of(const Axis& axis, const Interval& domain, int count_max) {
  if (axis.ticks.empty()) return nice_ticks(domain, count_max);
  std::vector<Tick> visible;
  for (const Tick& tick : axis.ticks)
    if (tick.value >= domain.lo && tick.value <= domain.hi) visible.push_back(tick);
  return visible;
}

/// Legend entries in rows that fit.
std::vector<std::vector<LegendEntry>> legend_rows(const std::vector<std::unique_ptr<Mark>>& marks, double width_px) {
  std::vector<std::vector<LegendEntry>> rows;
  double used_px = 0.0;
  for (const auto& mark : marks) {
    LegendEntry entry = mark->legend();
    if (entry.label.empty()) continue;
    entry.label = fitted(entry.label, width_px - kSwatchPx - kSwatchGapPx);
    const double entry_px = kSwatchPx + kSwatchGapPx + text_width_px(entry.label) + kLegendGapPx;
    if (rows.empty() || used_px + entry_px - kLegendGapPx > width_px) {
      rows.emplace_back();
      used_px = 0.0;
    }
    used_px += entry_px;
    rows.back().push_back(std::move(entry));
  }
  return rows;
}

void draw_text(MarkupWriter& svg, std::string css_class, double x_px, double y_px, std::string_view text,
               std::string anchor = "start") {
  svg.element("text",
              {{"class", std::move(css_class)}, {"x", px(x_px)}, {"y", px(y_px)}, {"text-anchor", std::move(anchor)}},
              text);
}

void draw_rule(MarkupWriter& svg, std::string css_class, Point from, Point to) {
  svg.empty(
      "line",
      {{"class", std::move(css_class)}, {"x1", px(from.x)}, {"y1", px(from.y)}, {"x2", px(to.x)}, {"y2", px(to.y)}});
}

/// A line of no length with round ends.
void add_dot(std::string& path, Point at) {
  move_to(path, at);
  path += "h0";
}

void draw_legend(MarkupWriter& svg, const std::vector<std::vector<LegendEntry>>& rows, double left_px, double top_px) {
  for (const auto& row : rows) {
    double x_px = left_px;
    const double middle_px = top_px + kRowPx / 2.0;
    for (const LegendEntry& entry : row) {
      if (entry.swatch == LegendEntry::Swatch::line) {
        std::string path;
        move_to(path, {x_px, middle_px});
        line_to(path, {x_px + kSwatchPx, middle_px});
        svg.empty("path", line_attributes(entry.colour, entry.width_px, entry.dashed, std::move(path)));
      } else if (entry.swatch == LegendEntry::Swatch::dots) {
        std::string path;
        for (const double share : {0.2, 0.5, 0.8}) add_dot(path, {x_px + share * kSwatchPx, middle_px});
        svg.empty("path", line_attributes(entry.colour, entry.width_px, false, std::move(path)));
      } else {
        svg.empty("rect", {{"class", band_class(entry.colour)},
                           {"x", px(x_px)},
                           {"y", px(middle_px - 6.0)},
                           {"width", px(kSwatchPx)},
                           {"height", "12"},
                           {"rx", "2"}});
      }
      x_px += kSwatchPx + kSwatchGapPx;
      draw_text(svg, "fugu-text", x_px, middle_px + 4.5, entry.label);
      x_px += text_width_px(entry.label) + kLegendGapPx;
    }
    top_px += kRowPx;
  }
}

void draw_axis_y(MarkupWriter& svg, const Frame& frame, const std::vector<Tick>& ticks) {
  const Interval x_px = frame.x.range();
  for (const Tick& tick : ticks) {
    const double y_px = std::round(frame.y(tick.value)) + 0.5;
    draw_rule(svg, tick.value == 0.0 ? "fugu-zero" : "fugu-grid", {x_px.lo, y_px}, {x_px.hi, y_px});
    draw_text(svg, "fugu-muted", x_px.lo - 10.0, y_px + 4.5, tick.label, "end");
  }
}

void draw_axis_x(MarkupWriter& svg, const Frame& frame, const std::vector<Tick>& ticks, double chart_width_px) {
  const double y_px = std::round(frame.y.range().lo) + 0.5;
  draw_rule(svg, "fugu-axis", {frame.x.range().lo, y_px}, {frame.x.range().hi, y_px});
  double free_from_px = 0.0;
  for (const Tick& tick : ticks) {
    const double x_px = std::round(frame.x(tick.value)) + 0.5;
    const double half_px = text_width_px(tick.label) / 2.0;
    const double centre_px = std::clamp(x_px, half_px + 4.0, std::max(half_px + 4.0, chart_width_px - half_px - 4.0));
    if (centre_px - half_px < free_from_px) continue;
    free_from_px = centre_px + half_px + 8.0;
    draw_rule(svg, "fugu-axis", {x_px, y_px}, {x_px, y_px + kTickPx});
    draw_text(svg, "fugu-muted", centre_px, y_px + kTickPx + 15.0, tick.label, "middle");
  }
}

enum class Form { inside_page, standalone };

/// A card needs room between its edge and the content; on a page the figure has it, except for what reaches below the
/// baseline of the last line.
double padding_of(Form form) { return form == Form::standalone ? kPaddingPx : 5.0; }

std::string id_of(std::string_view id, std::string_view part) { return std::string(id).append("-").append(part); }

/// Opens the picture, up to and including the card it lies on.
void open_picture(MarkupWriter& svg, std::string_view id, Form form, const Point& size_px, std::string_view title,
                  std::string_view description) {
  std::vector<Attribute> root = {
      {"xmlns", "http://www.w3.org/2000/svg"},
      {"class", "fugu-chart"},
      {"viewBox", std::string("0 0 ").append(px(size_px.x)).append(" ").append(px(size_px.y))},
      {"role", "img"},
      {"aria-labelledby", id_of(id, "title").append(" ").append(id_of(id, "desc"))}};
  if (form == Form::standalone) {
    root.push_back({"width", px(size_px.x)});
    root.push_back({"height", px(size_px.y)});
  } else {
    root.push_back({"style", std::string("min-width:")
                                 .append(px(kSmallestShare * size_px.x))
                                 .append("px;max-width:")
                                 .append(px(kLargestShare * size_px.x))
                                 .append("px")});
  }
  svg.open("svg", root);
  svg.element("title", {{"id", id_of(id, "title")}}, title);
  svg.element("desc", {{"id", id_of(id, "desc")}}, description);
  if (form == Form::inside_page) return;
  svg.open("style");
  svg.trusted(chart_css());
  svg.close();
  svg.empty("rect", {{"class", "fugu-card"},
                     {"x", "0.5"},
                     {"y", "0.5"},
                     {"width", px(size_px.x - 1.0)},
                     {"height", px(size_px.y - 1.0)},
                     {"rx", "8"}});
}

Extent extent_of(const std::vector<Point>& points) {
  Extent extent;
  for (const Point& point : points) {
    include(extent.x, point.x);
    include(extent.y, point.y);
  }
  return extent;
}

}  // namespace

double Frame::width_px() const { return std::abs(x.range().width()); }

Line::Line(Options options, std::vector<Point> points) : options_(std::move(options)), points_(std::move(points)) {
  FUGU_CHECK(std::ranges::is_sorted(points_, {}, &Point::x));
}

Extent Line::extent() const { return extent_of(points_); }

LegendEntry Line::legend() const {
  return {options_.label, LegendEntry::Swatch::line, options_.colour, options_.width_px, options_.dashed};
}

void Line::draw(MarkupWriter& svg, const Frame& frame) const {
  const auto columns = static_cast<std::size_t>(frame.width_px());
  std::string path;
  Point before;
  bool joined = false;  // to the point before
  bool alone = false;   // the point before has no neighbour yet: it needs a dot to be seen
  for (const Point& point : downsample(points_, frame.x.domain(), columns)) {
    if (!std::isfinite(point.y) || !std::isfinite(point.x)) {
      if (alone) path += "h0";
      alone = joined = false;
      continue;
    }
    const Point here{frame.x(point.x), frame.y(point.y)};
    if (joined)
      join(path, before, here, options_.shape);
    else
      move_to(path, here);
    alone = !joined;
    joined = true;
    before = here;
  }
  if (alone) path += "h0";
  if (path.empty()) return;
  // Where a column holds many points, a thick line would flow together into a blot.
  const bool dense = points_.size() > 2 * columns;
  const double width_px = dense ? std::min(1.0, options_.width_px) : options_.width_px;
  svg.empty("path", line_attributes(options_.colour, width_px, options_.dashed, std::move(path)));
}

Dots::Dots(Options options, std::vector<Point> points) : options_(std::move(options)), points_(std::move(points)) {}

Extent Dots::extent() const { return extent_of(points_); }

LegendEntry Dots::legend() const {
  return {options_.label, LegendEntry::Swatch::dots, options_.colour, options_.size_px};
}

void Dots::draw(MarkupWriter& svg, const Frame& frame) const {
  std::string path;
  for (const Point& point : points_) {
    if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
    add_dot(path, {frame.x(point.x), frame.y(point.y)});
  }
  if (path.empty()) return;
  std::vector<Attribute> attributes = line_attributes(options_.colour, options_.size_px, false, std::move(path));
  attributes.push_back({"stroke-opacity", "0.55"});
  svg.empty("path", attributes);
}

Band::Band(Options options, std::vector<Span> spans) : options_(std::move(options)), spans_(std::move(spans)) {
  FUGU_CHECK(std::ranges::is_sorted(spans_, {}, &Span::x));
}

Extent Band::extent() const {
  Extent extent;
  for (const Span& span : spans_) {
    include(extent.x, span.x);
    include(extent.y, span.lower);
    include(extent.y, span.upper);
  }
  return extent;
}

LegendEntry Band::legend() const { return {options_.label, LegendEntry::Swatch::area, options_.colour, 0.0, false}; }

void Band::draw(MarkupWriter& svg, const Frame& frame) const {
  const auto columns = static_cast<std::size_t>(frame.width_px());
  std::string path;
  std::vector<Point> upper;
  std::vector<Point> lower;
  const auto flush = [&] {
    if (upper.empty()) return;
    if (upper.size() == 1) {  // an area needs a width to be seen
      for (auto* side : {&upper, &lower}) {
        side->push_back({side->front().x + 0.75, side->front().y});
        side->front().x -= 0.75;
      }
    }
    move_to(path, upper.front());
    for (std::size_t i = 1; i < upper.size(); ++i) join(path, upper[i - 1], upper[i], options_.shape);
    line_to(path, lower.back());
    for (std::size_t i = lower.size() - 1; i > 0; --i) {
      // Walking back, a step comes down at the right end of its value, where the forward walk went up.
      if (options_.shape == Shape::steps && lower[i - 1].y != lower[i].y) line_to(path, {lower[i].x, lower[i - 1].y});
      line_to(path, lower[i - 1]);
    }
    path += "Z";
    upper.clear();
    lower.clear();
  };
  for (const Span& span : downsample(spans_, frame.x.domain(), columns)) {
    if (!std::isfinite(span.x) || !std::isfinite(span.lower) || !std::isfinite(span.upper)) {
      flush();
      continue;
    }
    upper.push_back({frame.x(span.x), frame.y(span.upper)});
    lower.push_back({frame.x(span.x), frame.y(span.lower)});
  }
  flush();
  if (path.empty()) return;
  svg.empty("path", {{"class", band_class(options_.colour)}, {"d", std::move(path)}});
}

Boxes::Boxes(Options options, std::vector<Box> boxes) : options_(std::move(options)), boxes_(std::move(boxes)) {}

Extent Boxes::extent() const {
  Extent extent;
  for (const Box& box : boxes_) {
    include(extent.x, box.x);
    include(extent.y, box.y);
  }
  return extent;
}

LegendEntry Boxes::legend() const { return {options_.label, LegendEntry::Swatch::area, options_.colour, 0.0, false}; }

namespace {

/// A rectangle that says more when the pointer rests on it.
void draw_rectangle(MarkupWriter& svg, const std::vector<Attribute>& attributes, const std::string& hint) {
  if (hint.empty()) {
    svg.empty("rect", attributes);
    return;
  }
  svg.open("rect", attributes);
  svg.element("title", {}, hint);
  svg.close();
}

}  // namespace

void Boxes::draw(MarkupWriter& svg, const Frame& frame) const {
  const std::string css_class = std::string("fugu-box ").append(fill_class(options_.colour)).append(" ");
  for (const Box& box : boxes_) {
    const double left_px = frame.x(box.x.lo);
    const double top_px = frame.y(box.y.hi);
    // Neighbours stay apart, and what is thin stays visible.
    const double width_px = std::max(1.0, frame.x(box.x.hi) - left_px - 1.0);
    const double height_px = std::max(1.5, frame.y(box.y.lo) - top_px - 1.0);
    const std::vector<Attribute> attributes = {{"class", css_class + stroke_class(options_.colour)},
                                               {"x", px(left_px)},
                                               {"y", px(top_px)},
                                               {"width", px(width_px)},
                                               {"height", px(height_px)},
                                               {"rx", "1.5"}};
    draw_rectangle(svg, attributes, box.hint);
    if (box.label.empty() || height_px < kFontPx || text_width_px(box.label) > width_px) continue;
    draw_text(svg, "fugu-text", left_px + width_px / 2.0, top_px + height_px / 2.0 + 4.5, box.label, "middle");
  }
}

BoxPlots::BoxPlots(Options options, std::vector<Spread> spreads)
    : options_(std::move(options)), spreads_(std::move(spreads)) {}

Extent BoxPlots::extent() const {
  Extent extent;
  for (const Spread& spread : spreads_) {
    include(extent.x, Interval{spread.x - options_.width / 2, spread.x + options_.width / 2});
    include(extent.y, Interval{spread.lowest, spread.highest});
  }
  return extent;
}

LegendEntry BoxPlots::legend() const {
  return {options_.label, LegendEntry::Swatch::area, options_.colour, 0.0, false};
}

void BoxPlots::draw(MarkupWriter& svg, const Frame& frame) const {
  const std::string box_class =
      std::string("fugu-box ").append(fill_class(options_.colour)).append(" ").append(stroke_class(options_.colour));
  for (const Spread& spread : spreads_) {
    const double left_px = frame.x(spread.x - options_.width / 2);
    const double right_px = std::max(left_px + 1.0, frame.x(spread.x + options_.width / 2));
    const double middle_px = (left_px + right_px) / 2;
    const double top_px = frame.y(spread.upper_quartile);
    const double bottom_px = std::max(top_px + 1.0, frame.y(spread.lower_quartile));
    std::string whiskers;
    move_to(whiskers, {middle_px, frame.y(spread.highest)});
    line_to(whiskers, {middle_px, top_px});
    move_to(whiskers, {middle_px, bottom_px});
    line_to(whiskers, {middle_px, frame.y(spread.lowest)});
    svg.empty("path", line_attributes(options_.colour, 1.0, false, std::move(whiskers)));
    draw_rectangle(svg,
                   {{"class", box_class},
                    {"x", px(left_px)},
                    {"y", px(top_px)},
                    {"width", px(right_px - left_px)},
                    {"height", px(bottom_px - top_px)}},
                   spread.hint);
    std::string median;
    move_to(median, {left_px, frame.y(spread.median)});
    line_to(median, {right_px, frame.y(spread.median)});
    svg.empty("path", line_attributes(options_.colour, 2.0, false, std::move(median)));
  }
}

HeatMap::HeatMap(std::vector<HeatCell> cells) : cells_(std::move(cells)) {
  for (const HeatCell& cell : cells_) FUGU_CHECK(!cell.heat || *cell.heat < kHeatLevels);
}

Extent HeatMap::extent() const {
  Extent extent;
  for (const HeatCell& cell : cells_) {
    include(extent.x, cell.x);
    include(extent.y, cell.y);
  }
  return extent;
}

void HeatMap::draw(MarkupWriter& svg, const Frame& frame) const {
  for (const HeatCell& cell : cells_) {
    const double left_px = frame.x(cell.x.lo);
    const double top_px = frame.y(cell.y.hi);
    const double width_px = std::max(1.0, frame.x(cell.x.hi) - left_px - 1.0);
    const double height_px = std::max(1.0, frame.y(cell.y.lo) - top_px - 1.0);
    if (cell.heat)
      draw_rectangle(svg,
                     {{"class", heat_class(*cell.heat)},
                      {"x", px(left_px)},
                      {"y", px(top_px)},
                      {"width", px(width_px)},
                      {"height", px(height_px)}},
                     cell.hint);
    const std::string label = cell.heat ? cell.label : fitted(cell.label, width_px);
    if (label.empty() || height_px < kFontPx || text_width_px(label) > width_px) continue;
    draw_text(svg, cell.heat ? heat_ink_class(*cell.heat) : "fugu-text", left_px + width_px / 2.0,
              top_px + height_px / 2.0 + 4.5, label, "middle");
  }
}

Shades::Shades(Options options, std::vector<Interval> parts) : options_(std::move(options)), parts_(std::move(parts)) {}

Extent Shades::extent() const {
  Extent extent;
  for (const Interval& part : parts_) include(extent.x, part);
  return extent;
}

LegendEntry Shades::legend() const {
  return {parts_.empty() ? "" : options_.label, LegendEntry::Swatch::area, options_.colour, 0.0, false};
}

void Shades::draw(MarkupWriter& svg, const Frame& frame) const {
  const double top_px = frame.y.range().hi;
  for (const Interval& part : parts_) {
    const double left_px = frame.x(part.lo);
    svg.empty("rect", {{"class", band_class(options_.colour)},
                       {"x", px(left_px)},
                       {"y", px(top_px)},
                       {"width", px(std::max(1.0, frame.x(part.hi) - left_px))},
                       {"height", px(frame.y.range().lo - top_px)}});
  }
}

/// Where everything goes.
struct Chart::Layout {
  double padding_px;
  double right_px;
  double title_baseline_px;
  double legend_top_px;
  double y_label_baseline_px;
  double x_label_baseline_px;
  double axis_px;  ///< width of the labels of the vertical axis
  Frame frame;
  std::vector<std::vector<LegendEntry>> legend;
  std::vector<Tick> x_ticks;
  std::vector<Tick> y_ticks;
};

Chart::Chart(Options options) : options_(std::move(options)) {
  FUGU_CHECK(options_.width_px >= 320.0 && options_.height_px >= 160.0);
}

std::string Chart::inline_svg(std::string_view id) const { return svg(id, false); }

std::string Chart::standalone_svg() const { return svg("fugu", true); }

Chart::Layout Chart::layout(double padding_px, double axis_px) const {
  const double right_px = options_.width_px - std::max(padding_px, 14.0);
  // From the top: title, legend, label of the vertical axis, plot; below it tick labels and the horizontal label.
  double top_px = padding_px;
  const double title_baseline_px = top_px + kTitleFontPx;
  if (!options_.title.empty()) top_px += kTitleFontPx + 14.0;
  const double legend_top_px = top_px;
  auto legend = legend_rows(marks_, right_px - padding_px);
  if (!legend.empty()) top_px += kRowPx * static_cast<double>(legend.size()) + 8.0;
  const double y_label_baseline_px = top_px + kFontPx;
  if (!with_unit(options_.y).empty()) top_px += kFontPx + 12.0;
  const double plot_top_px = top_px + 4.0;
  const double below_plot_px = kTickPx + 22.0 + (with_unit(options_.x).empty() ? 0.0 : kFontPx + 8.0);
  const double plot_bottom_px = std::max(plot_top_px + 40.0, options_.height_px - padding_px - below_plot_px);

  Extent extent;
  for (const auto& mark : marks_) {
    const Extent one = mark->extent();
    include(extent.x, one.x);
    include(extent.y, one.y);
  }
  const int y_ticks_max = std::max(3, static_cast<int>((plot_bottom_px - plot_top_px) / kTickGapYPx) + 1);
  const Interval y_domain = axis_domain(options_.y, extent.y, options_.y.ticks.empty(), y_ticks_max);
  auto y_ticks = ticks_of(options_.y, y_domain, y_ticks_max);
  for (Tick& tick : y_ticks) {
    tick.label = fitted(tick.label, options_.width_px / 3.0);
    axis_px = std::max(axis_px, text_width_px(tick.label));
  }
  const double plot_left_px = std::round(padding_px + axis_px + 12.0);
  const int x_ticks_max = std::max(2, static_cast<int>((right_px - plot_left_px) / kTickGapXPx) + 1);
  const Interval x_domain = axis_domain(options_.x, extent.x, false, x_ticks_max);
  return {.padding_px = padding_px,
          .right_px = right_px,
          .title_baseline_px = title_baseline_px,
          .legend_top_px = legend_top_px,
          .y_label_baseline_px = y_label_baseline_px,
          .x_label_baseline_px = plot_bottom_px + below_plot_px,
          .axis_px = axis_px,
          .frame = {{x_domain, {plot_left_px, right_px}}, {y_domain, {plot_bottom_px, plot_top_px}}},
          .legend = std::move(legend),
          .x_ticks = ticks_of(options_.x, x_domain, x_ticks_max),
          .y_ticks = std::move(y_ticks)};
}

void Chart::draw(MarkupWriter& svg, std::string_view id, const Layout& at) const {
  const double text_width_max_px = at.right_px - at.padding_px;
  const Interval x_px = at.frame.x.range();
  const Interval y_px = at.frame.y.range();
  svg.open("clipPath", {{"id", id_of(id, "clip")}});
  // A pixel of slack, so that lines along the edge keep their full width.
  svg.empty("rect", {{"x", px(x_px.lo - 1.0)},
                     {"y", px(y_px.hi - 1.0)},
                     {"width", px(x_px.width() + 2.0)},
                     {"height", px(y_px.lo - y_px.hi + 2.0)}});
  svg.close();

  if (!options_.title.empty())
    draw_text(svg, "fugu-title fugu-text", at.padding_px, at.title_baseline_px,
              fitted(options_.title, text_width_max_px, kBoldWidening * kTitleFontPx));
  draw_legend(svg, at.legend, at.padding_px, at.legend_top_px);
  const std::string y_label = with_unit(options_.y);
  if (!y_label.empty())
    draw_text(svg, "fugu-muted", at.padding_px, at.y_label_baseline_px, fitted(y_label, text_width_max_px));
  draw_axis_y(svg, at.frame, at.y_ticks);
  svg.open("g", {{"clip-path", std::string("url(#").append(id_of(id, "clip")).append(")")}});
  for (const auto& mark : marks_) mark->draw(svg, at.frame);
  svg.close();
  draw_axis_x(svg, at.frame, at.x_ticks, options_.width_px);
  const std::string x_label = with_unit(options_.x);
  if (!x_label.empty())
    draw_text(svg, "fugu-muted", at.right_px, at.x_label_baseline_px, fitted(x_label, text_width_max_px), "end");
}

std::string Chart::svg(std::string_view id, bool standalone) const {
  const Form form = standalone ? Form::standalone : Form::inside_page;
  MarkupWriter svg;
  open_picture(svg, id, form, {options_.width_px, options_.height_px}, options_.title, options_.description);
  draw(svg, id, layout(padding_of(form), 0.0));
  svg.close();
  return std::move(svg).finish();
}

ChartStack::ChartStack(std::vector<Chart> charts) : charts_(std::move(charts)) { FUGU_CHECK(!charts_.empty()); }

std::string ChartStack::inline_svg(std::string_view id) const { return svg(id, false); }

std::string ChartStack::standalone_svg() const { return svg("fugu", true); }

std::string ChartStack::svg(std::string_view id, bool standalone) const {
  const Form form = standalone ? Form::standalone : Form::inside_page;
  const double padding_px = padding_of(form);
  Point size_px;
  double axis_px = 0.0;
  std::string description;
  for (const Chart& chart : charts_) {
    size_px.x = std::max(size_px.x, chart.options_.width_px);
    size_px.y += chart.options_.height_px + (size_px.y > 0.0 ? kStackGapPx - padding_px : 0.0);
    axis_px = std::max(axis_px, chart.layout(padding_px, 0.0).axis_px);
    description.append(description.empty() ? "" : " ").append(chart.options_.description);
  }
  MarkupWriter svg;
  open_picture(svg, id, form, size_px, charts_.front().options_.title, description);
  double top_px = 0.0;
  for (std::size_t i = 0; i < charts_.size(); ++i) {
    svg.open("g", {{"transform", std::string("translate(0 ").append(px(top_px)).append(")")}});
    charts_[i].draw(svg, id_of(id, std::to_string(i)), charts_[i].layout(padding_px, axis_px));
    svg.close();
    top_px += charts_[i].options_.height_px + kStackGapPx - padding_px;
  }
  svg.close();
  return std::move(svg).finish();
}

}  // namespace fugu::report
