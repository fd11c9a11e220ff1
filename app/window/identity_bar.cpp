// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/identity_bar.h"

#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QToolButton>
#include <algorithm>

#include "engine/cost/policy_table.h"
#include "widgets/controls/elided_label.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/shown_name.h"
#include "widgets/look/theme.h"
#include "widgets/runs/state/model_label.h"

namespace carryover {
namespace {

/// Says how a run's model differs from the open one; empty where it does not.
QString unlike(const ModelInfo& run, const ModelInfo& open) {
  if (run.weights_hash != open.weights_hash) return IdentityBar::tr("other weights");
  if (run.dtype != open.dtype) return IdentityBar::tr("another dtype");
  return {};
}

/// Returns how many tokens of the open text the run was asked to read; 0: there is no run of this text.
std::int64_t tokens_read(const RunModel& run, const std::optional<LoadedText>& text) {
  if (run.is_empty() || !run.request().ids || !text || !text->ids) return 0;
  const std::vector<std::int32_t>& ids = *run.request().ids;
  const auto begin = ids.begin() + (run.request().config.bos && !ids.empty() ? 1 : 0);
  const bool reads = ids.end() - begin <= std::ssize(*text->ids) && std::equal(begin, ids.end(), text->ids->begin());
  return reads ? ids.end() - begin : 0;
}

/// Returns the time that the whole text would take at the speed of a run of its first `read` tokens; 0: not known.
double seconds_for_all(const RunModel& run, std::int64_t read, std::int64_t all) {
  if (!run.finished() || run.summary().cancelled || read <= 0 || runs_in_chunks(run.request().policy)) return 0;
  return run.summary().seconds * static_cast<double>(all) / static_cast<double>(read);
}

}  // namespace

IdentityBar::IdentityBar(Lab& lab, QWidget* parent)
    : QWidget(parent),
      lab_(lab),
      chip_(new QToolButton(this)),
      all_(new QToolButton(this)),
      offer_(new QToolButton(this)),
      text_(new ElidedLabel(this, Qt::ElideMiddle)),
      document_(new ElidedLabel(this, Qt::ElideMiddle)),
      badge_(new ElidedLabel(this, Qt::ElideMiddle)) {
  chip_->setObjectName(QStringLiteral("model_chip"));
  chip_->setAccessibleName(tr("Open model"));
  chip_->setAutoRaise(true);
  text_->setAccessibleName(tr("Open text"));
  document_->setObjectName(QStringLiteral("document"));
  document_->setAccessibleName(tr("Open document state"));
  document_->hide();
  badge_->setObjectName(QStringLiteral("run_badge"));
  badge_->setAccessibleName(tr("Weights of the shown run"));
  badge_->setContentsMargins(6, 1, 6, 1);
  QFont bold = badge_->font();
  bold.setBold(true);
  badge_->setFont(bold);
  chip_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 2, 8, 0);
  row->setSpacing(10);
  constexpr int first = 1000;  // each as much as fit() gives it, then the gap
  row->addWidget(chip_, first);
  row->addWidget(text_, first);
  row->addWidget(all_);
  row->addWidget(document_, first);
  row->addStretch(1);
  row->addWidget(badge_, first);
  row->addWidget(offer_);
  all_->setText(tr("Run all"));
  all_->setObjectName(QStringLiteral("run_all"));
  all_->setAutoRaise(true);
  all_->hide();
  connect(all_, &QToolButton::clicked, this, &IdentityBar::run_all);
  offer_->setAccessibleName(tr("Offer"));
  offer_->hide();
  connect(offer_, &QToolButton::clicked, this, [this] {
    if (const auto action = offered_) action();
  });
  connect(chip_, &QToolButton::clicked, this, &IdentityBar::model_wanted);
  connect(&lab.engine, &EngineConnection::changed, this, &IdentityBar::show_model);
  connect(&lab.loader, &ModelLoader::model_changed, this, &IdentityBar::show_model);
  connect(&lab.loader, &ModelLoader::text_opened, this, &IdentityBar::show_model);
  connect(&lab.context.document(), &OpenDocument::changed, this, &IdentityBar::show_document);
  connect(&lab.context.run(), &RunModel::reset, this, &IdentityBar::show_run);
  for (const auto signal : {&RunController::run_started, &RunController::run_shown})  // its text has its name now
    connect(&lab.runs, signal, this, &IdentityBar::show_run);
  for (const auto signal : {&RunController::state_changed, &RunController::run_ended})
    connect(&lab.runs, signal, this, &IdentityBar::show_text);
  colour();
  show_model();
}

void IdentityBar::offer(const QString& text, const QString& help, const std::function<void()>& action) {
  offer_->setText(text);
  offer_->setToolTip(help);
  offer_->setAccessibleName(text.isEmpty() ? tr("Offer") : text);
  offer_->setVisible(!text.isEmpty());
  offered_ = action;
  fit();
}

QString IdentityBar::chip() const {
  return model_;
}
QString IdentityBar::badge() const {
  return badge_->text();
}
QString IdentityBar::text() const {
  return text_->text();
}
QString IdentityBar::document() const {
  return document_->text();
}

