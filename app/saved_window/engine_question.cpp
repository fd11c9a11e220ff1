// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/engine_question.h"

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/runs/records/run_command.h"

namespace carryover {

QString visible_command(const std::vector<std::string>& words) {
  QString shown;
  for (const char32_t letter : QString::fromStdString(shell_command(words)).toUcs4()) {
    const bool seen = letter == U' ' || (QChar::isPrint(letter) && !QChar::isSpace(letter));
    shown += seen ? QString::fromUcs4(&letter, 1) : QStringLiteral("⟨U+%1⟩").arg(uint(letter), 4, 16, QLatin1Char('0'));
  }
  return shown;
}

EngineQuestion::EngineQuestion(const std::vector<std::string>& words, QWidget* parent)
    : QDialog(parent), command_(new QPlainTextEdit(visible_command(words), this)) {
  setWindowTitle(tr("Start an engine?"));
  auto* what = new QLabel(tr("The session works with an engine that this &command starts on your machine:"), this);
  what->setWordWrap(true);
  what->setBuddy(command_);
  command_->setReadOnly(true);
  command_->setLineWrapMode(QPlainTextEdit::WidgetWidth);
  command_->setWordWrapMode(QTextOption::WrapAnywhere);
  command_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  command_->setAccessibleName(tr("Command that would be started"));
  auto* advice = new QLabel(tr("The command runs with your permissions. Start it only if you trust it. Without it, the "
                               "session opens without its model. The answer is remembered for this command."),
                            this);
  advice->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(this);
  start_ = buttons->addButton(tr("Start it"), QDialogButtonBox::AcceptRole);
  refuse_ = buttons->addButton(tr("Do not start it"), QDialogButtonBox::RejectRole);
  start_->setAutoDefault(false);
  refuse_->setDefault(true);
  refuse_->setFocus();
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(what);
  layout->addWidget(command_, 1);
  layout->addWidget(advice);
  layout->addWidget(buttons);
  resize(560, 260);
  connect(start_, &QPushButton::clicked, this, [this] {
    answer_ = true;
    accept();
  });
  connect(refuse_, &QPushButton::clicked, this, [this] {
    answer_ = false;
    reject();
  });
}

}  // namespace carryover
