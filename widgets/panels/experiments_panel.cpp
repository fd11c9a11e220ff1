// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/experiments_panel.h"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <algorithm>

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/icons.h"
#include "widgets/look/qstring.h"
#include "widgets/panels/experiment_plot.h"
#include "widgets/plot/plot_export.h"
#include "widgets/state/quantity_text.h"
#include "widgets/tables/hits_model.h"
#include "widgets/tables/table_copy.h"

namespace carryover {
namespace {

constexpr int most_characters = 600, widest_column = 320;

}  // namespace

ExperimentsPanel::ExperimentsPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Experiments"), parent), plot_(new ExperimentPlot(this)) {
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  split->addWidget(build_table());
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
  return {&plot_->plot()};
}

QWidget* ExperimentsPanel::build_table() {
  auto* side = new QWidget(this);
  auto* bar = control_bar();
  QToolButton* open =
      add_button(this, bar, "model", tr("Open…"), tr("Open the folder of an experiment, or watch one that runs"));
  connect(open, &QToolButton::clicked, this, &ExperimentsPanel::ask_folder);
  auto* recent = new QMenu(open);
  connect(recent, &QMenu::aboutToShow, this, [this, recent] { fill_recent(*recent); });
  open->setMenu(recent);
  open->setPopupMode(QToolButton::MenuButtonPopup);
  connect(add_button(this, bar, "run", tr("Run…"), tr("Run the cells of a plan, in a process of its own")),
          &QToolButton::clicked, this, &ExperimentsPanel::run_wanted);
  stop_ = add_button(this, bar, "stop", tr("Stop"), tr("Finished cells stay, a training saves a checkpoint"));
  connect(stop_, &QToolButton::clicked, this, &ExperimentsPanel::stop_wanted);
  continue_ = add_button(this, bar, "forward", tr("Continue"), tr("Run the cells that are not done"));
  connect(continue_, &QToolButton::clicked, this, &ExperimentsPanel::continue_wanted);
  headline_ = new QLabel(side);
  headline_->setTextFormat(Qt::PlainText);
  headline_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  headline_->setWordWrap(true);
  headline_->setContentsMargins(6, 0, 6, 4);
  headline_->setAccessibleName(tr("State of the experiment"));
  bar->addStretch(1);
  auto* words = new QLineEdit(side);
  words->setPlaceholderText(tr("Filter"));
  words->setClearButtonEnabled(true);
  words->setMaximumWidth(160);
  words->setAccessibleName(tr("Cells that have each of these words"));
  connect(words, &QLineEdit::textChanged, this, [this](const QString& text) {
    filter_.set_words(text);
    request_refresh();
  });
  bar->addWidget(words);

  problem_ = new QLabel(side);
  problem_->setTextFormat(Qt::PlainText);
  problem_->setWordWrap(true);
  problem_->setMargin(6);
  problem_->setAccessibleName(tr("What is wrong with the experiment"));
  problem_->hide();
  view_ = new QTableView(side);
  filter_.setSourceModel(&cells_);
  view_->setModel(&filter_);
  prepare_table(*view_, tr("Cells of the experiment"));
  view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
  view_->horizontalHeader()->setMaximumSectionSize(widest_column);
  view_->setSortingEnabled(true);
  view_->sortByColumn(-1, Qt::AscendingOrder);  // as they run
  connect(view_, &QTableView::activated, this, [this] { open_->trigger(); });
  connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &ExperimentsPanel::update_buttons);
  connect(&filter_, &QAbstractItemModel::modelReset, this, [this] {
    view_->resizeColumnsToContents();
    update_buttons();
  });
  add_table_actions();
  auto* body = new QWidget(side);
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(headline_);  // in a line of its own, where buttons don't cut it
  column->addWidget(problem_);
  column->addWidget(view_, 1);
  put_bar_above(side, bar, body);
  return side;
}

void ExperimentsPanel::add_table_actions() {
  open_ = add_table_action(*view_, tr("&Open"), {}, [this] {
    const QStringList ids = selected_cells(false);
    if (ids.size() == 1) Q_EMIT cell_wanted(ids.front());
  });
  pin_ = add_table_action(*view_, tr("Pin for &Compare"), QKeySequence(Qt::Key_P), [this] {
    const QStringList ids = selected_cells(true);
    if (ids.size() == 1) Q_EMIT pin_wanted(ids.front());
  });
  compare_ = add_table_action(*view_, tr("Compare the &two"), QKeySequence(Qt::Key_C), [this] {
    const QStringList ids = selected_cells(true);
    if (ids.size() == 2) Q_EMIT compare_wanted(ids.front(), ids.back());
  });
  add_copy_actions(*view_);
  add_export_action(*view_, tr("Export the cells"), QStringLiteral("cells.csv"), [this](const QString& path) {
    write_csv(path, table_text(filter_, {}, u','), {title(), headline()});
  });
}

