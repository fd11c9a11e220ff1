// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMap>
#include <QObject>
#include <QPointer>
#include <QVariantMap>

class QDialog;
class QWidget;

namespace carryover {

class FormHistory;

/// The values that were typed into a window's dialogs, by the fields' names, by the dialogs' names.
using TypedForms = QMap<QString, QVariantMap>;

/// The text typed into dialogs that were closed without doing what they are for. It comes back when the dialog is
/// opened again in the same window, or in the window that comes back with its session. A child of that window. GUI
/// thread.
class FormMemory : public QObject {
 public:
  /// From now on, closing `dialog` keeps what was typed, and accepting it forgets that. Values kept under `name` are
  /// filled in at once. Call it when the dialog holds what it begins with; it has a FormHistory.
  static void keep(QDialog& dialog, const QString& name);
  /// Returns what is kept, and what is typed into dialogs that are open now. Leaves out dialogs with a text that is too
  /// long to be typed, such as a pasted one.
  static TypedForms typed(QWidget& window);
  /// Fills in dialogs that open from now on, where they have fields of these names.
  static void restore(QWidget& window, const TypedForms& typed);

 private:
  using QObject::QObject;
  static FormMemory& of(QWidget& window);

  TypedForms typed_;
  QMap<QString, QPointer<FormHistory>> open_;
};

}  // namespace carryover
