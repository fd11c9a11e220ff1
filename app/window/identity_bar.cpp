// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/identity_bar.h"

#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <algorithm>

#include "widgets/look/theme.h"
#include "widgets/state/model_label.h"

namespace carryover {
namespace {

/// Those of a run that are not the open ones.
QString unlike(const ModelInfo& run, const ModelInfo& open) {
  if (run.weights_hash != open.weights_hash) return IdentityBar::tr("other weights");
  if (run.dtype != open.dtype) return IdentityBar::tr("another dtype");
  return {};
}

/// Whether the run is of the open text, or of its beginning.
bool reads(const RunModel& run, const std::optional<LoadedText>& text) {
  if (!run.request().ids || !text || !text->ids) return false;
  const std::vector<std::int32_t>& ids = *run.request().ids;
  const auto begin = ids.begin() + (run.request().config.bos && !ids.empty() ? 1 : 0);
  return ids.end() - begin <= std::ssize(*text->ids) && std::equal(begin, ids.end(), text->ids->begin());
}

}  // namespace

IdentityBar::IdentityBar(Lab& lab, QWidget* parent)
    : QWidget(parent),
      lab_(lab),
      chip_(new QToolButton(this)),
      offer_(new QToolButton(this)),
      text_(new QLabel(this)),
      document_(new QLabel(this)),
      badge_(new QLabel(this)) {
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
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 2, 8, 0);
  row->setSpacing(10);
  row->addWidget(chip_);
  row->addWidget(text_);
  row->addWidget(document_);
  row->addStretch(1);
  row->addWidget(badge_);
  row->addWidget(offer_);
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
  return chip_text_;
}
QString IdentityBar::badge() const {
  return badge_text_;
}

void IdentityBar::show_model() {
  const auto& model = lab_.loader.model();
  chip_text_ = model ? model_label(model->info) : tr("no model");
  QString details = model ? model_details(model->info) : tr("No model is open");
  if (!lab_.engine.command().isEmpty()) {
    const auto& there = lab_.engine.elsewhere();
    const QString place = lab_.engine.lost() ? tr("engine lost")
                          : there            ? QString::fromStdString(there->place.host)
                                             : tr("connecting");
    chip_text_ = QStringLiteral("%1: %2").arg(place, chip_text_);
    details = tr("Engine: %1").arg(lab_.engine.command()) + u'\n' + details;
  }
  chip_->setToolTip(details + QStringLiteral("\n\n") + tr("Click to choose the model or its adapter"));
  chip_->setAccessibleDescription(details);
  const auto& text = lab_.loader.text();
  text_name_ = text ? QFileInfo(text->name).fileName() : QString();
  text_->setToolTip(text ? text->name : QString());
  show_run();
}

void IdentityBar::show_document() {
  const OpenDocument& document = lab_.context.document();
  document_name_ = document.is_open() ? tr("Document state: %1").arg(document.label()) : QString();
  document_->setToolTip(document.is_open()
                            ? document.details() + u'\n' + tr("Questions are about this document; it is not read again")
                            : QString());
  document_->setVisible(document.is_open());
  fit();
}

void IdentityBar::show_run() {
  const RunModel& run = lab_.context.run();
  const auto& model = lab_.loader.model();
  badge_text_.clear();
  if (!run.is_empty()) {
    const QString how = model ? unlike(run.model(), model->info) : tr("its model is not open");
    if (!how.isEmpty()) {
      badge_text_ = tr("⚠ Shown run, %1: %2").arg(how, model_label(run.model()));
      badge_->setToolTip(tr("The shown run was made with these weights, not with the open model's. Views that run "
                            "segments again, and what-ifs, are not available.") +
                         QStringLiteral("\n\n") + model_details(run.model()));
    } else if (!reads(run, lab_.loader.text())) {
      const QString name = run.text_name().isEmpty() ? tr("another text") : QFileInfo(run.text_name()).fileName();
      badge_text_ = tr("Shown run: %1").arg(name);
      badge_->setToolTip(tr("The shown run read %1, which is not the open text. Run reads the open text.")
                             .arg(run.text_name().isEmpty() ? name : run.text_name()));
    }
  }
  badge_->setVisible(!badge_text_.isEmpty());
  fit();
}

void IdentityBar::fit() {
  constexpr int chip_frame = 16, gaps = 60, slack = 4;
  for (const QWidget* part : std::initializer_list<const QWidget*>{chip_, text_, document_, badge_})
    part->ensurePolished();  // else it measures with another font than it draws with
  const auto wanted = [](const QWidget* part, const QString& text) {
    return text.isEmpty() ? 0 : part->fontMetrics().horizontalAdvance(text) + slack;
  };
  const auto cut = [](auto* part, const QString& text, int width) {
    part->setText(part->fontMetrics().elidedText(text, Qt::ElideMiddle, width));
  };
  const int offer = offer_->isHidden() ? 0 : offer_->sizeHint().width();
  const int all = std::max(200, width() - gaps - offer);
  const int badge = std::min(wanted(badge_, badge_text_), all / 2);
  const int chip = std::min(wanted(chip_, chip_text_), std::max(120, (all - badge) * 75 / 100));
  const int rest = std::max(40, all - badge - chip - chip_frame);
  const int document = std::min(wanted(document_, document_name_), std::max(40, rest / 2));
  cut(chip_, chip_text_, chip);
  cut(badge_, badge_text_, badge);
  cut(document_, document_name_, document);
  cut(text_, text_name_, std::max(40, rest - document));
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
  badge_->setStyleSheet(QStringLiteral("color: %1; font-weight: bold").arg(current_theme().anchor.name()));
  text_->setStyleSheet(QStringLiteral("color: %1").arg(current_theme().muted.name()));
  document_->setStyleSheet(QStringLiteral("color: %1").arg(current_theme().accent.name()));
}

}  // namespace carryover
