// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/evaluations_panel.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <algorithm>

#include "engine/base/error.h"
#include "engine/formats/output_file.h"
#include "widgets/campaigns/evaluation_plot.h"
#include "widgets/campaigns/evaluation_samples_view.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/warning_box.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/icons.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/tables/table_copy.h"

namespace carryover {
namespace {

constexpr int fitted_rows = 50;

}  // namespace

EvaluationsPanel::EvaluationsPanel(LabContext& lab, QWidget* parent)
    : FolderPanel(lab, tr("Evaluations"), parent),
      cells_(new EvaluationCellsTable(this)),
      plot_(new EvaluationPlot(this)) {
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  split->addWidget(build_side());
  split->addWidget(plot_);
  connect(plot_, &EvaluationPlot::cell_chosen, this, &EvaluationsPanel::show_cell);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  split->setSizes({600, 400});  // the tables' own width would leave the figure none
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(split);
  RunModel& run = lab.run();
  for (const auto signal : {&RunModel::reset, &RunModel::ended})
    connect(&run, signal, this, &EvaluationsPanel::show_needle);
  connect(&run, &RunModel::segments_appended, this, &EvaluationsPanel::show_needle);
  update_buttons();
  request_refresh();
}

std::vector<PlotView*> EvaluationsPanel::plots() {
  return {&plot_->curves(), &plot_->slices(), &plot_->frontier()};
}

QString EvaluationsPanel::source_folder() {
  return model_ == nullptr ? QString() : model_->folder();
}

QWidget* EvaluationsPanel::build_side() {
  const Texts texts{tr("Open the folder of an evaluation"),
                    tr("Open the folder of an evaluation, or follow one that is running"),
                    tr("Evaluate…"),
                    tr("Evaluate the open model in a separate process"),
                    tr("Finished samples are kept"),
                    tr("Run the samples that are not done"),
                    tr("State of the evaluation"),
                    tr("Problem with the evaluation"),
                    tr("Show only tasks that contain all of these words")};
  export_ = add_button(this, begin_bar(texts), "export", tr("Table…"), tr("Save the table as Markdown, CSV or LaTeX"));
  connect(export_, &QToolButton::clicked, this, &EvaluationsPanel::ask_export);
  value_ = new QComboBox(this);
  value_->setAccessibleName(tr("Value shown for each policy"));
  for (int i = 0; i < evaluation_value_count; ++i)
    value_->addItem(EvaluationModel::title(static_cast<EvaluationValue>(i)), i);
  connect(value_, &QComboBox::currentIndexChanged, this, [this] {
    cells_->set_value(static_cast<EvaluationValue>(value_->currentData().toInt()));
    request_refresh();
  });
  end_bar(texts, value_);
  build_cells();
  auto* tables = new QSplitter(Qt::Vertical, this);
  tables->setChildrenCollapsible(false);
  tables->addWidget(&table());
  samples_ = new EvaluationSamplesView(tables);
  connect(samples_, &EvaluationSamplesView::sample_wanted, this,
          [this](int sample) { Q_EMIT sample_wanted(row_, column_, sample); });
  connect(samples_, &EvaluationSamplesView::references_toggled, this, &EvaluationsPanel::ask_references);
  tables->addWidget(samples_);
  return FolderPanel::build_side(texts, tables);
}

void EvaluationsPanel::build_cells() {
  build_table(cells_, tr("Tasks and policies of the evaluation"));
  table().setSelectionBehavior(QAbstractItemView::SelectItems);
  table().setSelectionMode(QAbstractItemView::SingleSelection);
  table().horizontalHeader()->setResizeContentsPrecision(fitted_rows);
  connect(table().selectionModel(), &QItemSelectionModel::currentChanged, this, &EvaluationsPanel::select_cell);
  connect(&filter_, &QAbstractItemModel::modelReset, this, [this] { row_ = column_ = 0; });
  add_copy_actions(table());
}

void EvaluationsPanel::set_model(EvaluationModel& model) {
  model_ = &model;
  cells_->set_model(&model);
  watch(model);
}

/// A task's own columns stand for the first policy.
void EvaluationsPanel::select_cell() {
  const QModelIndex index = filter_.mapToSource(table().currentIndex());
  if (!index.isValid()) return;
  row_ = index.row();
  column_ = std::max(0, index.column() - static_cast<int>(EvaluationCellsTable::FirstPolicy));
  ask_references();
}

/// Also of a row that the filter hides.
void EvaluationsPanel::show_cell(int row, int column) {
  table().setCurrentIndex(filter_.mapFromSource(cells_->index(row, EvaluationCellsTable::FirstPolicy + column)));
  row_ = row;
  column_ = column;
  ask_references();
}

void EvaluationsPanel::ask_references() {
  if (samples_->wants_references() && model_ != nullptr && row_ < model_->rows() && model_->references(row_).empty())
    Q_EMIT references_wanted(row_);
  request_refresh();
}

void EvaluationsPanel::ask_export() {
  const QString path = QFileDialog::getSaveFileName(this, tr("Save the table"), QStringLiteral("evaluation.md"),
                                                    tr("Markdown (*.md);;CSV (*.csv);;LaTeX (*.tex)"));
  if (!path.isEmpty()) showing_errors(this, tr("Save the table"), [&] { write_table(path); });
}

void EvaluationsPanel::write_table(const QString& path) const {
  CARRYOVER_CHECK(model_ != nullptr);
  const TableFormat format = table_format(QFileInfo(path).suffix().toLower().toStdString());
  write_file_atomically(path.toStdString(), evaluation_table(live_results(model_->news()), format));
}

void EvaluationsPanel::update_buttons() {
  FolderPanel::update_buttons();
  export_->setEnabled(model_ != nullptr && model_->has_news());
}

bool EvaluationsPanel::unfinished() const {
  return !model_->news().running && !model_->complete();
}

QString EvaluationsPanel::introduction() const {
  return tr(
      "An evaluation runs long-context tasks under several policies. This view shows its scores, with 95 % intervals, "
      "and its samples, each of which opens as a run.");
}

QString EvaluationsPanel::description() const {
  using Work = EvaluationModel::Work;
  const EvaluationNews& news = model_->news();
  const auto done = std::ranges::count_if(news.cells, [](const auto& cell) { return cell->done; });
  std::size_t failed = 0;
  for (const auto& cell : news.cells) failed += cell->failures;
  QStringList parts{qstring(evaluated_name(news.plan.model)), filled(tr("%1 of %2 cells"), done, news.cells.size())};
  if (failed > 0) parts += tr("failed samples: %1").arg(failed);
  if (model_->work() == Work::Stopping)
    parts += tr("stopping…");
  else if (model_->work() == Work::Running)
    parts += model_->said().isEmpty() ? tr("running") : model_->said();
  else
    parts += news.running ? tr("running in another process") : model_->complete() ? tr("done") : tr("stopped");
  return parts.join(QStringLiteral(" · "));
}

void EvaluationsPanel::show_needle() {
  if (model_ != nullptr) samples_->show_needle(context().run(), model_->sample());
}

void EvaluationsPanel::refresh() {
  show_state();
  if (model_ == nullptr) return;
  const bool there = row_ < model_->rows() && column_ < model_->columns();
  samples_->show_cell(there ? model_->shared_cell(row_, column_) : nullptr,
                      samples_->wants_references() ? model_->references(row_) : std::vector<std::string>());
  plot_->draw(*model_, row_, column_, cells_->value());
  show_needle();
}

}  // namespace carryover
