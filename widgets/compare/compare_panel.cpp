// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_panel.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/compare/compare_loss.h"
#include "widgets/compare/compare_map.h"
#include "widgets/compare/compare_overlap.h"
#include "widgets/controls/elided_label.h"
#include "widgets/controls/page_parts.h"
#include "widgets/look/icons.h"
#include "widgets/runs/state/distinct_names.h"
#include "widgets/tables/table_copy.h"

namespace carryover {

ComparePanel::ComparePanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Compare"), parent), pages_(new QStackedWidget(this)), tabs_(new QTabWidget(this)) {
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("Comparison"));
  tabs_->addTab(build_table(), tr("Summary"));
  add_page(new CompareMap(context(), this), tr("Hits, A − B"));
  add_page(new CompareOverlap(context(), this), tr("Overlap"));
  add_page(new CompareLoss(context(), this), tr("Δ loss"));
  pages_->addWidget(build_invitation());
  pages_->addWidget(tabs_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(build_bar());
  layout->addWidget(pages_, 1);
  connect(tabs_, &QTabWidget::currentChanged, this, &Panel::request_refresh);
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::ended, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::reset, this, &ComparePanel::restart);
  connect(&lab, &LabContext::pinned_run_changed, this, &ComparePanel::restart);
  connect(&lab, &LabContext::range_changed, this, &ComparePanel::restart);
  restart();
}

QWidget* ComparePanel::build_bar() {
  auto* bar = new QWidget(this);
  auto* names = new QGridLayout;
  names->setVerticalSpacing(0);
  names->setColumnStretch(1, 1);
  for (const char* letter : {"A", "B"}) {
    const int row = static_cast<int>(names_.size());
    auto* which = new QLabel(QLatin1String(letter), bar);
    QFont bold;
    bold.setBold(true);
    which->setFont(bold);
    names->addWidget(which, row, 0);
    names_.push_back(new ElidedLabel(bar, Qt::ElideMiddle));
    names->addWidget(names_.back(), row, 1);
  }
  note_ = new QLabel(bar);
  note_->setWordWrap(true);
  note_->setForegroundRole(QPalette::PlaceholderText);
  const auto button = [this, bar](const QString& text, const QString& help, auto slot) {
    auto* made = new QToolButton(bar);
    made->setText(text);
    made->setToolTip(help);
    made->setAutoRaise(true);
    connect(made, &QToolButton::clicked, this, slot);
    return made;
  };
  pin_ = button(tr("Pin this run as B"), tr("Keep the current run to compare later runs with it"),
                [this] { context().lab().pin_run(); });
  pin_->setIcon(themed_icon(QStringLiteral("pin")));
  pin_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  unpin_ = button(tr("Unpin"), tr("Unpin run B and free its memory"), [this] { context().lab().unpin_run(); });
  auto* top = new QHBoxLayout;
  top->addLayout(names, 1);
  top->addWidget(pin_);
  top->addWidget(unpin_);
  top->addWidget(sync_toggle());
  auto* column = new QVBoxLayout(bar);
  column->setContentsMargins(8, 4, 6, 4);
  column->setSpacing(2);
  column->addLayout(top);
  column->addWidget(note_);
  return bar;
}

QWidget* ComparePanel::build_table() {
  view_ = new QTableView(this);
  view_->setModel(&table_);
  prepare_table(*view_, tr("Runs A and B side by side"));
  view_->setTextElideMode(Qt::ElideMiddle);  // names of texts differ at their ends
  view_->verticalHeader()->setDefaultSectionSize(view_->fontMetrics().height() + 7);
  auto* header = view_->horizontalHeader();
  header->setSectionResizeMode(QHeaderView::Stretch);
  header->setSectionResizeMode(ComparisonTable::Name, QHeaderView::ResizeToContents);
  add_copy_actions(*view_);
  return view_;
}

QWidget* ComparePanel::build_invitation() {
  auto* page = new QWidget(this);
  page->setAutoFillBackground(true);
  page->setBackgroundRole(QPalette::Base);
  auto* text = new QLabel(tr("To compare two runs, pin one as B, change a setting, the grouping, the policy, the model "
                             "or the text, and run again. Or tick two runs in Runs."),
                          page);
  text->setWordWrap(true);
  text->setAlignment(Qt::AlignCenter);
  text->setForegroundRole(QPalette::PlaceholderText);
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(40, 0, 40, 0);
  layout->addWidget(text);
  return page;
}

void ComparePanel::add_page(ComparePage* page, const QString& title) {
  tabs_->addTab(page, title);
  plots_.push_back(page);
  connect(page, &ComparePage::refresh_wanted, this, &Panel::request_refresh);
}

std::vector<PlotView*> ComparePanel::plots() {
  std::vector<PlotView*> all;
  for (ComparePage* page : plots_) {
    if (context().comparison()) draw(page);
    for (PlotView* plot : page->plots()) all.push_back(plot);
  }
  return all;
}

void ComparePanel::restart() {
  restarted_.insert(plots_.begin(), plots_.end());
  request_refresh();
}

void ComparePanel::draw(ComparePage* page) {
  if (restarted_.erase(page) > 0) page->restart();
  page->draw();
}

void ComparePanel::refresh() {
  update_bar();
  const RunComparison* comparison = context().comparison();
  pages_->setCurrentIndex(comparison ? 1 : 0);
  if (!comparison) return table_.set_rows({});
  const auto page = std::find(plots_.begin(), plots_.end(), tabs_->currentWidget());
  if (page != plots_.end())
    draw(*page);
  else
    table_.set_rows(comparison_rows(*comparison, context().range()));
}

void ComparePanel::update_bar() {
  const RunModel& run = context().run();
  const RunComparison* comparison = context().comparison();
  pin_->setEnabled(run.segment_count() > 0);
  unpin_->setVisible(comparison != nullptr);
  note_->setVisible(comparison != nullptr);
  std::vector<NamedRun> shown;
  if (!run.is_empty()) shown.push_back(named_run(run));
  if (comparison) shown.push_back(named_run(comparison->b()));
  const std::vector<QString> names = distinct_names(shown);
  names_[0]->setText(run.is_empty() ? tr("no run yet") : names.front());
  names_[1]->setText(comparison ? names.back() : tr("no run is pinned"));
  for (QLabel* name : names_) name->setToolTip(comparison ? comparison_provenance(*comparison) : QString());
  if (comparison) note_->setText(text_note(*comparison));
}

}  // namespace carryover
