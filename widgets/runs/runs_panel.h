// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>

#include "widgets/lab/panel.h"
#include "widgets/plot/plot_view.h"
#include "widgets/runs/run_library_table.h"
#include "widgets/tables/row_filter.h"

class QAction;
class QLabel;
class QTableView;
class QToolButton;

namespace carryover {

/// Every run, training, what-if and experiment of the session in one list, whatever is on show, and the losses of the
/// ticked runs in one plot. Entries are opened, compared, named and tagged, resumed, removed and taken back; what that
/// takes beside the list is asked for by signals.
class RunsPanel : public Panel {
  Q_OBJECT
 public:
  explicit RunsPanel(LabContext& context, QWidget* parent = nullptr);
  std::vector<PlotView*> plots() override { return {losses_}; }
  void set_shown(const QString& place) { table_.set_shown(place); }  ///< of the run that the other views show

 Q_SIGNALS:
  void open_wanted(const QString& place);
  void compare_wanted(const QString& a, const QString& b);
  void resume_wanted(const QString& place);
  void remove_wanted(const QStringList& places);
  void take_back_wanted();

 protected:
  void refresh() override;
  QString source_folder() override { return {}; }  // it draws several at once
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* build_table();
  void prepare_columns();
  int limit_of(int column) const;
  bool sized_by_hand(int column) const;
  void fit_columns();
  void fit_names();
  QWidget* build_notice();
  void build_plot();
  void add_table_actions();
  void add_buttons(class WrappingBar* bar);
  std::vector<int> selected_rows() const;  ///< of the library
  QStringList selected_places() const;
  void compare_ticked();
  void edit(int column);
  void ask_limit();
  void remove_oldest();
  void update_actions();
  void update_notice();
  void draw_losses();

  RunLibraryTable table_;
  RowFilter filter_;
  QTableView* view_;
  PlotView* losses_;
  std::vector<int> curves_;
  std::array<int, RunLibraryTable::ColumnCount> widths_{};  ///< that columns were given here; another one is the user's
  QAction *open_, *compare_, *rename_, *tags_, *resume_, *remove_, *take_back_;
  QLabel *disk_, *removed_;
  QToolButton *undo_, *forget_, *make_room_;
};

}  // namespace carryover
