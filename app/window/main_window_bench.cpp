// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow that has a bench made: its dialog, and what that knows of the open model.
#include "app/window/bench_dialog.h"
#include "app/window/main_window.h"
#include "engine/models/trained_under.h"
#include "engine/records/bench_command.h"
#include "widgets/forms/bench_form.h"

namespace carryover {

BenchDialog* MainWindow::bench() const {
  return bench_;
}

BenchDialog* MainWindow::open_bench() {
  if (!bench_) {
    bench_ = new BenchDialog(this);
    bench_->setAttribute(Qt::WA_DeleteOnClose);
    connect(&loader_, &ModelLoader::model_changed, bench_, [this] { tell_bench_of_model(); });
    connect(&engine_, &EngineConnection::changed, bench_, [this] { tell_bench_of_model(); });
    connect(&context_, &LabContext::config_changed, bench_, [this] { tell_bench_of_model(); });
    const auto tell_busy = [this] { bench_->set_engine_busy(why_engine_is_busy()); };
    connect(&controller_, &RunController::state_changed, bench_, tell_busy);
    connect(&training_, &TrainController::state_changed, bench_, tell_busy);
    tell_bench_of_model();
    tell_busy();
  }
  bench_->show();
  bench_->raise();
  bench_->activateWindow();
  return bench_;
}

void MainWindow::tell_bench_of_model() {
  const auto& model = loader_.model();
  if (!engine_.command().isEmpty())
    return bench_->form().set_model({}, {}, {}, tr("the open one is on another machine; choose a shape"));
  if (!model) return bench_->form().set_model({}, {}, {});
  const ModelInfo& open = model->info;
  std::string config;  // where what the model was trained under can't be read, the command will say so
  attempt([&] { config = config_difference(context_.config(), initial_config(open.config, open.path, {})); });
  bench_->form().set_model(QString::fromStdString(open.path), QString::fromStdString(open.config.name), config);
}

}  // namespace carryover
