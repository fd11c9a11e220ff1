// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>

#include "engine/config/head_patterns.h"

class QComboBox;
class QFormLayout;
class QLabel;
class QSpinBox;

namespace carryover {

/// Asks for a head's pattern: its kind and sizes. GUI thread.
class PatternDialog : public QDialog {
  Q_OBJECT
 public:
  PatternDialog(const HeadPattern& pattern, const QString& title, QWidget* parent);

  HeadPattern pattern() const;  ///< what is shown; of another one than at first no score is known

 private:
  void show_pattern(const HeadPattern& pattern);
  void name_sizes();

  HeadPattern start_;
  QFormLayout* form_;
  QComboBox* kind_;
  QSpinBox *vertical_, *slash_;
  QLabel *vertical_name_, *slash_name_;
};

}  // namespace carryover
