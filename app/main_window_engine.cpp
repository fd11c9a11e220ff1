// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow that says where the engine is: in this program, or behind a command line.
#include <QAction>
#include <QInputDialog>
#include <QMenu>

#include "app/engine_dialog.h"
#include "app/main_window.h"
#include "app/message_bar.h"

namespace carryover {

void MainWindow::connect_engine() {
  connect(&controller_, &RunController::engine_changed, this, [this] {
    const bool elsewhere = !controller_.engine_command().isEmpty();
    open_file_->setEnabled(!elsewhere);  // what they would choose from is this machine
    open_folder_->setEnabled(!elsewhere);
    open_there_->setVisible(elsewhere);
    engine_here_->setVisible(elsewhere);
    reconnect_->setVisible(controller_.engine_lost());
    if (!controller_.engine_lost()) messages_->hide();
    update_status();
  });
}

void MainWindow::build_engine_menu(QMenu* models) {
  open_there_ = models->addAction(tr("Model there, by its path…"));
  open_there_->setVisible(false);
  connect(open_there_, &QAction::triggered, this, &MainWindow::ask_model_there);
  models->addSeparator();
  connect(models->addAction(tr("Engine elsewhere…")), &QAction::triggered, this, &MainWindow::ask_engine);
  reconnect_ = models->addAction(tr("Reconnect"));
  reconnect_->setVisible(false);
  connect(reconnect_, &QAction::triggered, &controller_, &RunController::reconnect);
  engine_here_ = models->addAction(tr("Engine in this program"));
  engine_here_->setVisible(false);
  connect(engine_here_, &QAction::triggered, this, [this] { controller_.use_engine({}); });
}

void MainWindow::ask_engine() {
  auto* dialog = new EngineDialog(controller_.engine_command(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &EngineDialog::command_chosen, &controller_, &RunController::use_engine);
  dialog->open();
}

void MainWindow::ask_model_there() {
  auto* dialog = new QInputDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Open a model on %1").arg(engine_label()));
  dialog->setLabelText(tr("Path of a model folder or GGUF file on that machine:"));
  dialog->resize(520, dialog->sizeHint().height());
  if (const auto& model = controller_.model()) dialog->setTextValue(QString::fromStdString(model->info.path));
  connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& path) {
    if (path.trimmed().isEmpty()) return;
    controller_.open_model(path.trimmed());
    controller_.run_when_ready();
  });
  dialog->open();
}

QString MainWindow::engine_label() const {
  if (controller_.engine_command().isEmpty()) return {};
  if (controller_.engine_lost()) return tr("engine lost");
  if (const auto& there = controller_.elsewhere()) return QString::fromStdString(there->place.host);
  return tr("connecting");
}

}  // namespace carryover
