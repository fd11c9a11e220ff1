// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow that says where the engine is: in this program, or behind a command line.
#include <QAction>
#include <QMenu>

#include "app/window/engine_dialog.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "app/window/model_dialog.h"

namespace carryover {

void MainWindow::connect_engine() {
  connect(&engine_, &EngineConnection::changed, this, [this] {
    const bool elsewhere = !engine_.command().isEmpty();
    engine_here_->setVisible(elsewhere);
    reconnect_->setVisible(engine_.lost());
    if (!engine_.lost()) messages_->hide();
    update_status();
  });
}

void MainWindow::build_engine_menu(QMenu* models) {
  models->addSeparator();
  connect(models->addAction(tr("Engine elsewhere…")), &QAction::triggered, this, &MainWindow::ask_engine);
  reconnect_ = models->addAction(tr("Reconnect"));
  reconnect_->setVisible(false);
  connect(reconnect_, &QAction::triggered, &engine_, &EngineConnection::reconnect);
  engine_here_ = models->addAction(tr("Engine in this program"));
  engine_here_->setVisible(false);
  connect(engine_here_, &QAction::triggered, this, [this] { engine_.use({}); });
}

void MainWindow::ask_engine() {
  auto* dialog = new EngineDialog(engine_.command(), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &EngineDialog::command_chosen, &engine_, &EngineConnection::use);
  dialog->open();
}

void MainWindow::ask_model() {
  ModelRequest open;
  if (const auto& model = loader_.model()) {
    open.path = model->info.path;
    open.adapter = model->info.adapter;
  }
  open.dtype = context_.run_options().dtype;
  open.device = context_.run_options().device;
  QString there;
  if (!engine_.command().isEmpty())
    there = engine_.elsewhere() ? QString::fromStdString(engine_.elsewhere()->place.host) : tr("the engine's machine");
  auto* dialog = new ModelDialog(open, there, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &ModelDialog::chosen, this, &MainWindow::open_model);
  dialog->open();
}

void MainWindow::set_options_of_next_model(const RunOptions& options) {
  opening_ = true;
  context_.set_run_options(options);
  opening_ = false;
}

void MainWindow::open_model(const ModelRequest& request) {
  RunOptions options = context_.run_options();
  options.dtype = request.dtype;
  options.device = request.device;
  set_options_of_next_model(options);
  loader_.open_model(QString::fromStdString(request.path), QString::fromStdString(request.adapter));
  controller_.run_when_ready();
}

}  // namespace carryover
