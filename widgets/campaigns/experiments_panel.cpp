// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/experiments_panel.h"

#include <QAction>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <algorithm>

#include "widgets/campaigns/experiment_plot.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/shown_name.h"
#include "widgets/plot/plot_export.h"
#include "widgets/tables/table_copy.h"

namespace carryover {

ExperimentsPanel::ExperimentsPanel(LabContext& lab, QWidget* parent)
    : FolderPanel(lab, tr("Experiments"), parent),
      cells_(new ExperimentCellsTable(this)),
      plot_(new ExperimentPlot(this)) {
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  split->addWidget(build_side());
  split->addWidget(plot_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(split);
  connect(plot_, &ExperimentPlot::choice_changed, this, &Panel::request_refresh);
  update_buttons();
}

std::vector<PlotView*> ExperimentsPanel::plots() {
  return plot_->plots();
}

QWidget* ExperimentsPanel::build_side() {
  const Texts texts{tr("Open the folder of an experiment"),
                    tr("Open the folder of an experiment, or follow one that is running"),
                    tr("Run…"),
                    tr("Run the cells of a plan in a separate process"),
                    tr("Finished cells are kept; a training saves a checkpoint"),
                    tr("Run the cells that are not done"),
                    tr("State of the experiment"),
                    tr("Problem with the experiment"),
                    tr("Show only cells that contain all of these words")};
  begin_bar(texts);
  auto* recent = new QMenu(open_button_);
  connect(recent, &QMenu::aboutToShow, this, [this, recent] { fill_recent(*recent); });
  open_button_->setMenu(recent);
  open_button_->setPopupMode(QToolButton::MenuButtonPopup);
  end_bar(texts);
  build_cells();
  return FolderPanel::build_side(texts, &table());
}

void ExperimentsPanel::build_cells() {
  build_table(cells_, tr("Cells of the experiment"));
  table().setSelectionMode(QAbstractItemView::ExtendedSelection);
  connect(&table(), &QTableView::activated, this, [this] { open_->trigger(); });
  connect(table().selectionModel(), &QItemSelectionModel::selectionChanged, this, &ExperimentsPanel::update_buttons);
  connect(&filter_, &QAbstractItemModel::modelReset, this, &ExperimentsPanel::update_buttons);
  add_table_actions();
}

void ExperimentsPanel::add_table_actions() {
  open_ = add_table_action(table(), tr("&Open"), {}, [this] {
    const QStringList ids = selected_cells(false);
    if (ids.size() == 1) Q_EMIT cell_wanted(ids.front());
  });
  pin_ = add_table_action(table(), tr("Pin for &Compare"), QKeySequence(Qt::Key_P), [this] {
    const QStringList ids = selected_cells(true);
    if (ids.size() == 1) Q_EMIT pin_wanted(ids.front());
  });
  compare_ = add_table_action(table(), tr("Compare the &two"), QKeySequence(Qt::Key_C), [this] {
    const QStringList ids = selected_cells(true);
    if (ids.size() == 2) Q_EMIT compare_wanted(ids.front(), ids.back());
  });
  add_copy_actions(table());
  add_export_action(table(), tr("Export the cells"), QStringLiteral("cells.csv"), [this](const QString& path) {
    write_csv(path, table_text(filter_, {}, u','), {title(), headline()});
  });
}

void ExperimentsPanel::set_model(ExperimentModel& model) {
  model_ = &model;
  cells_->set_model(&model);
  watch(model);
}

void ExperimentsPanel::set_recent(const QStringList& folders) {
  recent_ = folders;
}

void ExperimentsPanel::fill_recent(QMenu& menu) {
  menu.clear();
  for (const QString& folder : recent_) {
    QAction* action = menu.addAction(action_text(QDir::toNativeSeparators(folder)));
    action->setEnabled(QFileInfo::exists(folder));
    connect(action, &QAction::triggered, this, [this, folder] { Q_EMIT open_wanted(folder); });
  }
  if (menu.isEmpty()) menu.addAction(tr("none"))->setEnabled(false);
}

QStringList ExperimentsPanel::selected_cells(bool evaluations_alone) const {
  QStringList ids;
  for (const QModelIndex& index : table().selectionModel()->selectedRows()) {
    const int row = filter_.mapToSource(index).row();
    if (model_ == nullptr || row < 0 || row >= model_->count()) continue;
    const CellState& cell = model_->cell(row);
    if (!evaluations_alone || !cell.training) ids += QString::fromStdString(cell.id);
  }
  return ids;
}

/// Returns the rows in the model's order, whatever the table is sorted by: a curve's colour and a name's place stay.
std::vector<int> ExperimentsPanel::shown_rows() const {
  std::vector<int> rows;
  for (int row = 0; row < filter_.rowCount(); ++row) rows.push_back(filter_.mapToSource(filter_.index(row, 0)).row());
  std::ranges::sort(rows);
  return rows;
}

void ExperimentsPanel::update_buttons() {
  FolderPanel::update_buttons();
  const qsizetype selected = selected_cells(false).size(), evaluations = selected_cells(true).size();
  open_->setEnabled(selected == 1);
  pin_->setEnabled(selected == 1 && evaluations == 1);
  compare_->setEnabled(selected == 2 && evaluations == 2);
}

bool ExperimentsPanel::unfinished() const {
  const ExperimentState& state = model_->state();
  return state.status != CellStatus::Running && state.wanted_done() < state.wanted();
}

QString ExperimentsPanel::introduction() const {
  return tr("No experiment is open: open its folder, or press Run…");
}

QString ExperimentsPanel::description() const {
  const ExperimentState& state = model_->state();
  QStringList parts{shown_text(state.title.empty() ? state.name : state.title),
                    filled(tr("%1 of %2 cells"), state.wanted_done(), state.wanted())};
  if (state.left_out() > 0) parts += tr("%1 left out").arg(state.left_out());
  if (const std::size_t failed = state.count(CellStatus::Failed); failed > 0) parts += tr("%1 failed").arg(failed);
  switch (model_->work()) {
    case ExperimentModel::Work::Stopping:
      parts += tr("stopping…");
      break;
    case ExperimentModel::Work::Running:
      parts += tr("running");
      break;
    default:
      if (state.status == CellStatus::Pending)
        parts += unfinished() ? tr("stopped") : cell_status_text(CellStatus::Done);
      else
        parts +=
            state.status == CellStatus::Running ? tr("running in another process") : cell_status_text(state.status);
  }
  const double left = model_->expected_seconds_left();
  if (state.status != CellStatus::Done && left > 0 && left < 1e9) parts += tr("about %1 left").arg(duration_text(left));
  return parts.join(QStringLiteral(" · "));
}

void ExperimentsPanel::refresh() {
  show_state();
  if (model_ != nullptr) plot_->draw(*model_, shown_rows());
}

}  // namespace carryover
