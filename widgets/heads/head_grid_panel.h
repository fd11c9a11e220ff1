// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/lab/panel.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace carryover {

class HeadGrid;

/// The editor of the head and layer groups (H_long, L_long; subsec:arch): the grid, presets, import and export, and
/// what the grouping costs. GUI thread.
class HeadGridPanel : public Panel {
  Q_OBJECT
 public:
  HeadGridPanel(LabContext& context, QWidget* parent = nullptr);

 protected:
  void refresh() override;

 private:
  QWidget* build_bar();
  void fill_presets();
  void choose_preset(int index);
  void restore_training();
  void show_alignment();

  HeadGrid* grid_;
  QComboBox* presets_;
  QToolButton* edit_;
  QLabel *badge_, *figures_;
};

}  // namespace carryover
