// Colours that survive colour blindness, dark mode and a black-and-white printer.
//
// The series colours are Okabe and Ito's, darkened or lightened until each has a contrast of at least 3:1 (WCAG 2.1,
// graphics) with its background, text at least 4.5:1; tests/report/theme_test.cpp computes it. Colour is never the only
// cue: give lines that cross different widths or dashes.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace fugu::report {

/// `ink` is the colour of text: use it for the truth, and the others for what is released.
enum class Colour { ink, blue, vermilion, green, purple, ochre, slate };

inline constexpr std::size_t kColours = 7;

/// Colours as #rrggbb.
struct Theme {
  std::string_view background;
  std::string_view ink;
  std::string_view muted;  ///< secondary text, axes
  std::string_view grid;
  std::string_view zero;  ///< the grid line at zero, where values of both signs meet
  std::string_view border;
  std::string_view surface;  ///< behind notes and table heads
  std::string_view good;
  std::string_view bad;
  std::array<std::string_view, kColours> series;  ///< by Colour
};

extern const Theme kLight;
extern const Theme kDark;

/// From good to bad, for cells of a heat map: a fill and the colour of text on it (contrast at least 4.5:1). The first
/// is blue rather than green: better than all others in a way that needs a word. The same on light and dark screens.
struct HeatColour {
  std::string_view fill;
  std::string_view ink;
};
inline constexpr std::size_t kHeatLevels = 8;
extern const std::array<HeatColour, kHeatLevels> kHeat;
std::string heat_class(std::size_t level);
std::string heat_ink_class(std::size_t level);

/// CSS class that gives an SVG shape this colour as its stroke or fill.
std::string stroke_class(Colour colour);
std::string fill_class(Colour colour);

/// Styles of all chart classes: light, and dark on screens that ask for it. Contains concrete colours rather than
/// variables, because SVG renderers outside browsers know no variables.
std::string chart_css();

}  // namespace fugu::report
