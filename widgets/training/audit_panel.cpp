// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/audit_panel.h"

#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTableView>
#include <algorithm>

#include "engine/base/error.h"
#include "widgets/controls/memory_estimate.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/icons.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"
#include "widgets/plot/plot_export.h"
#include "widgets/tables/table_copy.h"

namespace carryover {
namespace {

constexpr double memory_reserve = 0.1;     ///< of the free memory
constexpr double long_work_seconds = 600;  ///< a longer audit is warned of
constexpr int form_width = 430;

/// Returns the seconds that the last run took for as many tokens: a lower bound, since it may have used a smaller
/// dtype. 0: unknown.
double least_seconds(const RunModel& run, std::int64_t tokens) {
  if (run.is_empty() || !run.finished() || run.summary().seconds <= 0 || run.summary().tokens == 0) return 0;
  return static_cast<double>(tokens) * run.summary().seconds / static_cast<double>(run.summary().tokens);
}

}  // namespace

AuditPanel::AuditPanel(LabContext& lab, QWidget* parent) : Panel(lab, tr("Audit"), parent), lab_(lab) {
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  split->addWidget(build_form());
  split->addWidget(build_result());
  split->setStretchFactor(1, 1);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(split);
  connect(&lab, &LabContext::model_changed, this, [this] {
    adopt_model();
    mark_outdated();
    request_refresh();
  });
  connect(&lab, &LabContext::weights_changed, this, &AuditPanel::mark_outdated);
  connect(&lab, &LabContext::config_changed, this, &Panel::request_refresh);
  connect(&lab.run(), &RunModel::ended, this, &Panel::request_refresh);
  adopt_model();
  estimate();
}

QWidget* AuditPanel::build_form() {
  auto* page = new QWidget;
  form_ = new AuditForm(page);
  connect(form_, &AuditForm::changed, this, &AuditPanel::estimate);
  cost_ = new QLabel(page);
  cost_->setWordWrap(true);
  cost_->setAccessibleName(tr("What the audit costs"));
  run_ = new QPushButton(tr("Run audit"), page);
  run_->setIcon(themed_icon(QStringLiteral("audit")));
  connect(run_, &QPushButton::clicked, this, [this] {
    estimate();
    if (why_not_.isEmpty()) Q_EMIT audit_wanted(settings());
  });
  cancel_ = new QPushButton(tr("Cancel"), page);
  connect(cancel_, &QPushButton::clicked, this, [this] {
    progress_->setFormat(tr("Cancelling…"));
    cancel_->setEnabled(false);
    Q_EMIT cancel_wanted();
  });
  auto* buttons = new WrappingBar;
  buttons->addWidget(run_);
  buttons->addWidget(cancel_);
  buttons->addStretch(1);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(8, 6, 8, 6);
  column->setSpacing(6);
  column->addWidget(form_);
  column->addLayout(buttons);
  column->addWidget(cost_);
  column->addStretch(1);
  QScrollArea* scroll = scrolled(page, tr("Results of the audit"), this);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setMinimumWidth(form_width);
  return scroll;
}

QWidget* AuditPanel::build_result() {
  auto* side = new QWidget(this);
  headline_icon_ = new QLabel(side);
  headline_ = new QLabel(side);
  headline_->setWordWrap(true);
  headline_->setTextFormat(Qt::PlainText);
  headline_->setAccessibleName(tr("Result of the audit"));
  progress_ = new QProgressBar(side);
  progress_->setRange(0, 1000);
  progress_->setAccessibleName(tr("Progress of the audit"));
  progress_->hide();
  auto* bar = new WrappingBar;
  bar->setContentsMargins(8, 6, 8, 6);
  bar->addWidget(headline_icon_);
  bar->addWidget(headline_, 1);
  bar->addWidget(progress_, 1);
  view_ = new QTableView(side);
  view_->setModel(&table_);
  prepare_table(*view_, tr("Checks"));
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  view_->horizontalHeader()->setSectionResizeMode(AuditTable::Measure, QHeaderView::Stretch);
  add_copy_actions(*view_);
  add_export_action(*view_, tr("Export the audit"), QStringLiteral("audit.csv"),
                    [this](const QString& path) { export_csv(path); });
  put_bar_above(side, bar, view_);
  show_headline();
  return side;
}

void AuditPanel::adopt_model() {
  if (const auto& model = lab_.model()) form_->adopt(*model, lab_.config());
}

/// The result stays, since an audit may take long; its headline says that it is not of what is open.
void AuditPanel::mark_outdated() {
  outdated_ = report_.has_value();
  show_headline();
}

AuditSettings AuditPanel::settings() const {
  return form_->settings(lab_.config());
}

void AuditPanel::set_has_model(bool has_model) {
  has_model_ = has_model;
  request_refresh();
}

void AuditPanel::set_text(const QString& name, std::int64_t tokens) {
  text_name_ = name;
  text_tokens_ = tokens;
  request_refresh();
}

void AuditPanel::set_engine_busy(const QString& why) {
  busy_ = why;
  request_refresh();
}

void AuditPanel::set_free_memory(std::optional<std::int64_t> bytes) {
  free_ = bytes;
  free_given_ = true;
  estimate();
}

void AuditPanel::refresh() {
  estimate();
}

void AuditPanel::estimate() {
  const auto& model = lab_.model();
  if (!free_given_) free_ = free_memory();
  const AuditSettings wanted = settings();
  const AuditCost cost = model ? audit_cost(*model, wanted.config, wanted.policy, wanted.segments, wanted.lora_rank,
                                            bytes_per_value(wanted.dtype))
                               : AuditCost{};
  why_not_ = find_problem(wanted, cost);
  cost_->setText(why_not_.isEmpty() ? cost_text(wanted, cost) : why_not_);
  const bool warns = !why_not_.isEmpty() || least_seconds(lab_.run(), cost.tokens_read) > long_work_seconds;
  QPalette palette = cost_->palette();
  palette.setColor(QPalette::WindowText,
                   warns && model && has_model_ && busy_.isEmpty() ? current_theme().anchor : current_theme().muted);
  cost_->setPalette(palette);
  update_buttons();
}

QString AuditPanel::find_problem(const AuditSettings& wanted, const AuditCost& cost) const {
  const auto& model = lab_.model();
  if (!model || !has_model_) return tr("Open a model first: Model, in the toolbar");
  if (running_) return tr("An audit is running");
  if (!busy_.isEmpty()) return tr("Not now: %1").arg(busy_);
  if (text_tokens_ == 0) return tr("Open a text first: Text, in the toolbar");
  const std::int64_t end = wanted.first_token + wanted.tokens();
  if (end > text_tokens_)
    return filled(
        tr("%1 has %L2 tokens, but the audit needs %L3: choose fewer or shorter segments, or an earlier start"),
        QFileInfo(text_name_).fileName(), static_cast<qlonglong>(text_tokens_), static_cast<qlonglong>(end));
  if (wanted.tokens() < 2) return tr("A single token has no target: choose more tokens");
  try {
    wanted.config.validate(*model, "form");
  } catch (const EngineError& error) {
    return QString::fromStdString(error.problem() + ". " + error.advice());
  }
  if (free_ && static_cast<double>(cost.memory_bytes) > (1 - memory_reserve) * static_cast<double>(*free_))
    return tr("Needs about %1 more memory, and %2 is free: choose fp32, fewer tokens, an adapter (LoRA rank), or a "
              "smaller model")
        .arg(bytes_text(cost.memory_bytes), bytes_text(*free_));
  return {};
}

QString AuditPanel::cost_text(const AuditSettings& wanted, const AuditCost& cost) const {
  QString text =
      filled(tr("%L1 tokens, on a separate copy of the model in %2: about %3 more memory%4. The audit takes as "
                "long as reading %L5 tokens"),
             static_cast<qlonglong>(wanted.tokens()), QString::fromUtf8(dtype_name(wanted.dtype).data()),
             bytes_text(cost.memory_bytes), free_ ? tr(" of %1 free").arg(bytes_text(*free_)) : QString(),
             static_cast<qlonglong>(cost.tokens_read));
  const double seconds = least_seconds(lab_.run(), cost.tokens_read);
  text += seconds > 0 ? tr(", %1 or more at the last run's speed.").arg(duration_text(seconds)) : QStringLiteral(".");
  return wanted.dtype == DType::Float64 ? text : text + tr(" Finite differences need fp64 and are left out.");
}

void AuditPanel::update_buttons() {
  run_->setEnabled(why_not_.isEmpty());
  run_->setToolTip(why_not_.isEmpty() ? tr("Verify training gradients against the objective") : why_not_);
  cancel_->setVisible(running_);
}

void AuditPanel::begin() {
  running_ = true;
  report_.reset();
  outdated_ = false;
  note_.clear();
  table_.set_rows({});
  cancel_->setEnabled(true);
  set_progress(0, tr("loading"));
  show_headline();
  estimate();
}

void AuditPanel::set_progress(double share, const QString& what) {
  if (!running_ || !cancel_->isEnabled()) return;
  progress_->setValue(static_cast<int>(1000 * share));
  progress_->setFormat(QStringLiteral("%p % · ") + QString(what).replace(QLatin1Char('%'), QStringLiteral("%%")));
}

void AuditPanel::end() {
  running_ = false;
  note_ = tr("The last audit ended without a result");
  show_headline();
  request_refresh();
}

void AuditPanel::show_report(const AuditReport& report, const QString& provenance) {
  running_ = false;
  report_ = report;
  outdated_ = false;
  provenance_ = provenance;
  table_.set_rows(report.checks);
  show_headline();
  request_refresh();
}

void AuditPanel::show_headline() {
  progress_->setVisible(running_);
  headline_->setVisible(!running_);
  headline_icon_->setVisible(report_.has_value() && !running_);
  QPalette palette = headline_->palette();
  QFont font = this->font();
  font.setBold(report_.has_value());
  headline_->setFont(font);
  if (!report_) {
    palette.setColor(QPalette::WindowText, current_theme().muted);
    headline_->setPalette(palette);
    return headline_->setText(
        note_.isEmpty()
            ? tr("No audit yet. An audit checks that the trainer's gradient is exactly that of the loss whose "
                 "gradients cross K segment transitions.")
            : note_);
  }
  const auto passed = std::count_if(report_->checks.begin(), report_->checks.end(),
                                    [](const AuditCheck& check) { return check.passed(); });
  const bool all = report_->passed();
  const QColor colour = outdated_ ? current_theme().muted : all ? current_theme().carry : current_theme().anchor;
  palette.setColor(QPalette::WindowText, colour);
  headline_->setPalette(palette);
  headline_icon_->setPixmap(
      coloured_icon(all ? QStringLiteral("passed") : QStringLiteral("failed"), colour).pixmap(18));
  const QString result = filled(tr("%1: %2 of %3 checks passed · %4 segments, K %5, loss %6 nats"),
                                all ? tr("Passed") : tr("FAILED"), passed, report_->checks.size(), report_->segments,
                                report_->truncation_depth, decimal_text(report_->loss, 4));
  headline_->setText(outdated_ ? tr("%1 · made before the open model changed").arg(result) : result);
}

void AuditPanel::showEvent(QShowEvent* event) {
  request_refresh();  // what is free changes
  Panel::showEvent(event);
}

void AuditPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || headline_ == nullptr) return;
  table_.recolour();
  show_headline();
  request_refresh();
}

void AuditPanel::export_csv(const QString& path) const {
  write_csv(path, table_text(table_, {}, QLatin1Char(',')), {title(), provenance_});
}

}  // namespace carryover
