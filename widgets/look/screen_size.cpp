// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/screen_size.h"

#include <QGuiApplication>
#include <QScreen>
#include <QWidget>

namespace carryover {
namespace {

constexpr QSize frame_of_a_window{16, 48};  ///< with its title; as much as desktops usually add

}  // namespace

QSize size_within(const QSize& room, const QSize& wanted) {
  return wanted.boundedTo(room - frame_of_a_window);
}

QSize size_on_screen(const QWidget& widget, const QSize& wanted) {
  if (QGuiApplication::platformName() == QStringLiteral("offscreen")) return wanted;
  return size_within(widget.screen()->availableSize(), wanted);
}

}  // namespace carryover
