// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/colour_mix.h"

#include <cmath>

#include "widgets/look/gradients.h"

namespace carryover {

QColor blend(const QColor& under, const QColor& over, double opacity) {
  const auto mix = [opacity](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * opacity)); };
  return {mix(under.red(), over.red()), mix(under.green(), over.green()), mix(under.blue(), over.blue())};
}

QColor ink_on(const QColor& background) {
  return cie_lightness(background) > 50 ? QColor(Qt::black) : QColor(Qt::white);
}

}  // namespace carryover
