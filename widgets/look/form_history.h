// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QUndoStack>
#include <QVariantMap>
#include <QWidget>
#include <map>

namespace carryover {

/// The values of a form's fields, and undo for them: text fields, choices, numbers, boxes to tick (those of a tree
/// too). What changes in one turn of the event loop, such as by a preset, is one step; so is what is typed in one field
/// until another one has the keyboard. What changes while the keyboard is elsewhere (another model's bounds, a session
/// that comes back) is no step. It is the form's child, and needs nothing of the form but that its fields follow
/// their values. GUI thread.
class FormHistory : public QObject {
  Q_OBJECT
 public:
  explicit FormHistory(QWidget& form);

  /// What the form holds now is what it begins with: there is nothing to undo. It begins by itself when it is shown
  /// first.
  void begin();
  QUndoStack& stack() { return stack_; }

  /// By the field's name, with a number where several have the same.
  QVariantMap values() const;
  /// Of the fields that are there; others stay as they are.
  void set_values(const QVariantMap& values);
  /// What differs from what the form began with.
  QVariantMap typed();

  /// Set on a field that is a command or follows from others, and is no setting itself.
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
