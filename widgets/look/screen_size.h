// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSize>

class QWidget;

namespace carryover {

/// Returns as much of `wanted` as a screen with so much room shows, the frame included: nobody reaches what lies
/// outside of it.
QSize size_within(const QSize& room, const QSize& wanted);
/// Returns the same for the widget's screen. Without a display, a widget has the size that its picture is to have.
QSize size_on_screen(const QWidget& widget, const QSize& wanted);

}  // namespace carryover
