// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QColor>

namespace carryover {

/// Colour scales whose CIE lightness rises evenly, so that equal steps of a value look equally large, in grey print
/// too. Pure; any thread.
enum class ColourScale {
  Viridis,  ///< purple, teal, yellow
  Cividis,  ///< blue, grey, yellow: the same to people who confuse red and green
};

/// The colour at `t` in [0, 1] (clamped).
QColor scale_colour(ColourScale scale, double t);
/// Returns the colour of a difference: blue at -1, a grey near the page's at 0, orange at 1 (clamped). Along each arm
/// equal steps look equally large, and both arms are equally light, so that neither side looks like more. On a dark
/// page the ends are the light colours.
QColor diverging_colour(double t, bool on_dark);
/// Returns the colour of what adds to a logit (t > 0, blue) or subtracts from it (t < 0, orange), in every view.
inline QColor contribution_colour(double t, bool on_dark) {
  return diverging_colour(-t, on_dark);
}
/// CIE L* of an sRGB colour, 0 to 100.
double cie_lightness(const QColor& colour);

}  // namespace carryover
