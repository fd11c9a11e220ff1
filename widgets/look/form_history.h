// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QUndoStack>
#include <QVariantMap>
#include <QWidget>
#include <map>

namespace carryover {

/// The values of a form's fields, and undo for them: text fields, choices, numbers, check boxes (those of a tree too).
/// All changes within one turn of the event loop, such as by a preset, are one step; so is all typing in one field
/// until another one has the keyboard. Changes while the keyboard is elsewhere (another model's bounds, a session that
/// comes back) are no step. It is the form's child, and needs nothing of the form but that its fields follow their
/// values. GUI thread.
class FormHistory : public QObject {
  Q_OBJECT
 public:
  explicit FormHistory(QWidget& form);

  /// Makes the form's current values those that it begins with: there is nothing to undo. This happens by itself when
  /// the form is first shown.
  void begin();
  QUndoStack& stack() { return stack_; }

  /// Returns the values by the fields' names, with a number if several have the same.
  QVariantMap values() const;
  /// Sets the fields that exist and are named here; others stay as they are.
  void set_values(const QVariantMap& values);
  /// Returns the values that differ from those that the form began with.
  QVariantMap typed();

  /// Excludes a field that is a command or follows from others, and is no setting itself.
  static void leave_out(QWidget& field);

  bool eventFilter(QObject* watched, QEvent* event) override;

 private Q_SLOTS:
  void queue_note();

 private:
  class Step;
  using Fields = std::map<QString, QWidget*>;
  Fields fields() const;
  void watch();
  void note();

  QWidget& form_;
  QUndoStack stack_;
  QVariantMap start_, last_;  ///< as it began; as the stack knows it
  bool begun_ = false, setting_ = false, queued_ = false;
  bool same_field_ = false;  ///< the keyboard is where it was at the last step
};

}  // namespace carryover
