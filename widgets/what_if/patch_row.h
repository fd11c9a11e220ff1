// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "widgets/lab/lab_context.h"

class QComboBox;
class QPushButton;
class QSpinBox;

namespace carryover {

/// Adds patches from the pinned run to the draft of LabContext::what_ifs(): the carry, or outputs of heads. Layer and
/// head follow the selection. Disabled where the pinned run has nothing that fits; its tooltip says why. GUI thread.
class PatchRow : public QWidget {
  Q_OBJECT
 public:
  explicit PatchRow(LabContext& context, QWidget* parent = nullptr);

 private:
  void take_selection();
  void show_obstacle();
  SegmentEdit patch() const;  ///< of what is chosen, alone
  void put();

  LabContext& context_;
  QComboBox* what_;
  QSpinBox *layer_, *head_;
  QPushButton* put_;
};

}  // namespace carryover
