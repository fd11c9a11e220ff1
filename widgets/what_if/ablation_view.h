// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include "widgets/tables/number_sort.h"
#include "widgets/what_if/ablation_table.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;

namespace carryover {

/// Hit ablation: leaves out the selected segment's anchors one by one and ranks them by what that does to
/// the loss. A double click goes to the hit. GUI thread.
class AblationView : public QWidget {
  Q_OBJECT
 public:
  explicit AblationView(LabContext& context, QWidget* parent = nullptr);

  void refresh();

 private:
  std::vector<HeadHits> chosen_hits() const;  ///< whose anchors would be left out
  void export_csv(const QString& path) const;

  LabContext& context_;
  AblationTable table_;
  NumberSort sorted_;
  QComboBox* scope_;
  QPushButton* start_;
  QLabel* what_;
  QTableView* view_;
};

}  // namespace carryover
