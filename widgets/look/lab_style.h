// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QProxyStyle>

namespace carryover {

/// Fusion, whose boxes to tick and pressed buttons have an outline in the dark theme too, and whose selected tab has a
/// line: Fusion's are darker than the window there. GUI thread.
class LabStyle : public QProxyStyle {
 public:
  LabStyle();
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
};

}  // namespace carryover