void IdentityBar::show_model() {
  const auto& model = lab_.loader.model();
  QString chip = model ? model_label(model->info) : tr("no model");
  QString details = model ? model_details(model->info) : tr("No model is open");
  if (!lab_.engine.command().isEmpty()) {
    const auto& there = lab_.engine.elsewhere();
    const QString place = lab_.engine.lost() ? tr("disconnected")
                          : there            ? QString::fromStdString(there->place.host)
                                             : tr("connecting");
    chip = QStringLiteral("%1: %2").arg(place, chip);
    details = tr("Engine: %1").arg(lab_.engine.command()) + u'\n' + details;
  }
  model_ = chip;
  chip_->setToolTip((chip + u'\n') + details + QStringLiteral("\n\n") + tr("Click to choose the model or its adapter"));
  chip_->setAccessibleDescription(details);
  show_run();
}

void IdentityBar::show_text() {
  const auto& text = lab_.loader.text();
  const RunModel& run = lab_.context.run();
  QString label = text ? QFileInfo(text->name).fileName() : QString();
  const std::int64_t read = tokens_read(run, text);
  const std::int64_t all = text && text->ids ? std::ssize(*text->ids) : 0;
  const bool part = read > 0 && read < all;
  if (part)
    label += u' ' + filled(tr("· %L1 of %L2 tokens"), static_cast<qlonglong>(read), static_cast<qlonglong>(all));
  text_->setText(label);
  text_->setToolTip(text ? text->name : QString());
  all_->setVisible(part && lab_.runs.state() == RunController::State::Idle);
  if (part) {
    const double seconds = seconds_for_all(run, read, all);
    const QString time =
        seconds > 0 ? tr(" It takes about %1 at this run's speed.").arg(duration_text(seconds)) : QString();
    all_->setToolTip(tr("The shown run read a part of the text. Run the whole text with the settings of now.") + time);
  }
  all_->setEnabled(lab_.runs.can_run());
  fit();
}

void IdentityBar::run_all() {
  RunOptions options = lab_.context.run_options();
  options.token_limit = 0;
  options.tokens_chosen = true;
  lab_.context.edit_run_options(options, tr("run the whole text"));
  lab_.runs.run();
}

void IdentityBar::show_document() {
  const OpenDocument& document = lab_.context.document();
  document_->setText(document.is_open() ? tr("Document state: %1").arg(document.label()) : QString());
  document_->setToolTip(document.is_open()
                            ? document.details() + u'\n' + tr("Questions are about this document; it is not read again")
                            : QString());
  document_->setVisible(document.is_open());
  fit();
}

void IdentityBar::show_run() {
  const RunModel& run = lab_.context.run();
  const auto& model = lab_.loader.model();
  badge_->clear();
  if (!run.is_empty()) {
    const QString how = model ? unlike(run.model(), model->info) : tr("its model is not open");
    if (!how.isEmpty()) {
      badge_->setText(tr("⚠ Shown run, %1: %2").arg(how, model_label(run.model())));
      badge_->setToolTip(tr("The shown run was made with these weights, not with the open model's. Views that run "
                            "segments again, and what-ifs, are not available.") +
                         QStringLiteral("\n\n") + model_details(run.model()));
    } else if (!tokens_read(run, lab_.loader.text())) {
      const QString name = run.text_name().isEmpty() ? tr("another text") : QFileInfo(run.text_name()).fileName();
      badge_->setText(tr("Shown run: %1").arg(name));
      badge_->setToolTip(tr("The shown run read %1, which is not the open text. Run reads the open text.")
                             .arg(run.text_name().isEmpty() ? name : run.text_name()));
    }
  }
  badge_->setVisible(!badge().isEmpty());
  show_text();
}

/// Its width, of `most` at most; then its text lacks its middle.
int IdentityBar::show_chip(int most) {
  chip_->setText(action_text(model_));
  const int wanted = chip_->sizeHint().width();
  if (wanted <= most) return wanted;
  const int sides = wanted - chip_->fontMetrics().horizontalAdvance(model_);
  chip_->setText(action_text(chip_->fontMetrics().elidedText(model_, Qt::ElideMiddle, most - sides)));
  return most;
}

/// Divides the width among the labels; a label cuts text that it has no room for.
void IdentityBar::fit() {
  constexpr int gaps = 60, slack = 4;
  const auto wanted = [](const ElidedLabel* label) {
    label->ensurePolished();  // else it measures with another font than it draws with
    const QMargins sides = label->contentsMargins();
    const int text = label->fontMetrics().horizontalAdvance(label->text());
    return text == 0 ? 0 : text + sides.left() + sides.right() + slack;
  };
  int buttons = 0;
  for (const QToolButton* button : {all_, offer_}) buttons += button->isHidden() ? 0 : button->sizeHint().width();
  const int all = std::max(200, width() - gaps - buttons);
  const int badge = std::min(wanted(badge_), all / 2);
  const int others = wanted(text_) + wanted(document_);
  const int chip = show_chip(std::max({120, (all - badge) * 75 / 100, all - badge - others}));
  const int rest = std::max(40, all - badge - chip);
  const int document = std::min(wanted(document_), std::max(40, rest / 2));
  chip_->setMaximumWidth(chip);
  badge_->setMaximumWidth(badge);
  document_->setMaximumWidth(document);
  text_->setMaximumWidth(std::min(wanted(text_), std::max(40, rest - document)));
}

void IdentityBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit();
}

void IdentityBar::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  colour();
  fit();
}

void IdentityBar::colour() {
  const auto write_in = [](QWidget* label, const QColor& colour) {
    QPalette palette = label->palette();
    palette.setColor(QPalette::WindowText, colour);
    label->setPalette(palette);
  };
  write_in(badge_, current_theme().anchor);
  write_in(text_, current_theme().muted);
  write_in(document_, current_theme().accent);
}

}  // namespace carryover
