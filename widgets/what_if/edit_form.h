// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "widgets/lab/lab_context.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QSpinBox;

namespace carryover {

/// Edits the draft of LabContext::what_ifs(): carry, prefix, slots dropped and added, banned positions, patches from
/// the pinned run, and the window's settings in place of the run's. GUI thread.
class EditForm : public QWidget {
  Q_OBJECT
 public:
  explicit EditForm(LabContext& context, QWidget* parent = nullptr);

  /// Positions named by `text`: "120", "100-119" (both counted), or an empty range where it names none.
  static TokenRange parse_range(const QString& text);

  /// Why the draft is not what the form says; empty: it is.
  const QString& problem() const { return problem_; }

 Q_SIGNALS:
  void problem_changed();

 private:
  QWidget* make_sources();
  QWidget* make_slots();
  QWidget* make_changes();
  QString remove_text() const;
  void show_draft();
  void show_settings();
  void write_sources();
  void take_slot(void (WhatIfs::*put)(const SlotRef&));
  void take_ban();
  void remove_change();
  void check();
  TokenRange named_positions() const;  ///< typed, else the selected token
  SegmentConfig wanted_config() const;

  LabContext& context_;
  QCheckBox *no_carry_, *no_sinks_, *settings_;
  QComboBox* prefix_;
  QSpinBox* seed_;
  QLineEdit* positions_;
  class QPushButton* remove_;
  QListWidget* changes_;
  QLabel* settings_text_;
  QString problem_;
  bool showing_ = false;
};

}  // namespace carryover
