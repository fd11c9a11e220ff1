// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/evaluation_samples_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "engine/campaigns/evaluations/evaluation_plan.h"
#include "widgets/controls/fitted_columns.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/qstring.h"
#include "widgets/runs/state/needle_finds.h"
#include "widgets/tables/table_copy.h"

namespace carryover {
namespace {

constexpr int widest_sample_column = 320, fitted_sample_rows = 50;

QToolButton* switch_named(const QString& text, const QString& help, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(help);
  button->setCheckable(true);
  return button;
}

}  // namespace

EvaluationSamplesView::EvaluationSamplesView(QWidget* parent)
    : QWidget(parent), view_(new QTableView(this)), said_(new QLabel(this)), needle_(new QLabel(this)) {
  said_->setTextFormat(Qt::PlainText);
  said_->setAccessibleName(tr("Task, length and policy of the listed samples"));
  QToolButton* wrong =
      switch_named(tr("Wrong only"), tr("Samples that failed, or have less than the full score"), this);
  connect(wrong, &QToolButton::toggled, this, [this](bool on) { filter_.set_wrong_only(on); });
  references_ = switch_named(
      tr("References"), tr("Make the task's samples again to show their references; long samples take a while"), this);
  connect(references_, &QToolButton::toggled, this, &EvaluationSamplesView::references_toggled);
  auto* bar = control_bar();
  bar->addWidget(said_);
  bar->addStretch(1);
  bar->addWidget(wrong);
  bar->addWidget(references_);
  bar->addWidget(filter_field(filter_, tr("Show only samples that contain all of these words"), this));

  filter_.setSourceModel(&samples_);
  view_->setModel(&filter_);
  prepare_table(*view_, tr("Samples of the selected cell"));
  view_->horizontalHeader()->setResizeContentsPrecision(fitted_sample_rows);
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
  view_->horizontalHeader()->setMaximumSectionSize(widest_sample_column);
  view_->setSortingEnabled(true);
  view_->sortByColumn(-1, Qt::AscendingOrder);  // as they are run
  keep_columns_fitted(*view_);
  add_table_action(*view_, tr("Open as a run"), Qt::Key_Return, [this] { open_current(); });
  connect(view_, &QTableView::doubleClicked, this, &EvaluationSamplesView::open_current);
  add_copy_actions(*view_);

  needle_->setTextFormat(Qt::PlainText);
  needle_->setWordWrap(true);
  needle_->setContentsMargins(6, 2, 6, 4);
  needle_->setAccessibleName(tr("Retrieved tokens of the open sample"));
  needle_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  needle_->hide();
  auto* body = new QWidget(this);
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(view_, 1);
  column->addWidget(needle_);
  put_bar_above(this, bar, body);
}

bool EvaluationSamplesView::wants_references() const {
  return references_->isChecked();
}

QString EvaluationSamplesView::needle_said() const {
  return needle_->isHidden() ? QString() : needle_->text();
}

void EvaluationSamplesView::show_cell(const std::shared_ptr<const ScoreCell>& cell,
                                      const std::vector<std::string>& references) {
  samples_.set_cell(cell, references);
  said_->setText(cell ? tr("%1, %2").arg(shown_text(cell_title(cell->task, cell->length), 60), qstring(cell->policy))
                      : QString());
}

void EvaluationSamplesView::show_needle(const RunModel& run, const OpenedSample& sample) {
  const bool on_show = !sample.run.isEmpty() && !run.is_empty() && qstring(run.origin().id) == sample.run;
  needle_->setHidden(!on_show);
  if (!on_show) return;
  QStringList parts{tr("%1: %2").arg(sample.title, needle_text(run, sample.needles, sample.answer))};
  if (!sample.remark.isEmpty()) parts += sample.remark;
  needle_->setText(parts.join(QStringLiteral(". ")));
}

void EvaluationSamplesView::open_current() {
  const QModelIndex index = filter_.mapToSource(view_->currentIndex());
  if (index.isValid()) Q_EMIT sample_wanted(index.row());
}

}  // namespace carryover
