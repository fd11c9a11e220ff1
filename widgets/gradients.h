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
/// CIE L* of an sRGB colour, 0 to 100.
double cie_lightness(const QColor& colour);

}  // namespace carryover
