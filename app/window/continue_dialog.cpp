// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/continue_dialog.h"

#include <QLabel>
#include <QVBoxLayout>

#include "engine/runs/records/run_command.h"
#include "widgets/controls/button_row.h"
#include "widgets/controls/command_box.h"

namespace carryover {

ContinueDialog::ContinueDialog(const ExperimentRequest& request, QWidget* parent)
    : QDialog(parent), request_(request), command_(QString::fromStdString(shell_command(experiment_command(request)))) {
  setWindowTitle(tr("Continue an experiment"));
  auto* what =
      new QLabel(tr("This command was recorded when the experiment was started. It runs the cells that are not "
                    "done."),
                 this);
  what->setTextFormat(Qt::PlainText);
  what->setWordWrap(true);
  auto* command = new CommandBox(this);
  command->set_command(command_);
  auto* buttons = new ButtonRow(this);
  buttons->add(tr("Continue"), tr("Run it in a separate process"), this, &ContinueDialog::accept)->setDefault(true);
  buttons->add(tr("Change…"), tr("Another plan, model, texts or recipes"), this, &ContinueDialog::change);
  buttons->add_space();
  buttons->add(tr("Close"), {}, this, &QDialog::reject);
  auto* column = new QVBoxLayout(this);
  column->addWidget(what);
  column->addWidget(command, 1);
  column->addWidget(buttons);
  resize(620, 260);
}

void ContinueDialog::accept() {
  Q_EMIT start_wanted(request_);
  QDialog::accept();
}

void ContinueDialog::change() {
  Q_EMIT change_wanted(request_);
  QDialog::reject();
}

}  // namespace carryover
