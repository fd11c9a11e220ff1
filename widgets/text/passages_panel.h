// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>

#include "widgets/lab/panel.h"
#include "widgets/text/passages_table.h"

class QLabel;
class QPushButton;
class QTableView;

namespace carryover {

/// The passages that the selected segment retrieved, in order of score: those of the selected head, or of all readers
/// if the search is shared. A passage is removed, or read alone, by a what-if. GUI thread.
class PassagesPanel : public Panel {
  Q_OBJECT
 public:
  explicit PassagesPanel(LabContext& context, QWidget* parent = nullptr);
  /// Writes the table. Throws EngineError{Io}.
  void export_csv(const QString& path) const;

 protected:
  void refresh() override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void make_table();
  const HeadHits* shown_hits(int segment);
  PassageRow row_of(const Passage& passage, int segment) const;
  std::optional<std::size_t> chosen() const;  ///< the current row
  void run_edit(bool remove);
  void go_to(int row);
  void show_buttons();

  LabContext& lab_;
  PassagesTable table_;
  QTableView* view_;
  QLabel* what_;
  QPushButton *remove_, *only_;
  int segment_ = -1;
  std::int64_t token_ = -1;  ///< of that segment, the last one that was selected: its loss is shown too
};

}  // namespace carryover
