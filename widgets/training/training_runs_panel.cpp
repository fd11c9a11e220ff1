// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/training_runs_panel.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/icons.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/tables/table_copy.h"

namespace carryover {

TrainingRunsPanel::TrainingRunsPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Training runs"), parent),
      table_(lab.training()),
      chart_(new PlotView(QStringLiteral("train_compare"), this)) {
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  split->addWidget(build_list());
  split->addWidget(build_plot());
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 4);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(split);
  TrainingRuns& runs = lab.training();
  for (const auto signal :
       {&TrainingRuns::run_changed, &TrainingRuns::ticked_changed, &TrainingRuns::added, &TrainingRuns::removed})
    connect(&runs, signal, this, [this] {
      update_buttons();
      request_refresh();
    });
  // A run that goes takes its columns with it: nothing may be drawn from them any more.
  connect(&runs, &TrainingRuns::about_to_remove, this, [this] { chart_.set_model(nullptr); });
  connect(&runs, &TrainingRuns::current_changed, this, [this] {
    const int row = context().training().current_index();
    if (row >= 0 && row != selected_row()) view_->selectRow(row);
    update_buttons();
  });
  update_buttons();
}

QWidget* TrainingRunsPanel::build_list() {
  auto* side = new QWidget(this);
  auto* bar = new WrappingBar;
  bar->setContentsMargins(6, 3, 6, 3);
  const auto button = [&](const char* icon, const QString& text, const QString& help, auto slot) {
    auto* made = add_button(side, bar, icon, text, help);
    connect(made, &QToolButton::clicked, this, slot);
    return made;
  };
  button("train", tr("Fine-tune…"), tr("Start a new run"), [this] { Q_EMIT finetune_wanted(); });
  button("model", tr("Open folder…"), tr("Open a finished run, or follow one that another process writes"),
         [this] { ask_folder(); });
  resume_ = button("run", tr("Resume"), tr("Resume the selected run from its newest checkpoint"),
                   [this] { Q_EMIT resume_wanted(context().training().run(selected_row()).directory()); });
  remove_ = button("stop", tr("Remove"), tr("Remove the selected run from the list; its folder is kept"),
                   [this] { context().training().remove(selected_row()); });
  bar->addStretch(1);
  view_ = new QTableView(side);
  view_->setModel(&table_);
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->setShowGrid(false);
  view_->setAlternatingRowColors(true);
  view_->setFrameShape(QFrame::NoFrame);
  view_->setWordWrap(false);
  view_->setAccessibleName(tr("Training runs"));
  add_copy_actions(*view_);
  view_->verticalHeader()->hide();
  view_->verticalHeader()->setDefaultSectionSize(view_->fontMetrics().height() + 8);
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view_->horizontalHeader()->setSectionResizeMode(TrainingRunsTable::Name, QHeaderView::Stretch);
  view_->horizontalHeader()->setHighlightSections(false);
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (now.isValid() && now.row() < context().training().count()) context().training().set_current(now.row());
    update_buttons();
  });
  put_bar_above(side, bar, view_);
  return side;
}

QWidget* TrainingRunsPanel::build_plot() {
  auto* side = new QWidget(this);
  PlotView* plot = chart_.plot();
  plot->set_title(tr("Loss of the ticked runs, smoothed"));
  plot->set_axes(training_axis_label(TrainingColumn::Step), tr("NLL (nats)"));
  plot->set_empty_text(tr("Tick runs in the list to compare them"));
  smoothing_ = new QDoubleSpinBox(side);
  smoothing_->setRange(0, 0.999);
  smoothing_->setSingleStep(0.05);
  smoothing_->setDecimals(3);
  smoothing_->setValue(0.9);
  smoothing_->setAccessibleName(tr("Smoothing"));
  auto* axis = new QComboBox(side);
  axis->addItems({tr("by step"), tr("by tokens"), tr("by time")});
  axis->setAccessibleName(tr("Horizontal axis"));
  connect(smoothing_, &QDoubleSpinBox::valueChanged, this, &Panel::request_refresh);
  connect(axis, &QComboBox::currentIndexChanged, this, [this](int index) {
    constexpr TrainingColumn axes[] = {TrainingColumn::Step, TrainingColumn::Tokens, TrainingColumn::Minutes};
    chart_.set_axis(axes[index]);
    chart_.plot()->fit();
    request_refresh();
  });
  connect(plot, &PlotView::view_changed, this, [this] {
    if (!chart_.plot()->following()) request_refresh();
  });
  auto* bar = new WrappingBar;
  bar->setContentsMargins(6, 3, 6, 3);
  bar->addStretch(1);
  bar->addWidget(new QLabel(tr("Smoothing"), side));
  bar->addWidget(smoothing_);
  bar->addWidget(axis);
  put_bar_above(side, bar, plot);
  return side;
}

int TrainingRunsPanel::selected_row() const {
  return view_->currentIndex().row();
}

void TrainingRunsPanel::ask_folder() {
  const QString directory = QFileDialog::getExistingDirectory(this, tr("Open the folder of a training run"));
  if (!directory.isEmpty()) Q_EMIT open_wanted(directory);
}

void TrainingRunsPanel::update_buttons() {
  const TrainingRuns& runs = context().training();
  const int row = selected_row();
  const bool selected = row >= 0 && row < runs.count();
  const TrainingModel* run = selected ? &runs.run(row) : nullptr;
  const bool active = run != nullptr && run->active();
  const bool unfinished = run != nullptr && !active && run->state() != TrainingState::Finished;
  resume_->setEnabled(unfinished && !run->checkpoint().isEmpty());
  remove_->setEnabled(selected && !active);
}

void TrainingRunsPanel::refresh() {
  const TrainingRuns& runs = context().training();
  int line = 0;
  QString provenance;
  for (int i = 0; i < runs.count(); ++i) {
    if (!runs.ticked(i)) continue;
    const TrainingModel& run = runs.run(i);
    if (line == chart_.line_count())
      chart_.add_line(run.name(), {series_colour(static_cast<std::size_t>(line))},
                      [](const TrainingModel& model) { return &model.column(TrainingColumn::Loss); });
    chart_.set_line(line, run.name(), &run);
    chart_.set_smoothing(line, smoothing_->value());
    provenance += (line == 0 ? QString() : QStringLiteral("\n")) + training_provenance(run);
    ++line;
  }
  for (; line < chart_.line_count(); ++line) chart_.set_line(line, {}, nullptr);
  chart_.plot()->set_provenance(provenance);
  chart_.refresh();
}

}  // namespace carryover
