// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/evaluations_panel.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/core/base/error.h"
#include "engine/formats/output_file.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/icons.h"
#include "widgets/look/qstring.h"
#include "widgets/panels/evaluation_plot.h"
#include "widgets/panels/evaluation_samples_view.h"
#include "widgets/state/quantity_text.h"
#include "widgets/state/warning_box.h"
#include "widgets/tables/table_copy.h"

namespace carryover {
namespace {

constexpr int most_problem_characters = 600, widest_column_px = 320, fitted_rows = 50;

QLabel* plain_label(const QString& name, QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setContentsMargins(6, 0, 6, 4);
  label->setAccessibleName(name);
  return label;
}

TableFormat format_of_file(const QString& path) {
  return path.endsWith(QStringLiteral(".csv"), Qt::CaseInsensitive)   ? TableFormat::Csv
         : path.endsWith(QStringLiteral(".tex"), Qt::CaseInsensitive) ? TableFormat::Latex
                                                                      : TableFormat::Markdown;
}

}  // namespace

EvaluationsPanel::EvaluationsPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Evaluations"), parent), plot_(new EvaluationPlot(this)) {
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  split->addWidget(build_tables());
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

WrappingBar* EvaluationsPanel::build_bar() {
  auto* bar = control_bar();
  connect(add_button(this, bar, "model", tr("Open…"), tr("Open the folder of an evaluation, or watch one that runs")),
          &QToolButton::clicked, this, [this] {
            const QString folder = QFileDialog::getExistingDirectory(this, tr("Open the folder of an evaluation"));
            if (!folder.isEmpty()) Q_EMIT open_wanted(folder);
          });
  connect(add_button(this, bar, "run", tr("Evaluate…"), tr("Evaluate the open model, in a process of its own")),
          &QToolButton::clicked, this, &EvaluationsPanel::run_wanted);
  stop_ = add_button(this, bar, "stop", tr("Stop"), tr("Samples that are done stay"));
  connect(stop_, &QToolButton::clicked, this, &EvaluationsPanel::stop_wanted);
  continue_ = add_button(this, bar, "forward", tr("Continue"), tr("Run the samples that are not done"));
  connect(continue_, &QToolButton::clicked, this, &EvaluationsPanel::continue_wanted);
  export_ = add_button(this, bar, "export", tr("Table…"), tr("Save the table as Markdown, CSV or LaTeX"));
  connect(export_, &QToolButton::clicked, this, &EvaluationsPanel::ask_export);
  bar->addStretch(1);
  value_ = new QComboBox(this);
  value_->setAccessibleName(tr("Shown of each policy"));
  for (int i = 0; i < evaluation_value_count; ++i)
    value_->addItem(EvaluationModel::title(static_cast<EvaluationValue>(i)), i);
  connect(value_, &QComboBox::currentIndexChanged, this, [this] {
    cells_.set_value(static_cast<EvaluationValue>(value_->currentData().toInt()));
    request_refresh();
  });
  bar->addWidget(value_);
  auto* words = new QLineEdit(this);
  words->setPlaceholderText(tr("Filter"));
  words->setClearButtonEnabled(true);
  words->setMaximumWidth(140);
  words->setAccessibleName(tr("Tasks that have each of these words"));
  connect(words, &QLineEdit::textChanged, this, [this](const QString& text) { filter_.set_words(text); });
  bar->addWidget(words);
  return bar;
}

QWidget* EvaluationsPanel::build_tables() {
  auto* side = new QWidget(this);
  WrappingBar* bar = build_bar();
  headline_ = plain_label(tr("State of the evaluation"), side);
  headline_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  problem_ = plain_label(tr("What is wrong with the evaluation"), side);
  problem_->hide();
  build_cells();
  auto* tables = new QSplitter(Qt::Vertical, side);
  tables->setChildrenCollapsible(false);
  tables->addWidget(cells_view_);
  samples_ = new EvaluationSamplesView(tables);
  connect(samples_, &EvaluationSamplesView::sample_wanted, this,
          [this](int sample) { Q_EMIT sample_wanted(row_, column_, sample); });
  connect(samples_, &EvaluationSamplesView::references_toggled, this, &EvaluationsPanel::ask_references);
  tables->addWidget(samples_);
  auto* body = new QWidget(side);
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(headline_);
  column->addWidget(problem_);
  column->addWidget(tables, 1);
  put_bar_above(side, bar, body);
  return side;
}

void EvaluationsPanel::build_cells() {
  cells_view_ = new QTableView(this);
  filter_.setSourceModel(&cells_);
  cells_view_->setModel(&filter_);
  prepare_table(*cells_view_, tr("Tasks and policies of the evaluation"));
  cells_view_->setSelectionBehavior(QAbstractItemView::SelectItems);
  cells_view_->setSelectionMode(QAbstractItemView::SingleSelection);
  cells_view_->horizontalHeader()->setResizeContentsPrecision(fitted_rows);
  cells_view_->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
  cells_view_->horizontalHeader()->setMaximumSectionSize(widest_column_px);
  cells_view_->setSortingEnabled(true);
  cells_view_->sortByColumn(-1, Qt::AscendingOrder);  // as they are run
  connect(cells_view_->selectionModel(), &QItemSelectionModel::currentChanged, this, &EvaluationsPanel::select_cell);
  connect(&filter_, &QAbstractItemModel::modelReset, this, [this] {
    row_ = column_ = 0;
    cells_view_->resizeColumnsToContents();
  });
  add_copy_actions(*cells_view_);
}

void EvaluationsPanel::set_model(EvaluationModel& model) {
  model_ = &model;
  cells_.set_model(&model);
  connect(&model, &EvaluationModel::changed, this, [this] {
    update_buttons();
    request_refresh();
  });
  update_buttons();
  request_refresh();
}

/// A task's own columns stand for the first policy.
void EvaluationsPanel::select_cell() {
  const QModelIndex index = filter_.mapToSource(cells_view_->currentIndex());
  if (!index.isValid()) return;
  row_ = index.row();
  column_ = std::max(0, index.column() - static_cast<int>(EvaluationCellsTable::FirstPolicy));
  ask_references();
}

/// Also of a row that the filter hides.
void EvaluationsPanel::show_cell(int row, int column) {
  cells_view_->setCurrentIndex(filter_.mapFromSource(cells_.index(row, EvaluationCellsTable::FirstPolicy + column)));
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
  write_file_atomically(path.toStdString(), evaluation_table(live_results(model_->news()), format_of_file(path)));
}

void EvaluationsPanel::update_buttons() {
  using Work = EvaluationModel::Work;
  const Work work = model_ == nullptr ? Work::None : model_->work();
  const bool has_news = model_ != nullptr && model_->has_news();
  stop_->setEnabled(work == Work::Running);
  continue_->setEnabled(work == Work::None && has_news && !model_->news().running && !model_->complete());
  export_->setEnabled(has_news);
}

QString EvaluationsPanel::headline() const {
  using Work = EvaluationModel::Work;
  if (model_ == nullptr || model_->folder().isEmpty())
    return tr(
        "An evaluation answers tasks of long contexts under several policies: its scores, with 95 % intervals, "
        "and its samples, each of which opens as a run.");
  if (!model_->has_news())
    return model_->work() == Work::None ? model_->folder() : tr("Starting… %1").arg(model_->said());
  const EvaluationNews& news = model_->news();
  const auto done = std::ranges::count_if(news.cells, [](const auto& cell) { return cell->done; });
  std::size_t failed = 0;
  for (const auto& cell : news.cells) failed += cell->failures;
  QStringList parts{qstring(evaluated_name(news.plan.model)), tr("%1 of %2 cells").arg(done).arg(news.cells.size())};
  if (failed > 0) parts += tr("%1 samples failed").arg(failed);
  if (model_->work() == Work::Stopping)
    parts += tr("stopping…");
  else if (model_->work() == Work::Running)
    parts += model_->said().isEmpty() ? tr("running") : model_->said();
  else
    parts += news.running ? tr("running in another process") : model_->complete() ? tr("done") : tr("stopped");
  return parts.join(QStringLiteral(" · "));
}

QString EvaluationsPanel::said() const {
  return headline_->text() + (problem_->isHidden() ? QString() : u'\n' + problem_->text());
}

void EvaluationsPanel::show_needle() {
  if (model_ != nullptr) samples_->show_needle(context().run(), model_->sample());
}

void EvaluationsPanel::refresh() {
  headline_->setText(headline());
  headline_->setToolTip(model_ == nullptr ? QString() : model_->folder());
  const QString problem = model_ == nullptr ? QString() : model_->problem().left(most_problem_characters);
  problem_->setText(problem);
  problem_->setHidden(problem.isEmpty());
  if (model_ == nullptr) return;
  const bool there = row_ < model_->rows() && column_ < model_->columns();
  samples_->show_cell(there ? model_->shared_cell(row_, column_) : nullptr,
                      samples_->wants_references() ? model_->references(row_) : std::vector<std::string>());
  plot_->draw(*model_, row_, column_, cells_.value());
  show_needle();
}

}  // namespace carryover
