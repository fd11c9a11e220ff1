// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "widgets/campaigns/state/folder_model.h"
#include "widgets/lab/panel.h"
#include "widgets/tables/row_filter.h"

class QAbstractItemModel;
class QLabel;
class QTableView;
class QToolButton;

namespace carryover {

class WrappingBar;

/// A panel on a folder that a command fills, while it runs and afterwards: a table of its cells, a line on its state
/// above, and buttons that open, run, stop and continue one. The panel asks for that work by signals. GUI thread.
class FolderPanel : public Panel {
  Q_OBJECT
 public:
  QTableView& table() const { return *view_; }
  QString said() const;  ///< what stands above the table

 Q_SIGNALS:
  void open_wanted(const QString& folder);
  void run_wanted();  ///< a new one
  void stop_wanted();
  void continue_wanted();

 protected:
  /// The texts that differ between commands. Names are for screen readers.
  struct Texts {
    QString open, open_help, run, run_help, stop_help, continue_help;
    QString state_name, problem_name, filter_name;
  };
  FolderPanel(LabContext& context, const QString& title, QWidget* parent);

  // In the constructor, in this order, which is that of the Tab key:
  WrappingBar* begin_bar(const Texts& texts);                        ///< further buttons go to its end
  void end_bar(const Texts& texts, QWidget* choice = nullptr);       ///< a stretch, `choice`, the filter's words
  void build_table(QAbstractItemModel* cells, const QString& name);  ///< `cells` is a child of the panel
  /// The bar, the state, and below them `body`, which has table().
  QWidget* build_side(const Texts& texts, QWidget* body);

  void watch(const FolderModel& model);  ///< once; the model outlives the panel
  void show_state();                     ///< in refresh()
  virtual void update_buttons();

  virtual QString introduction() const = 0;        ///< while no folder is open
  virtual QString description() const = 0;         ///< of what was read of the folder, in a line
  virtual bool unfinished() const = 0;             ///< cells are left, and nobody runs them
  QString headline() const;                        ///< the line on its state
  QString source_folder() override { return {}; }  // no command makes these figures

  RowFilter filter_;
  QToolButton* open_button_ = nullptr;

 private:
  WrappingBar* bar_ = nullptr;
  const FolderModel* folder_ = nullptr;
  QTableView* view_ = nullptr;
  QLabel *headline_ = nullptr, *problem_ = nullptr;
  QToolButton *stop_ = nullptr, *continue_ = nullptr;
};

}  // namespace carryover
