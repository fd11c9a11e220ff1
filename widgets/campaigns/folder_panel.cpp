// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/folder_panel.h"

#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/controls/fitted_columns.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"

namespace carryover {
namespace {

constexpr int most_problem_characters = 600, widest_column_px = 320;

QLabel* plain_label(const QString& name, QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setContentsMargins(6, 0, 6, 4);
  label->setAccessibleName(name);
  return label;
}

}  // namespace

FolderPanel::FolderPanel(LabContext& context, const QString& title, QWidget* parent) : Panel(context, title, parent) {}

WrappingBar* FolderPanel::begin_bar(const Texts& texts) {
  bar_ = control_bar();
  open_button_ = add_button(this, bar_, "model", tr("Open…"), texts.open_help);
  connect(open_button_, &QToolButton::clicked, this, [this, title = texts.open] {
    const QString folder = QFileDialog::getExistingDirectory(this, title);
    if (!folder.isEmpty()) Q_EMIT open_wanted(folder);
  });
  connect(add_button(this, bar_, "run", texts.run, texts.run_help), &QToolButton::clicked, this,
          &FolderPanel::run_wanted);
  stop_ = add_button(this, bar_, "stop", tr("Stop"), texts.stop_help);
  connect(stop_, &QToolButton::clicked, this, &FolderPanel::stop_wanted);
  continue_ = add_button(this, bar_, "forward", tr("Continue"), texts.continue_help);
  connect(continue_, &QToolButton::clicked, this, &FolderPanel::continue_wanted);
  return bar_;
}

void FolderPanel::end_bar(const Texts& texts, QWidget* choice) {
  bar_->addStretch(1);
  if (choice != nullptr) bar_->addWidget(choice);
  QLineEdit* words = filter_field(filter_, texts.filter_name, this);
  connect(words, &QLineEdit::textChanged, this, &Panel::request_refresh);  // a figure may show what is left
  bar_->addWidget(words);
}

void FolderPanel::build_table(QAbstractItemModel* cells, const QString& name) {
  view_ = new QTableView(this);
  filter_.setSourceModel(cells);
  view_->setModel(&filter_);
  prepare_table(*view_, name);
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
  view_->horizontalHeader()->setMaximumSectionSize(widest_column_px);
  view_->setSortingEnabled(true);
  view_->sortByColumn(-1, Qt::AscendingOrder);  // as they are run
  keep_columns_fitted(*view_);
}

QWidget* FolderPanel::build_side(const Texts& texts, QWidget* body) {
  auto* side = new QWidget(this);
  headline_ = plain_label(texts.state_name, side);
  headline_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  problem_ = plain_label(texts.problem_name, side);
  problem_->hide();
  auto* below = new QWidget(side);
  auto* column = new QVBoxLayout(below);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(headline_);  // in a line of its own, where buttons don't cut it
  column->addWidget(problem_);
  column->addWidget(body, 1);
  put_bar_above(side, bar_, below);
  return side;
}

void FolderPanel::watch(const FolderModel& model) {
  folder_ = &model;
  connect(&model, &FolderModel::changed, this, [this] {
    update_buttons();
    request_refresh();
  });
  update_buttons();
  request_refresh();
}

void FolderPanel::update_buttons() {
  const FolderModel::Work work = folder_ == nullptr ? FolderModel::Work::None : folder_->work();
  stop_->setEnabled(work == FolderModel::Work::Running);
  continue_->setEnabled(work == FolderModel::Work::None && folder_ != nullptr && folder_->has_news() && unfinished());
}

QString FolderPanel::headline() const {
  if (folder_ == nullptr || folder_->folder().isEmpty()) return introduction();
  if (folder_->has_news()) return description();
  return folder_->work() == FolderModel::Work::None ? folder_->folder() : tr("Starting… %1").arg(folder_->said());
}

void FolderPanel::show_state() {
  headline_->setText(headline());
  headline_->setToolTip(folder_ == nullptr ? QString() : folder_->folder());
  const QString problem = folder_ == nullptr ? QString() : folder_->problem().left(most_problem_characters);
  problem_->setText(problem);
  problem_->setHidden(problem.isEmpty());
}

QString FolderPanel::said() const {
  return headline_->text() + (problem_->isHidden() ? QString() : u'\n' + problem_->text());
}

}  // namespace carryover
