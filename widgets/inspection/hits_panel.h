// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/inspection/hits_model.h"
#include "widgets/lab/inspection_view.h"
#include "widgets/lab/panel.h"

class QComboBox;
class QLabel;
class QTableView;

namespace carryover {

/// The hits table. A double click or Enter on a hit selects its source token; its reader stays the selected segment.
class HitsPanel : public Panel {
  Q_OBJECT
 public:
  explicit HitsPanel(LabContext& context, QWidget* parent = nullptr);
  /// Writes the rows that pass the filter, in their order. Throws EngineError{Io}.
  void export_csv(const QString& path) const;

 Q_SIGNALS:
  void what_if_wanted();  ///< hits were removed in the what-if being made

 protected:
  void refresh() override;
  void unseen() override;

 private:
  enum Scope { SegmentAndHead, OneSegment, OneHead };
  /// The selection that the rows were made from: they are made again only when it changes.
  struct Shown {
    int scope = -1, segment = -1, layer = -1, head = -1;
    bool operator==(const Shown&) const = default;
  };
  QWidget* make_bar();
  void make_table();
  Shown wanted();
  std::vector<HitBlock> blocks(const Shown& shown, int first_segment);
  void show_count();
  void show_masses();
  void drop_rows();  ///< in the what-if being made
  void jump(const QModelIndex& index);

  LabContext& lab_;
  InspectionView view_;
  HitsModel model_;
  HitsFilter filter_;
  QComboBox* scope_;
  QTableView* table_;
  QLabel* count_;
  Shown shown_;
  int segments_read_ = 0;  ///< of the run, by the OneHead scope
  bool cut_ = false;       ///< that scope has more than it lists
};

}  // namespace carryover
