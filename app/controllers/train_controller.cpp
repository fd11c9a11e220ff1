// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/train_controller.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "app/engine_thread/post.h"
#include "app/engine_thread/throttle.h"
#include "widgets/look/filled_text.h"

namespace carryover {
namespace {

constexpr int drain_interval_ms = 34;  // under 30 a second

/// N of …/checkpoints/step-N; 0 where there is none.
std::int64_t checkpoint_step(const QString& directory) {
  return QFileInfo(directory).fileName().section(QLatin1Char('-'), -1).toLongLong();
}

}  // namespace

TrainController::TrainController(LabContext& context, RunController& runs, QObject* parent)
    : QObject(parent), context_(context), runs_(runs) {
  drain_timer_.setSingleShot(true);
  connect(&drain_timer_, &QTimer::timeout, this, &TrainController::drain);
  connect(&context_.training(), &TrainingRuns::step_changed, this, &TrainController::show_step);
  connect(&context_.training(), &TrainingRuns::about_to_remove, this,
          [this](int index) { follow(context_.training().run(index).directory(), false); });
  connect_worker();
  connect_follower();
}

TrainController::~TrainController() {
  if (channel_) channel_->control().request_stop();
}

void TrainController::connect_worker() {
  EngineWorker* worker = &runs_.engine().worker();
  connect(worker, &EngineWorker::train_news, this, &TrainController::wake);
  connect(worker, &EngineWorker::train_ended, this, &TrainController::finish);
  connect(worker, &EngineWorker::train_failed, this, &TrainController::fail);
  connect(worker, &EngineWorker::loading, this, [this](double fraction, const QString& what) {
    if (training_) training_->set_progress(fraction, what);
  });
}

void TrainController::connect_follower() {
  connect(follower_.get(), &TrainingFollower::opened, this,
          [this](const QString& directory, const std::shared_ptr<const TrainingPlan>& plan) {
            const int known = context_.training().index_of(directory);
            if (known >= 0 && &context_.training().run(known) == training_)  // this program writes it
              return follow(directory, false);
            context_.training().add(directory, plan).set_state(TrainingState::Attached);
            context_.add_note(tr("Opened the training run %1").arg(QDir::toNativeSeparators(directory)));
          });
  connect(follower_.get(), &TrainingFollower::news, this,
          [this](const QString& directory, const std::shared_ptr<const FolderNews>& news) {
            take_folder_news(directory, *news);
          });
  connect(follower_.get(), &TrainingFollower::failed, this,
          [this](const QString& /*directory*/, const ErrorReport& report) { Q_EMIT failed(report); });
}

void TrainController::follow(const QString& directory, bool on) {
  post(follower_.get(),
       [directory, on](TrainingFollower& follower) { on ? follower.open(directory) : follower.forget(directory); });
}

bool TrainController::refuse_when_busy() {
  const auto refused = runs_.refusal(tr("training"), RunController::Needs::IdleEngine);
  if (refused) Q_EMIT failed(*refused);
  return refused.has_value();
}

// The engine refuses a folder with a run only once the list has a new entry for it, in the place of that run's steps.
// The folder may lie on the engine's machine, so that the list is all there is to look at here.
bool TrainController::refuse_used(const QString& directory) {
  const TrainingRuns& runs = context_.training();
  const int known = runs.index_of(directory);
  if (known < 0 || runs.run(known).step_count() == 0) return false;
  Q_EMIT failed({Fault::Usage, directory, tr("holds a training run"),
                 tr("Choose a new folder; or resume that run, or remove it from the list, in Training runs.")});
  return true;
}

TrainingModel* TrainController::training() const {
  return training_;
}

void TrainController::start(const TrainingPlan& plan) {
  if (refuse_when_busy() || refuse_used(QString::fromStdString(plan.output_dir))) return;
  const auto shared = std::make_shared<const TrainingPlan>(plan);
  training_ = &context_.training().add(QString::fromStdString(plan.output_dir), shared);
  context_.add_note(filled(tr("Fine-tuning %1 for %L2 steps into %3"), training_->model_name(),
                           static_cast<qlonglong>(plan.training.max_steps),
                           QDir::toNativeSeparators(training_->directory())));
  launch({shared, TrainJob::Kind::Start}, tr("a fine-tuning is using the engine"));
}

void TrainController::dry_run(const TrainingPlan& plan) {
  if (refuse_when_busy()) return;
  dry_ = true;
  launch({std::make_shared<const TrainingPlan>(plan), TrainJob::Kind::DryRun}, tr("a dry run is using the engine"));
}

void TrainController::resume_run(const QString& directory) {
  TrainingRuns& runs = context_.training();
  const int index = runs.index_of(directory);
  if (index < 0 || refuse_when_busy()) return;
  follow(directory, false);
  runs.set_current(index);
  training_ = &runs.run(index);
  training_->restart_after(checkpoint_step(training_->checkpoint()));
  TrainingPlan plan = training_->plan();
  plan.output_dir = directory.toStdString();
  context_.add_note(filled(tr("Continuing %1 after step %L2"), training_->name(), training_->step_count()));
  launch({std::make_shared<const TrainingPlan>(std::move(plan)), TrainJob::Kind::Resume},
         tr("a fine-tuning is using the engine"));
}

void TrainController::open_folder(const QString& directory) {
  follow(QDir(directory).absolutePath(), true);
}

void TrainController::launch(const TrainJob& job, const QString& why) {
  EngineWorker* worker = &runs_.engine().worker();
  const auto prepared = [worker, news = Throttle()](double fraction, const std::string& what) mutable {
    if (news.passes()) Q_EMIT worker->loading(fraction, QString::fromStdString(what));
  };
  channel_ = std::make_shared<TrainChannel>([worker] { Q_EMIT worker->train_news(); }, prepared);
  stopping_ = stepped_ = false;
  runs_.engine().set_busy(why);
  update_state();
  post(worker, [job, channel = channel_](EngineWorker& engine) { engine.train(job, channel); });
  Q_EMIT state_changed();
}

// Takes the results so far at once, so that a paused run shows all of its steps but the one under way.
void TrainController::pause() {
  if (!channel_ || stopping_) return;
  channel_->control().pause();
  drain();
}

void TrainController::resume() {
  if (!channel_ || stopping_) return;
  forget_missing_room();  // where there is still none, the engine says so again
  channel_->control().resume();
  update_state();
}

void TrainController::stop() {
  if (!channel_ || stopping_) return;
  stopping_ = true;
  forget_missing_room();
  channel_->control().request_stop();
  update_state();
}

// The engine may pause by itself, on an alert.
void TrainController::update_state() {
  if (!channel_ || !training_) return Q_EMIT state_changed();
  training_->set_state(stopping_                      ? TrainingState::Stopping
                       : channel_->control().paused() ? TrainingState::Paused
                       : stepped_                     ? TrainingState::Running
                                                      : TrainingState::Preparing);
  Q_EMIT state_changed();
}

void TrainController::wake() {
  if (drain_timer_.isActive() || !channel_) return;
  const qint64 waited = since_drain_.isValid() ? since_drain_.elapsed() : drain_interval_ms;
  drain_timer_.start(static_cast<int>(std::max<qint64>(0, drain_interval_ms - waited)));
}

void TrainController::drain() {
  if (!channel_) return;
  since_drain_.start();
  take(channel_->drain());
  if (!training_) return;
  const double share = channel_->share_done();
  if (stepped_ || share > 0) {
    stepped_ = true;
    training_->set_progress(share, tr("current step: %1 %").arg(100 * share, 0, 'f', 0));
  }
  update_state();
}

void TrainController::take(std::vector<TrainChannel::News> news) {
  std::vector<std::shared_ptr<const StepSnapshot>> steps;
  std::vector<ValidationRecord> validations;
  for (TrainChannel::News& each : news) {
    if (auto* step = std::get_if<std::shared_ptr<const StepSnapshot>>(&each)) {
      dry_step_ = (*step)->record;
      steps.push_back(std::move(*step));
    } else if (auto* validation = std::get_if<ValidationRecord>(&each)) {
      validations.push_back(std::move(*validation));
    } else if (const auto* alert = std::get_if<TrainingAlert>(&each)) {
      take_alert(*alert);
    } else if (const auto* saved = std::get_if<SavedCheckpoint>(&each)) {
      if (training_) training_->set_checkpoint(QString::fromStdString(saved->directory));
    }
  }
  if (!training_) return;
  stepped_ = stepped_ || !steps.empty();
  training_->append(steps);
  training_->append_validations(validations);
}

void TrainController::take_alert(const TrainingAlert& alert) {
  const QString text = QString::fromStdString(alert.text);
  context_.add_note(filled(tr("Training, step %L1: %2"), alert.step, text), true);
  if (!training_) return;
  if (!alert.waits_for_room) return training_->append_alert(alert);
  training_->set_missing_room(text);
  Q_EMIT room_missing({Fault::Io, training_->directory(), text,
                       tr("Free some space and press Retry. Stop ends the training: the steps after the newest "
                          "checkpoint are then lost.")});
}

void TrainController::forget_missing_room() {
  if (!training_ || training_->missing_room().isEmpty()) return;
  training_->set_missing_room({});
  Q_EMIT room_found();
}

void TrainController::finish(const TrainingSummary& summary) {
  if (!channel_) return;
  drain();
  if (std::exchange(dry_, false)) {
    release();
    if (summary.stopped) return Q_EMIT dry_run_failed({Fault::Cancelled, tr("dry run"), tr("was stopped"), {}});
    return Q_EMIT dry_run_done({dry_step_, summary.peak_memory_bytes});
  }
  if (training_) {
    if (!summary.checkpoint.empty()) training_->set_checkpoint(QString::fromStdString(summary.checkpoint));
    training_->set_progress(0, {});
    training_->set_state(summary.stopped ? TrainingState::Stopped : TrainingState::Finished);
    const QString where = QString::fromStdString(summary.stopped ? summary.checkpoint : summary.final_folder);
    context_.add_note(filled(summary.stopped
                                 ? tr("Training stopped after step %L1; %2")
                                 : tr("Training finished with step %L1; the window now runs the trained model, "
                                      "saved in %2"),
                             summary.steps, where.isEmpty() ? tr("no checkpoint to continue from was saved") : where));
  }
  release();
}

void TrainController::fail(const ErrorReport& report) {
  if (!channel_) return;
  drain();
  const bool dry = std::exchange(dry_, false);
  if (training_) {
    training_->set_progress(0, {});
    training_->set_state(TrainingState::Failed);
  }
  release();
  if (dry)
    Q_EMIT dry_run_failed(report);
  else
    Q_EMIT failed(report);
}

void TrainController::release() {
  forget_missing_room();
  drain_timer_.stop();
  channel_.reset();
  training_.clear();
  runs_.engine().set_busy({});
  Q_EMIT state_changed();
}

void TrainController::take_folder_news(const QString& directory, const FolderNews& news) {
  TrainingRuns& runs = context_.training();
  const int index = runs.index_of(directory);
  if (index < 0) return;
  TrainingModel& model = runs.run(index);
  // One that nobody trains any more is followed too: it may be resumed elsewhere.
  if (model.state() != TrainingState::Attached && model.state() != TrainingState::Stopped) return;
  if (news.metrics.restarted) model.restart_after(0);
  model.append(news.metrics.steps);
  model.append_validations(news.metrics.validations);
  model.set_checkpoint(QString::fromStdString(news.checkpoint));
  model.set_state(news.finished  ? TrainingState::Finished
                  : news.written ? TrainingState::Attached
                                 : TrainingState::Stopped);
}

// A selected step whose segments were kept is looked at with the views of a run.
void TrainController::show_step() {
  const TrainingRuns& runs = context_.training();
  const TrainingModel* model = runs.current();
  if (model == nullptr || !runs.step_selected() || runs.shown_step() < 0) return;
  const auto snapshot = model->snapshot(static_cast<std::size_t>(runs.shown_step()));
  if (!snapshot) return;
  RunRequest request;
  request.policy = model->plan().policy;
  request.config = model->plan().config;
  std::vector<std::int32_t> ids;
  for (const auto& segment : snapshot->segments) ids.insert(ids.end(), segment->ids.begin(), segment->ids.end());
  if (snapshot->segments.size() == 1) request.config.segment_length = static_cast<std::int64_t>(ids.size());
  request.ids = std::make_shared<const std::vector<std::int32_t>>(std::move(ids));
  if (!runs_.loader().model()) return;
  ModelInfo weights = runs_.loader().model()->info;  // but those of one step are kept nowhere: no model can repeat this
  weights.path = model->plan().model;
  weights.adapter.clear();
  weights.trained_steps = snapshot->record.step;
  weights.trained_in = model->directory().toStdString();
  weights.weights_hash = tr("of step %1, which are not kept").arg(snapshot->record.step).toStdString();
  runs_.show(filled(tr("%1, step %L2: its last sample"), model->name(), snapshot->record.step), weights, request,
             snapshot->segments);
}

}  // namespace carryover
