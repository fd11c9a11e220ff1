// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QProxyStyle>

#include "widgets/look/wheel_guard.h"

namespace carryover {

/// Fusion, whose boxes to tick and pressed buttons have an outline in the dark theme too, and whose selected tab has a
/// line: Fusion's are darker than the window there. Every widget passes through polish(), and there it learns what
/// holds for all of its kind: the wheel changes no value by accident, and texts are plain. GUI thread.
class LabStyle : public QProxyStyle {
 public:
  LabStyle();
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
  using QProxyStyle::polish;
  void polish(QWidget* widget) override;

 private:
  WheelGuard wheel_;
};

}  // namespace carryover
