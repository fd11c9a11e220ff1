// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/experiment_controller.h"

#include <QFileInfo>

#include "engine/campaigns/experiments/plan_needs.h"

namespace carryover {

namespace {

// A training stops after the layer under way, and then saves a checkpoint. Whoever is killed loses the steps since the
// last one.
constexpr int saving_patience_ms = 60'000, last_saving_patience_ms = 10'000;

}  // namespace

ExperimentController::ExperimentController(LabContext& context, RunController& runs, TrainController& training,
                                           QObject* parent)
    : FolderController(tr("experiment"), parent), context_(context), runs_(runs), training_(training) {
  connect_folder(model_, follower_.get());
  connect(follower_.get(), &ExperimentFollower::news, this,
          [this](const QString& folder, const std::shared_ptr<const ExperimentNews>& news) {
            if (folder == model_.folder()) model_.take(news);
          });
  process().set_patience(saving_patience_ms);
  process().set_last_patience(last_saving_patience_ms);
  connect(this, &FolderController::ended, this,
          [this] { context_.add_note(tr("The experiment's process has ended")); });
}

void ExperimentController::start(const ExperimentRequest& request) {
  if (process().running()) return;
  context_.add_note(tr("Running the experiment %1 into %2")
                        .arg(QString::fromStdString(request.plan), QString::fromStdString(request.out)));
  request_ = request;
  run(experiment_command(request), request.out);
}

void ExperimentController::go_on() {
  if (process().running() || !model_.has_news()) return;
  if (request_ && is_open(request_->out)) return start(*request_);
  const std::optional<ExperimentRequest>& recorded = model_.state().command;
  ExperimentRequest request = recorded ? *recorded : ExperimentRequest{model_.state().plan_file, {}, {}};
  request.out = model_.folder().toStdString();  // where it is now
  bool ready = false;
  if (recorded)
    attempt([&] {
      ExperimentPlan plan = read_experiment_plan(request.plan);
      apply_overrides(plan, request.overrides);
      ready = all_there(plan_needs(plan));
    });
  if (ready)
    Q_EMIT continue_wanted(request);
  else
    Q_EMIT request_wanted(request);  // the dialog says what is wrong
}

int ExperimentController::openable(const QString& id, bool evaluation) {
  const int row = model_.index_of(id);
  if (row < 0) return -1;
  const CellState& cell = model_.cell(row);
  const bool begun = QFileInfo::exists(model_.cell_folder(row) + QStringLiteral("/config.json"));
  QString problem;
  if (evaluation && cell.training) problem = tr("is a training");
  if (!begun)
    problem = cell.status == CellStatus::Failed ? tr("has failed: %1").arg(QString::fromStdString(cell.error))
                                                : tr("has not begun yet");
  if (problem.isEmpty()) return row;
  Q_EMIT failed({Fault::Usage, tr("cell %1").arg(id), problem, tr("Choose one that has been run.")});
  return -1;
}

void ExperimentController::open_cell(const QString& id) {
  const int row = openable(id, false);
  if (row < 0) return;
  const QString folder = model_.cell_folder(row);
  model_.cell(row).training ? training_.open_folder(folder) : runs_.open_run(folder);
}

void ExperimentController::pin_cell(const QString& id) {
  const int row = openable(id, true);
  if (row < 0) return;
  runs_.open_pair(runs_.place(), model_.cell_folder(row));
}

void ExperimentController::compare_cells(const QString& first, const QString& with) {
  const int shown = openable(first, true), pinned = shown < 0 ? -1 : openable(with, true);
  if (pinned >= 0) runs_.open_pair(model_.cell_folder(shown), model_.cell_folder(pinned));
}

}  // namespace carryover
