// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/command_dialog.h"

#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include "engine/runs/records/run_command.h"
#include "widgets/controls/button_row.h"
#include "widgets/controls/command_box.h"
#include "widgets/controls/path_row.h"
#include "widgets/look/form_history.h"

namespace carryover {

CommandDialog::CommandDialog(QWidget* parent)
    : QDialog(parent),
      forecast_(
          [this](const nlohmann::json& printed, const std::string& where) { return forecast_text(printed, where); }),
      command_(new CommandBox(this)),
      state_(new QLabel(this)) {
  state_->setTextFormat(Qt::PlainText);
  state_->setWordWrap(true);
  state_->setAccessibleName(tr("State"));
  connect_forecast();
}

void CommandDialog::complete(QVBoxLayout* column, const QString& check, const QString& check_help,
                             const QString& checking) {
  checking_ = checking;
  auto* buttons = new ButtonRow(this);
  start_ = buttons->add(tr("Start"), tr("Run it in a separate process"), this, &CommandDialog::accept);
  start_->setDefault(true);
  check_ = buttons->add(check, check_help, this, &CommandDialog::check);
  buttons->add(state_, 1);
  buttons->add(tr("Close"), {}, this, &QDialog::reject);
  column->addStretch();  // where nothing of the form takes the room
  column->addWidget(command_);
  column->addWidget(buttons);
  validate();
  new FormHistory(*this);
}

QLineEdit* CommandDialog::add_path(QFormLayout& rows, const QString& label, const QString& help, Choice choice) {
  QLineEdit* edit = add_path_row(rows, label, help, [this, label, choice](const QString& now) {
    return choice == Choice::File     ? QFileDialog::getOpenFileName(this, label, now)
           : choice == Choice::Folder ? QFileDialog::getExistingDirectory(this, label, now)
                                      : QFileDialog::getSaveFileName(this, label, now);
  });
  connect(edit, &QLineEdit::textChanged, this, &CommandDialog::validate);
  return edit;
}

void CommandDialog::connect_forecast() {
  const auto show = [this](const QString& what) {
    expected_ = what;
    show_state();
  };
  connect(&forecast_, &ForecastProcess::progressed, this, [show](const QString& what) { show(what.trimmed()); });
  connect(&forecast_, &ForecastProcess::failed, this,
          [show](const ErrorReport& report) { show(QStringLiteral("%1: %2").arg(report.where, report.problem)); });
  connect(&forecast_, &ForecastProcess::done, this, show);
  connect(&forecast_, &ForecastProcess::ended, this, &CommandDialog::show_state);
}

void CommandDialog::validate() {
  if (start_ == nullptr) return;  // the form is being built
  expected_.clear();
  forecast_.stop();  // it was about another form
  problem_ = review();
  command_->set_command(command_line());
  show_state();
}

void CommandDialog::show_state() {
  start_->setEnabled(problem_.isEmpty());
  check_->setEnabled(problem_.isEmpty() && !forecast_.running());
  state_->setText(problem_.isEmpty() ? expected_ : tr("Not ready: %1").arg(problem_));
}

void CommandDialog::check() {
  if (!problem_.isEmpty() || forecast_.running()) return;
  expected_ = checking_;
  forecast_.ask(command());
  show_state();
}

QString CommandDialog::command_line() const {
  return problem_.isEmpty() ? QString::fromStdString(shell_command(command())) : QString();
}

QString CommandDialog::said() const {
  return state_->text();
}

void CommandDialog::accept() {
  validate();
  if (!problem_.isEmpty()) return;
  start();
  QDialog::accept();
}

}  // namespace carryover
