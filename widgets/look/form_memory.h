// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QHash>
#include <QObject>
#include <QVariantMap>

class QDialog;

namespace carryover {

/// The text typed into dialogs that were closed without doing what they are for. It comes back when the dialog is
/// opened again in the same window. A child of that window. GUI thread.
class FormMemory : public QObject {
 public:
  /// From now on, closing `dialog` keeps what was typed, and accepting it forgets that. Values kept under `name` are
  /// filled in at once. Call it when the dialog holds what it begins with; it has a FormHistory.
  static void keep(QDialog& dialog, const QString& name);

 private:
  using QObject::QObject;
  static FormMemory& of(QWidget& window);

  QHash<QString, QVariantMap> typed_;
};

}  // namespace carryover
