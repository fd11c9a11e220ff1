// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/log_panel.h"

#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/base/error.h"
#include "engine/formats/output_file.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/qstring.h"
#include "widgets/look/theme.h"

namespace carryover {
namespace {

constexpr int kept_lines = 10'000;

}  // namespace

LogPanel::LogPanel(LabContext& lab, QWidget* parent)
    : Panel(lab, tr("Log"), parent), least_level_(new QComboBox(this)), view_(new QPlainTextEdit(this)) {
  least_level_->addItems({tr("All lines"), tr("Warnings and errors"), tr("Errors")});
  least_level_->setAccessibleName(tr("Lines shown"));
  auto* save_button = new QPushButton(tr("&Save…"), this);
  WrappingBar* bar = control_bar();
  bar->addWidget(least_level_);
  bar->addWidget(save_button);
  bar->addStretch(1);
  view_->setReadOnly(true);
  view_->setFrameShape(QFrame::NoFrame);
  view_->setMaximumBlockCount(kept_lines);
  view_->setPlaceholderText(tr("Nothing logged yet"));
  view_->setAccessibleName(tr("Log lines"));
  put_bar_above(this, bar, view_);
  connect(save_button, &QPushButton::clicked, this, &LogPanel::save);
  connect(least_level_, &QComboBox::currentIndexChanged, this, [this] {
    view_->clear();
    shown_ = 0;
    request_refresh();
  });
}

void LogPanel::append_line(LogLevel level, const QString& text) {
  lines_.push_back({QDateTime::currentDateTime(), level, text});
  if (lines_.size() > kept_lines) {
    lines_.pop_front();
    if (shown_ > 0) --shown_;
  }
  request_refresh();
}

QString LogPanel::format(const Line& line) {
  const QString level = line.level == LogLevel::Error     ? tr("error")
                        : line.level == LogLevel::Warning ? tr("warning")
                                                          : QString();
  const QString time = line.time.toString(QStringLiteral("HH:mm:ss.zzz"));
  return level.isEmpty() ? time + QStringLiteral("  ") + line.text
                         : QStringLiteral("%1  %2: %3").arg(time, level, line.text);
}

void LogPanel::show_line(const Line& line) {
  if (static_cast<int>(line.level) < least_level_->currentIndex()) return;
  const Theme& theme = current_theme();
  QTextCharFormat colours;
  colours.setForeground(line.level == LogLevel::Error     ? theme.anchor
                        : line.level == LogLevel::Warning ? theme.expanded
                                                          : theme.text);
  view_->setCurrentCharFormat(colours);
  view_->appendPlainText(format(line));
}

void LogPanel::refresh() {
  while (shown_ < lines_.size()) show_line(lines_[shown_++]);
}

QString LogPanel::text() const {
  QString text;
  for (const Line& line : lines_) text += format(line) + QLatin1Char('\n');
  return text;
}

void LogPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || shown_ == 0) return;
  view_->clear();
  shown_ = 0;
  request_refresh();
}

void LogPanel::save() {
  const QString path = QFileDialog::getSaveFileName(this, tr("Save the log"), QStringLiteral("carryover.log"));
  if (path.isEmpty()) return;
  try {
    write_file_atomically(path.toStdString(), text().toStdString());
  } catch (const EngineError& error) {
    append_line(LogLevel::Error, tr("The log can't be saved as %1: %2").arg(path, qstring(error.problem())));
  }
}

}  // namespace carryover
