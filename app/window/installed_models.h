// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTimer>
#include <QWidget>
#include <memory>

#include "app/engine_thread/worker_thread.h"
#include "app/window/installed_table.h"
#include "app/window/model_lister.h"
#include "widgets/tables/row_filter.h"

class QLabel;
class QLineEdit;
class QSpinBox;
class QTableView;

namespace carryover {

/// The models on this computer: a list that grows while it is read on another thread, with a field to narrow it. GUI
/// thread.
class InstalledModels : public QWidget {
  Q_OBJECT
 public:
  InstalledModels(const std::vector<ModelPlace>& places, QWidget* parent);
  ~InstalledModels() override;  ///< ends the reading, after at most one model

  bool is_reading() const { return reading_; }
  InstalledTable& table() { return table_; }
  QTableView& view() { return *view_; }
  QLineEdit& words() { return *words_; }
  QSpinBox& tokens() { return *tokens_; }

 Q_SIGNALS:
  void picked(const QString& path);  ///< by a click or by the keyboard
  void opened(const QString& path);  ///< by a double click or Enter

 private:
  void build_view();
  void build_tokens();
  void show_found();
  void end(const QString& problem);
  QString path_at(const QModelIndex& index) const;

  InstalledTable table_;
  RowFilter filter_;
  QTableView* view_;
  QLineEdit* words_;
  QSpinBox* tokens_;  ///< length of the text for which memory is told
  QLabel* note_;
  std::vector<InstalledModel> found_;
  QTimer later_;  ///< shows what was found since, together
  bool reading_ = true;
  std::shared_ptr<RunControl> control_;
  WorkerThread<ModelLister> thread_;
};

}  // namespace carryover
