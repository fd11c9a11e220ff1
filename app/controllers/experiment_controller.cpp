// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/experiment_controller.h"

#include <QDir>
#include <QFileInfo>

#include "app/engine_thread/post.h"
#include "engine/experiments/plan_needs.h"

namespace carryover {

using Work = ExperimentModel::Work;

namespace {

// A training stops after the layer under way, and then saves a checkpoint. Whoever is killed loses the steps since the
// last one.
constexpr int saving_patience_ms = 60'000, last_saving_patience_ms = 10'000;

}  // namespace

ExperimentController::ExperimentController(LabContext& context, RunController& runs, TrainController& training,
                                           QObject* parent)
    : QObject(parent), context_(context), runs_(runs), training_(training), process_(tr("experiment")) {
  connect_follower();
  connect_process();
}

void ExperimentController::connect_follower() {
  connect(follower_.get(), &ExperimentFollower::news, this,
          [this](const QString& folder, const std::shared_ptr<const ExperimentNews>& news) {
            if (folder == model_.folder()) model_.take(news);
          });
  connect(follower_.get(), &ExperimentFollower::failed, this, [this](const QString& folder, const ErrorReport& report) {
    if (folder != model_.folder()) return;
    if (!model_.has_state() && model_.work() != Work::None) return;  // its process has not written it yet
    model_.set_problem(QStringLiteral("%1: %2. %3").arg(report.where, report.problem, report.advice));
  });
}

void ExperimentController::connect_process() {
  process_.set_patience(saving_patience_ms);
  process_.set_last_patience(last_saving_patience_ms);
  connect(&process_, &CommandProcess::progressed, this, [this](const QString& what) {
    if (model_.work() == Work::Running) model_.set_work(Work::Running, what);
  });
  connect(&process_, &CommandProcess::failed, this, &ExperimentController::failed);
  connect(&process_, &CommandProcess::ended, this, [this] {
    model_.set_work(Work::None, {});
    context_.add_note(tr("The experiment's process has ended"));
    if (!model_.has_state())
      post(follower_.get(), [folder = model_.folder()](ExperimentFollower& it) { it.follow(folder); });
    Q_EMIT ended();
  });
}

void ExperimentController::open(const QString& folder) {
  const QString absolute = QDir(folder).absolutePath();
  if (process_.running() && absolute != model_.folder())
    return Q_EMIT failed({Fault::Usage, tr("experiment"), tr("another one is running in this window"),
                          tr("Stop it first: what it has done stays.")});
  model_.open(absolute);
  post(follower_.get(), [absolute](ExperimentFollower& follower) { follower.follow(absolute); });
  Q_EMIT opened(absolute);
}

void ExperimentController::start(const ExperimentRequest& request) {
  if (process_.running()) return;
  QStringList arguments;
  for (const std::string& word : experiment_command(request)) arguments += QString::fromStdString(word);
  context_.add_note(tr("Running the experiment %1 into %2")
                        .arg(QString::fromStdString(request.plan), QString::fromStdString(request.out)));
  arguments.removeFirst();  // the program's name
  request_ = request;
  open(QString::fromStdString(request.out));
  process_.start(arguments);
  model_.set_work(process_.running() ? Work::Running : Work::None, {});
  Q_EMIT started();
}

void ExperimentController::stop() {
  if (!process_.running()) return;
  process_.stop();
  model_.set_work(Work::Stopping, {});
}

void ExperimentController::go_on() {
  if (process_.running() || !model_.has_state()) return;
  if (request_ && QDir(QString::fromStdString(request_->out)).absolutePath() == model_.folder())
    return start(*request_);
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
