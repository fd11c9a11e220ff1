// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/command_box.h"

#include <QApplication>
#include <QClipboard>
#include <QPlainTextEdit>
#include <QToolButton>
#include <QVBoxLayout>

namespace carryover {

CommandBox::CommandBox(QWidget* parent)
    : QGroupBox(tr("Equivalent command"), parent), text_(new QPlainTextEdit(this)), copy_(new QToolButton(this)) {
  text_->setReadOnly(true);
  text_->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  text_->setTabChangesFocus(true);
  const int line = text_->fontMetrics().lineSpacing();
  text_->setMinimumHeight(4 * line + 12);
  text_->setMaximumHeight(5 * line + 12);  // room is for the form
  text_->setAccessibleName(tr("Command line"));
  copy_->setText(tr("Copy"));
  copy_->setToolTip(tr("Copy the command line"));
  connect(copy_, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(command_); });
  auto* column = new QVBoxLayout(this);
  column->addWidget(text_, 1);
  column->addWidget(copy_, 0, Qt::AlignRight);
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
  set_command({});
}

void CommandBox::set_command(const QString& command, const QString& also) {
  command_ = command;
  copy_->setEnabled(!command.isEmpty());
  text_->setPlainText(command.isEmpty() ? tr("The command appears when the form has no errors.")
                      : also.isEmpty()  ? command
                                        : command + QStringLiteral("\n\n") + also);
}

}  // namespace carryover
