// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/what_if/what_if_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QTabWidget>
#include <QVBoxLayout>

#include "widgets/controls/page_parts.h"
#include "widgets/lab/foil_field.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/icons.h"
#include "widgets/look/markup.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/prediction_change.h"
#include "widgets/what_if/ablation_view.h"
#include "widgets/what_if/edit_form.h"
#include "widgets/what_if/what_if_delta.h"
#include "widgets/what_if/what_if_list.h"

namespace carryover {
namespace {

constexpr int price_delay_ms = 150;

bool changes_nothing(const SegmentEdit& edit) {
  return !edit.no_carry && !edit.no_sinks && edit.prefix == PrefixSource::Search && edit.dropped.empty() &&
         edit.added.empty() && edit.zeroed_heads.empty() && edit.unread.empty() && !edit.searches_again() &&
         !edit.patches();
}

}  // namespace

WhatIfPanel::WhatIfPanel(LabContext& lab, QWidget* parent) : Panel(lab, tr("What-if"), parent), lab_(lab) {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(make_head());
  column->addWidget(make_results(), 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(scrolled(page, tr("What-if"), this));
  price_timer_.setSingleShot(true);
  price_timer_.setInterval(price_delay_ms);
  connect(&price_timer_, &QTimer::timeout, this, &WhatIfPanel::ask_price);
  WhatIfs& what_ifs = lab.what_ifs();
  for (const auto signal : {&WhatIfs::draft_changed, &WhatIfs::shown_changed, &WhatIfs::results_changed,
                            &WhatIfs::ablation_reset, &WhatIfs::price_changed, &WhatIfs::state_changed})
    connect(&what_ifs, signal, this, &Panel::request_refresh);
  connect(&what_ifs, &WhatIfs::draft_changed, &price_timer_, qOverload<>(&QTimer::start));
  connect(&what_ifs, &WhatIfs::state_changed, &price_timer_, qOverload<>(&QTimer::start));
  connect(&lab, &LabContext::selection_changed, &price_timer_, qOverload<>(&QTimer::start));
  connect(&lab, &LabContext::selection_changed, this, &Panel::request_refresh);
  connect(&lab.foil(), &FoilToken::changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::segments_appended, this, &Panel::request_refresh);
  connect(&what_ifs, &WhatIfs::appended, this, [this] { tabs_->setCurrentIndex(0); });
}

QWidget* WhatIfPanel::make_head() {
  auto* head = new QWidget(this);
  segment_ = new QLabel(head);
  segment_->setAccessibleName(tr("Segment to run again"));
  form_ = new EditForm(lab_, head);
  connect(form_, &EditForm::problem_changed, this, &Panel::request_refresh);
  prediction_ = new QLabel(head);
  prediction_->setWordWrap(true);
  prediction_->setAccessibleName(tr("Compared prediction"));
  prediction_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  foil_ = new FoilField(lab_, head);
  auto* logit = new QHBoxLayout;
  logit->addWidget(prediction_, 1);
  logit->addWidget(foil_);
  name_ = new QLineEdit(head);
  name_->setAccessibleName(tr("Name of the what-if"));
  price_ = new QLabel(head);
  price_->setWordWrap(true);
  price_->setForegroundRole(QPalette::PlaceholderText);
  price_->setAccessibleName(tr("Cost of the what-if"));
  run_ = new QPushButton(tr("Run"), head);
  run_->setIcon(themed_icon(QStringLiteral("run")));
  cancel_ = new QPushButton(tr("Cancel"), head);
  clear_ = new QPushButton(tr("Clear"), head);
  clear_->setToolTip(tr("Discard the changes and show the recorded segment"));
  progress_ = new QProgressBar(head);
  progress_->setAccessibleName(tr("Progress of the what-if"));
  progress_->setTextVisible(false);
  progress_->setMaximumHeight(8);
  auto* row = new QHBoxLayout;
  row->addWidget(name_, 1);
  for (QPushButton* button : {run_, cancel_, clear_}) row->addWidget(button);
  auto* column = new QVBoxLayout(head);
  column->setContentsMargins(8, 6, 8, 6);
  column->setSpacing(5);
  column->addWidget(segment_);
  column->addWidget(form_);
  column->addLayout(logit);
  column->addLayout(row);
  column->addWidget(progress_);
  column->addWidget(price_);
  connect(run_, &QPushButton::clicked, this, &WhatIfPanel::run);
  connect(name_, &QLineEdit::returnPressed, this, &WhatIfPanel::run);
  connect(cancel_, &QPushButton::clicked, this, [this] { lab_.what_ifs().ask_cancel(); });
  connect(clear_, &QPushButton::clicked, this, [this] { lab_.what_ifs().set_draft({}); });
  return head;
}

QTabWidget* WhatIfPanel::make_results() {
  tabs_ = new QTabWidget(this);
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("Results"));
  delta_ = new WhatIfDelta(lab_, tabs_);
  list_ = new WhatIfList(lab_, tabs_);
  ablation_ = new AblationView(lab_, tabs_);
  tabs_->addTab(delta_, tr("Δ loss"));
  tabs_->addTab(list_, tr("What-ifs"));
  tabs_->addTab(ablation_, tr("Hit ablation"));
  return tabs_;
}

std::vector<PlotView*> WhatIfPanel::plots() {
  return {delta_->plot()};
}

void WhatIfPanel::run() {
  lab_.settle_settings();  // the form takes them over
  const SegmentEdit& draft = lab_.what_ifs().draft();
  if (!run_->isEnabled() || !problem().isEmpty()) return;
  const QString name = name_->text().trimmed();
  lab_.what_ifs().ask_run({shown_segment(context()), {draft}},
                          name.isEmpty() ? edit_text(draft, lab_.run().request().config) : name);
  name_->clear();
}

void WhatIfPanel::ask_price() {
  const SegmentEdit& draft = lab_.what_ifs().draft();
  if (!is_seen() || changes_nothing(draft) || lab_.run().segment_count() == 0) return;
  lab_.what_ifs().ask_price({shown_segment(context()), {draft}});
}

void WhatIfPanel::refresh() {
  const int segment = shown_segment(context());
  if (segment < 0) {
    set_markup(*segment_, no_run_text(context().run()).toHtmlEscaped());
  } else {
    const SegmentRecord& record = lab_.run().record(segment);
    set_markup(*segment_, filled(tr("<b>Segment %1</b>, tokens %2 to %3, run again with these changes:"), segment,
                                 static_cast<qlonglong>(record.first_token),
                                 static_cast<qlonglong>(record.first_token + record.length - 1)));
  }
  name_->setPlaceholderText(
      tr("Name: %1").arg(segment < 0 ? QString() : edit_text(lab_.what_ifs().draft(), lab_.run().request().config)));
  show_state();
  show_price();
  show_prediction();
  delta_->refresh();
  ablation_->refresh();
}

QString WhatIfPanel::problem() const {
  return form_->problem().isEmpty() ? lab_.foil().problem() : form_->problem();
}

void WhatIfPanel::show_prediction() {
  const bool any = prediction_question(lab_, shown_segment(context())).has_value();
  const RunModel& run = lab_.run();
  prediction_->setText(any ? tr("Shown too: %1")
                                 .arg(logit_name(run.token_text(lab_.selected().token),
                                                 lab_.foil().id() ? id_text(run, *lab_.foil().id()) : QString()))
                           : tr("Select a token of the segment to see its logit change"));
  prediction_->setToolTip(prediction_->text());
}

void WhatIfPanel::show_state() {
  const WhatIfs& what_ifs = lab_.what_ifs();
  const bool idle = !what_ifs.running() && what_ifs.unavailable().isEmpty();
  run_->setEnabled(idle && problem().isEmpty() && shown_segment(context()) >= 0 && !changes_nothing(what_ifs.draft()));
  clear_->setEnabled(!changes_nothing(what_ifs.draft()));
  run_->setVisible(!what_ifs.running());
  cancel_->setVisible(what_ifs.running());
  progress_->setVisible(what_ifs.running());
  progress_->setRange(0, what_ifs.progress() < 0 ? 0 : 1000);
  if (what_ifs.progress() >= 0) progress_->setValue(static_cast<int>(1000 * what_ifs.progress()));
}

void WhatIfPanel::show_price() {
  const WhatIfs& what_ifs = lab_.what_ifs();
  const auto& price = what_ifs.price();
  if (what_ifs.running()) {
    price_->setText(what_ifs.sweeping() ? tr("Ablating hits one by one…") : tr("Running the segment again…"));
  } else if (!what_ifs.unavailable().isEmpty()) {
    price_->setText(tr("Not now: %1").arg(what_ifs.unavailable()));
  } else if (!problem().isEmpty()) {
    price_->setText(tr("Can't run: %1").arg(problem()));
  } else if (changes_nothing(what_ifs.draft())) {
    price_->setText(tr("No change is set yet."));
  } else if (price) {
    const QString time =
        price->seconds > 0 ? tr(", about %1 s at the run's speed").arg(significant_text(price->seconds, 2)) : QString();
    price_->setText(filled(tr("%1 segments to run%2."), price->segments, time));
  } else {
    price_->setText(tr("How long it takes is not known yet."));
  }
}

}  // namespace carryover
