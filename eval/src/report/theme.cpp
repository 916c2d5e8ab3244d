#include "fugu/report/theme.hpp"

namespace fugu::report {

constexpr Theme kLight = {
    .background = "#ffffff",
    .ink = "#1f2328",
    .muted = "#59636e",
    .grid = "#e3e7eb",
    .zero = "#b0b8c1",
    .border = "#d0d7de",
    .surface = "#f4f6f8",
    .good = "#0a6b4b",
    .bad = "#b3261e",
    .series = {"#1f2328", "#0072b2", "#c44e00", "#007f5c", "#a23f82", "#8f6400", "#5b6678"},
};

constexpr Theme kDark = {
    .background = "#0d1117",
    .ink = "#e6edf3",
    .muted = "#9aa4af",
    .grid = "#262d36",
    .zero = "#545d68",
    .border = "#3d444d",
    .surface = "#161b22",
    .good = "#4fd1a1",
    .bad = "#ff8a80",
    .series = {"#e6edf3", "#56b4e9", "#ff8a4c", "#3cc79a", "#e28ac0", "#e6b84a", "#a3aec0"},
};

constexpr std::array<HeatColour, kHeatLevels> kHeat = {{{"#1d5fa8", "#ffffff"},
                                                        {"#0b6e4f", "#ffffff"},
                                                        {"#8fd0b2", "#1f2328"},
                                                        {"#d5eee0", "#1f2328"},
                                                        {"#fdf1cf", "#1f2328"},
                                                        {"#f8c98a", "#1f2328"},
                                                        {"#ea8a45", "#1f2328"},
                                                        {"#9e3203", "#ffffff"}}};

namespace {

constexpr std::array<std::string_view, kColours> kNames = {"ink",    "blue",  "vermilion", "green",
                                                           "purple", "ochre", "slate"};

std::string_view name(Colour colour) { return kNames[static_cast<std::size_t>(colour)]; }

std::string colours(const Theme& theme, std::string_view band_opacity) {
  std::string css;
  const auto rule = [&css](std::string_view css_class, std::string_view property, std::string_view value) {
    css.append(".").append(css_class).append("{").append(property).append(":").append(value).append("}\n");
  };
  rule("fugu-card", "fill", theme.background);
  rule("fugu-card", "stroke", theme.border);
  rule("fugu-text", "fill", theme.ink);
  rule("fugu-muted", "fill", theme.muted);
  rule("fugu-grid", "stroke", theme.grid);
  rule("fugu-axis", "stroke", theme.muted);
  rule("fugu-zero", "stroke", theme.zero);
  rule("fugu-band", "fill-opacity", band_opacity);
  for (std::size_t i = 0; i < kColours; ++i) {
    rule(stroke_class(static_cast<Colour>(i)), "stroke", theme.series[i]);
    rule(fill_class(static_cast<Colour>(i)), "fill", theme.series[i]);
  }
  return css;
}

}  // namespace

std::string stroke_class(Colour colour) { return std::string("fugu-stroke-").append(name(colour)); }

std::string fill_class(Colour colour) { return std::string("fugu-fill-").append(name(colour)); }

std::string heat_class(std::size_t level) { return std::string("fugu-heat-").append(std::to_string(level)); }

std::string heat_ink_class(std::size_t level) { return std::string("fugu-heat-ink-").append(std::to_string(level)); }

std::string chart_css() {
  std::string css =
      ".fugu-chart{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;"
      "font-size:13px;font-variant-numeric:tabular-nums}\n"
      ".fugu-title{font-size:17px;font-weight:600}\n"
      ".fugu-grid,.fugu-zero,.fugu-axis{stroke-width:1;shape-rendering:crispEdges}\n"
      ".fugu-line{fill:none;stroke-linejoin:round;stroke-linecap:round}\n"
      ".fugu-band{stroke:none}\n"
      ".fugu-box{fill-opacity:0.3;stroke-width:1}\n";
  for (std::size_t level = 0; level < kHeatLevels; ++level) {
    css.append(".").append(heat_class(level)).append("{fill:").append(kHeat[level].fill).append("}\n");
    css.append(".").append(heat_ink_class(level)).append("{fill:").append(kHeat[level].ink).append("}\n");
  }
  css += colours(kLight, "0.2");
  // Screens only: paper is white whatever the screen prefers.
  css.append("@media screen and (prefers-color-scheme:dark){\n").append(colours(kDark, "0.3")).append("}\n");
  return css;
}

}  // namespace fugu::report
