// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QComboBox>
#include <QLabel>
#include <QSpinBox>
#include <QWidget>

namespace carryover::test {

/// Returns a button by its text or name.
template <typename Button>
Button* button(const QWidget& widget, const QString& name) {
  for (Button* each : widget.findChildren<Button*>())
    if (each->text() == name || each->accessibleName() == name) return each;
  return nullptr;
}

/// Returns a combo box by one of its entries.
inline QComboBox* box_with(const QWidget& widget, const QString& entry) {
  for (QComboBox* box : widget.findChildren<QComboBox*>())
    if (box->findText(entry) >= 0) return box;
  return nullptr;
}

/// The field of S in a form of settings: the first whose unit is tokens and that has no value for "all of it".
inline QSpinBox* segment_field(const QWidget& form) {
  for (QSpinBox* box : form.findChildren<QSpinBox*>())
    if (box->specialValueText().isEmpty()) return box;
  return nullptr;
}

/// Returns a label by its accessible name.
inline QLabel* label_named(const QWidget& widget, const QString& name) {
  for (QLabel* label : widget.findChildren<QLabel*>())
    if (label->accessibleName() == name) return label;
  return nullptr;
}

}  // namespace carryover::test
