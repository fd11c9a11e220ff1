// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QGridLayout>

namespace carryover {

/// Widgets side by side, in rows of `columns`. GUI thread.
class WidgetRows : public QGridLayout {
 public:
  WidgetRows(QWidget* parent, int columns) : QGridLayout(parent), columns_(columns) { setContentsMargins(0, 0, 0, 0); }
  /// Adds the widget at the end of the last row, or in a new one.
  void append(QWidget* widget) {
    const int place = count();
    addWidget(widget, place / columns_, place % columns_);
  }

 private:
  int columns_;
};

}  // namespace carryover
