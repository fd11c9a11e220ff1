// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/message_bar.h"

#include <QBoxLayout>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QToolButton>
#include <QUrl>
#include <chrono>

#include "widgets/look/colour_mix.h"
#include "widgets/look/theme.h"

namespace carryover {

namespace {

constexpr std::chrono::seconds written_for{8};

}  // namespace

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent),
      headline_(new QLabel(this)),
      details_(new QLabel(this)),
      offers_(new QHBoxLayout),
      more_(new QToolButton(this)) {
  setAutoFillBackground(true);
  setFrameShape(QFrame::StyledPanel);
  headline_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  headline_->setWordWrap(true);
  headline_->setTextFormat(Qt::PlainText);
  details_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  details_->setWordWrap(true);
  details_->setTextFormat(Qt::PlainText);
  more_->setText(tr("What to do"));
  more_->setCheckable(true);
  more_->setChecked(true);
  auto* close = new QToolButton(this);
  close->setText(QStringLiteral("×"));
  close->setAccessibleName(tr("Close the message"));
  close->setAutoRaise(true);

  auto* line = new QHBoxLayout;
  line->addWidget(headline_, 1);
  line->addLayout(offers_);
  line->addWidget(more_);
  line->addWidget(close);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(10, 5, 6, 5);
  layout->setSpacing(2);
  layout->addLayout(line);
  layout->addWidget(details_);
  connect(more_, &QToolButton::toggled, details_, &QWidget::setVisible);
  connect(close, &QToolButton::clicked, this, &MessageBar::close);
  vanish_.setSingleShot(true);
  connect(&vanish_, &QTimer::timeout, this, &MessageBar::settle);
  hide();
}

void MessageBar::take_back_offers() {
  while (QLayoutItem* item = offers_->takeAt(0)) {
    item->widget()->setObjectName({});
    item->widget()->hide();
    item->widget()->deleteLater();  // a click on it may have brought us here
    delete item;
  }
}

void MessageBar::settle() {
  if (isHidden() || shows_notice_) return;
  hide();
  show_notice();
}

/// A notice that is closed is not shown again.
void MessageBar::close() {
  if (shows_notice_ && !notices_.empty()) notices_.pop_back();
  shows_notice_ = false;
  hide();
  show_notice();
}

void MessageBar::put_notice(const QString& name, const QString& headline, const QString& details, const QString& button,
                            const std::function<void()>& action) {
  std::erase_if(notices_, [&](const Notice& notice) { return notice.name == name; });
  notices_.push_back({name, headline, details, button, action});
  if (isHidden() || shows_notice_) show_notice();
}

void MessageBar::withdraw_notice(const QString& name) {
  if (std::erase_if(notices_, [&](const Notice& notice) { return notice.name == name; }) == 0 || !shows_notice_) return;
  shows_notice_ = false;
  hide();
  show_notice();
}

void MessageBar::show_notice() {
  if (notices_.empty()) return;
  const Notice& notice = notices_.back();
  headline_->setText(notice.headline);
  details_->setText(notice.details);
  details_->setVisible(!notice.details.isEmpty());
  more_->hide();
  take_back_offers();
  offer(notice.button, notice.action);
  vanish_.stop();
  shows_notice_ = true;
  show_in(current_theme().accent, tr("Notice"));
}

void MessageBar::show_error(const ErrorReport& report) {
  shows_notice_ = false;
  take_back_offers();
  const QString name = QFileInfo(report.where).fileName();
  headline_->setText(QStringLiteral("%1: %2").arg(name.isEmpty() ? report.where : name, report.problem));
  details_->setText(report.where == name ? report.advice : report.advice + QStringLiteral("\n") + report.where);
  details_->setVisible(more_->isChecked());
  more_->show();
  vanish_.stop();
  show_in(current_theme().anchor, tr("Error"));
}

void MessageBar::show_written(const QString& path) {
  if (isVisible() && !vanish_.isActive() && !shows_notice_) return;
  shows_notice_ = false;
  const QFileInfo file(path);
  headline_->setText(tr("Written: %1").arg(QDir::toNativeSeparators(path)));
  details_->hide();
  more_->hide();
  take_back_offers();
  offer(tr("Open folder"), [folder = file.isDir() ? file.filePath() : file.path()] {
    QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
  });
  vanish_.start(written_for);
  show_in(current_theme().accent, tr("Written"));
}

void MessageBar::show_in(const QColor& tint, const QString& name) {
  setAccessibleName(name);
  QPalette colours = parentWidget() ? parentWidget()->palette() : palette();
  colours.setColor(QPalette::Window, blend(current_theme().background, tint, 0.22));
  setPalette(colours);
  show();
}

void MessageBar::offer(const QString& text, const std::function<void()>& action) {
  auto* button = new QToolButton(this);
  button->setObjectName(QStringLiteral("offer"));
  button->setText(text);
  button->setAccessibleDescription(tr("What can be done about it"));
  connect(button, &QToolButton::clicked, this, [this, action] {
    this->close();
    action();
  });
  offers_->addWidget(button);
  button->show();  // a layout shows what it gets only with the next event
}

QString MessageBar::text() const {
  return headline_->text() + QStringLiteral("\n") + details_->text();
}

}  // namespace carryover