void ExperimentsPanel::set_model(ExperimentModel& model) {
  model_ = &model;
  cells_.set_model(&model);
  connect(&model, &ExperimentModel::changed, this, [this] {
    update_buttons();
    request_refresh();
  });
  update_buttons();
  request_refresh();
}

void ExperimentsPanel::set_recent(const QStringList& folders) {
  recent_ = folders;
}

void ExperimentsPanel::fill_recent(QMenu& menu) {
  menu.clear();
  for (const QString& folder : recent_) {
    QAction* action = menu.addAction(QDir::toNativeSeparators(folder));
    action->setEnabled(QFileInfo::exists(folder));
    connect(action, &QAction::triggered, this, [this, folder] { Q_EMIT open_wanted(folder); });
  }
  if (menu.isEmpty()) menu.addAction(tr("none"))->setEnabled(false);
}

void ExperimentsPanel::ask_folder() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Open the folder of an experiment"));
  if (!folder.isEmpty()) Q_EMIT open_wanted(folder);
}

QStringList ExperimentsPanel::selected_cells(bool evaluations_alone) const {
  QStringList ids;
  for (const QModelIndex& index : view_->selectionModel()->selectedRows()) {
    const int row = filter_.mapToSource(index).row();
    if (model_ == nullptr || row < 0 || row >= model_->count()) continue;
    const CellState& cell = model_->cell(row);
    if (!evaluations_alone || !cell.training) ids += QString::fromStdString(cell.id);
  }
  return ids;
}

/// In the model's order, whatever the table is sorted by: a curve's colour and a name's place stay.
std::vector<int> ExperimentsPanel::shown_rows() const {
  std::vector<int> rows;
  for (int row = 0; row < filter_.rowCount(); ++row) rows.push_back(filter_.mapToSource(filter_.index(row, 0)).row());
  std::ranges::sort(rows);
  return rows;
}

void ExperimentsPanel::update_buttons() {
  using Work = ExperimentModel::Work;
  const Work work = model_ == nullptr ? Work::None : model_->work();
  stop_->setEnabled(work == Work::Running);
  const bool left = model_ != nullptr && model_->has_state() && model_->state().status != CellStatus::Running &&
                    model_->state().count(CellStatus::Done) < model_->state().cells.size();
  continue_->setEnabled(work == Work::None && left);
  const qsizetype selected = selected_cells(false).size(), evaluations = selected_cells(true).size();
  open_->setEnabled(selected == 1);
  pin_->setEnabled(selected == 1 && evaluations == 1);
  compare_->setEnabled(selected == 2 && evaluations == 2);
}

QString ExperimentsPanel::headline() const {
  if (model_ == nullptr || model_->folder().isEmpty()) return tr("No experiment is open");
  if (!model_->has_state())
    return model_->work() == ExperimentModel::Work::None ? model_->folder() : tr("Starting… %1").arg(model_->said());
  const ExperimentState& state = model_->state();
  QStringList parts{shown_text(state.title.empty() ? state.name : state.title),
                    tr("%1 of %2 cells").arg(state.count(CellStatus::Done)).arg(state.cells.size())};
  if (const std::size_t failed = state.count(CellStatus::Failed); failed > 0) parts += tr("%1 failed").arg(failed);
  switch (model_->work()) {
    case ExperimentModel::Work::Stopping:
      parts += tr("stopping…");
      break;
    case ExperimentModel::Work::Running:
      parts += tr("running");
      break;
    default:
      parts += state.status == CellStatus::Pending   ? tr("stopped")
               : state.status == CellStatus::Running ? tr("running in another process")
                                                     : cell_status_text(state.status);
  }
  const double left = model_->expected_seconds_left();
  if (state.status != CellStatus::Done && left > 0 && left < 1e9) parts += tr("about %1 left").arg(duration_text(left));
  return parts.join(QStringLiteral(" · "));
}

QString ExperimentsPanel::said() const {
  return headline_->text() + (problem_->isHidden() ? QString() : u'\n' + problem_->text());
}

void ExperimentsPanel::refresh() {
  headline_->setText(headline());
  headline_->setToolTip(model_ == nullptr ? QString() : model_->folder());
  const QString problem = model_ == nullptr ? QString() : model_->problem();
  problem_->setText(problem.left(most_characters));
  problem_->setHidden(problem.isEmpty());
  if (model_ != nullptr) plot_->draw(*model_, shown_rows());
}

}  // namespace carryover
