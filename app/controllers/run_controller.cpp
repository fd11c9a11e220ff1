// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/run_controller.h"

#include <QFileInfo>
#include <algorithm>

#include "app/controllers/adapter_base.h"
#include "engine/records/run_command.h"

namespace carryover {
RunController::RunController(LabContext& context, QObject* parent)
    : QObject(parent), context_(context), worker_(new EngineWorker) {
  connect(&context, &LabContext::settings_problem_changed, this, &RunController::state_changed);
  thread_.setObjectName(QStringLiteral("engine"));
  worker_->moveToThread(&thread_);
  connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
  connect_worker();
  drain_timer_.setSingleShot(true);
  connect(&drain_timer_, &QTimer::timeout, this, &RunController::drain_when_due);
  thread_.start();
}

RunController::~RunController() {
  if (connecting_) connecting_->request_stop();
  worker_->end_loads();
  stop();
  thread_.quit();
  thread_.wait();
}

void RunController::connect_worker() {
  connect(worker_, &EngineWorker::loading, this, &RunController::loading_changed);
  connect(worker_, &EngineWorker::open_done, this, &RunController::end_load);
  connect(worker_, &EngineWorker::engine_ready, this, &RunController::accept_engine);
  connect(worker_, &EngineWorker::engine_lost, this, &RunController::lose_engine);
  connect(worker_, &EngineWorker::model_opened, this, &RunController::accept_model);
  connect(worker_, &EngineWorker::model_failed, this, [this](const ErrorReport& report, bool has_model) {
    run_wanted_ = false;
    if (!has_model) forget_model();
    Q_EMIT failed(report);
  });
  connect(worker_, &EngineWorker::model_trained, this, [this](const LoadedModel& model) {
    model_ = model;  // its tokens are the same, and so the text stays
    context_.set_trained_under(model.trained_under);
    Q_EMIT model_changed();
  });
  connect(worker_, &EngineWorker::text_opened, this, [this](const LoadedText& text) {
    text_ = text;
    context_.add_note(
        tr("%1: %L2 tokens").arg(QFileInfo(text.name).fileName()).arg(static_cast<qlonglong>(text.ids->size())));
    Q_EMIT text_opened();
  });
  connect(worker_, &EngineWorker::text_failed, this, [this](const ErrorReport& report) {
    run_wanted_ = false;
    Q_EMIT failed(report);
  });
  connect(worker_, &EngineWorker::run_spills, &context_.run(), &RunModel::set_source);
  connect(worker_, &EngineWorker::spill_failed, this, &RunController::failed);
  connect(worker_, &EngineWorker::run_ended, this, &RunController::end_run);
  connect(worker_, &EngineWorker::run_failed, this, [this](const ErrorReport& report) {
    run_wanted_ = false;
    drain();
    end_run(sum_up(context_.run().outline()));  // what was received stays
    Q_EMIT failed(report);
  });
  connect(worker_, &EngineWorker::run_opened, this, &RunController::show_opened);
  connect(worker_, &EngineWorker::run_open_failed, this, &RunController::failed);
  connect(worker_, &EngineWorker::saved, this, [this](const QString& directory) {
    RunOrigin origin = context_.run().origin();
    origin.folder = directory.toStdString();
    if (origin.id == saving_) context_.run().set_origin(origin);  // else another run has begun since
    Q_EMIT saved(directory);
  });
  connect(worker_, &EngineWorker::save_failed, this, &RunController::failed);
}

void RunController::set_busy(const QString& why) {
  if (busy_ == why) return;
  busy_ = why;
  Q_EMIT state_changed();
}

bool RunController::refuse_when_busy() {
  if (!busy_.isEmpty()) Q_EMIT failed({Fault::Usage, tr("engine"), busy_, tr("Stop it first, or wait for its end.")});
  return !busy_.isEmpty();
}

void RunController::use_engine(const QString& command) {
  if (refuse_when_busy()) return;
  engine_command_ = command.trimmed();
  reopen_ = false;
  forget_model();
  start_engine();
}

void RunController::forget_model() {
  model_.reset();
  Q_EMIT model_changed();
}

void RunController::reconnect() {
  if (refuse_when_busy()) return;
  if (model_) {
    model_path_ = QString::fromStdString(model_->info.path);
    adapter_path_ = QString::fromStdString(model_->info.adapter);
  }
  reopen_ = !model_path_.isEmpty();
  start_engine();
}

void RunController::start_engine() {
  stop();
  elsewhere_.reset();
  engine_lost_ = false;
  if (connecting_) connecting_->request_stop();
  connecting_ = std::make_shared<RunControl>();
  begin_load();
  Q_EMIT engine_changed();
  post([command = engine_command_, control = connecting_](EngineWorker& worker) {
    worker.use_engine(command, control);
  });
}

void RunController::accept_engine(const std::optional<EngineElsewhere>& elsewhere) {
  elsewhere_ = elsewhere;
  if (elsewhere) {
    context_.add_note(tr("The engine is on %1: %2 cores, %3 GB of memory")
                          .arg(QString::fromStdString(elsewhere->place.host))
                          .arg(elsewhere->place.cores)
                          .arg(static_cast<double>(elsewhere->place.memory_bytes) / 1e9, 0, 'f', 0));
  } else {
    context_.add_note(tr("The engine is in this program"));
  }
  Q_EMIT engine_changed();
  if (std::exchange(reopen_, false)) open_model(model_path_, adapter_path_);
}

void RunController::lose_engine(const ErrorReport& report) {
  engine_lost_ = true;
  run_wanted_ = false;
  Q_EMIT state_changed();
  Q_EMIT engine_changed();
  Q_EMIT failed(report);
}

void RunController::open_model(const QString& path, const QString& adapter) {
  if (refuse_when_busy()) return;
  if (engine_command_.isEmpty() && adapter.isEmpty() && is_adapter_folder(path)) {
    QString base = base_of_adapter(path);
    if (base.isEmpty() && model_) base = QString::fromStdString(model_->info.path);
    if (!base.isEmpty()) return open_model(base, path);
  }
  stop();
  model_path_ = path;
  adapter_path_ = adapter;
  const RunOptions& options = context_.run_options();
  const ModelRequest request{path.toStdString(), options.dtype, options.device, 0, false, adapter.toStdString()};
  begin_load();
  post([request](EngineWorker& worker) { worker.open_model(request); });
}

void RunController::reopen_model() {
  if (model_) open_model(QString::fromStdString(model_->info.path), QString::fromStdString(model_->info.adapter));
}

void RunController::open_text(const QString& path, const QString& name) {
  if (refuse_when_busy()) return;
  begin_load();
  post([path, name](EngineWorker& worker) { worker.open_text({path, {}, name}); });
}

void RunController::open_pasted_text(const QString& text, const QString& name) {
  if (refuse_when_busy()) return;
  begin_load();
  TextRequest request{{}, text.toStdString(), name.isEmpty() ? tr("pasted text") : name};
  post([request](EngineWorker& worker) { worker.open_text(request); });
}

void RunController::begin_load() {
  loads_under_way_ += 1;
  Q_EMIT state_changed();
}

void RunController::end_load() {
  loads_under_way_ -= 1;
  Q_EMIT state_changed();
  if (run_wanted_ && loads_under_way_ == 0) run_or_say_why_not();
}

/// What was to be run once everything is open, now that it is.
void RunController::run_or_say_why_not() {
  if (can_run()) {
    run_wanted_ = false;
    run();
  } else if (const QString& problem = context_.settings_problem(); !problem.isEmpty() && model_ && text_) {
    run_wanted_ = false;
    Q_EMIT failed({Fault::BadInput, tr("settings"), problem, tr("Correct the field that is marked, then run.")});
  }
}

void RunController::accept_model(const LoadedModel& model) {
  const bool same = model_ && model_->info.weights_hash == model.info.weights_hash;
  model_ = model;
  context_.set_trained_under(model.trained_under);
  if (!same)
    context_.set_model(model.info.config, model.trained_under
                                              ? model.trained_under->config
                                              : SegmentConfig::untrained_defaults_for(model.info.config));
  text_.reset();  // its ids were the last model's; the worker sends this one's next
  const QString dtype = QString::fromUtf8(dtype_name(model.info.dtype).data());
  context_.add_note(tr("%1: %2 layers, %3 heads, %L4 MB of weights in %5 on %6")
                        .arg(QString::fromStdString(model.info.config.name))
                        .arg(model.info.config.layers)
                        .arg(model.info.config.heads)
                        .arg(model.info.weight_bytes / 1'000'000)
                        .arg(dtype, QString::fromUtf8(device_name(model.info.device).data())));
  context_.add_note(tr("Numbers in %1: %2").arg(dtype, QString::fromStdString(model.info.dtype_reason)));
  Q_EMIT model_opened();
  Q_EMIT model_changed();
}

bool RunController::can_run() const {
  return why_not_run().isEmpty();
}

QString RunController::why_not_run() const {
  if (!busy_.isEmpty()) return busy_;
  if (state_ != State::Idle) return tr("a run is in progress");
  if (engine_lost_) return tr("the engine is lost");
  if (loads_under_way_ > 0) return tr("a model or a text is being loaded");
  if (!model_) return tr("no model is open");
  if (!text_) return tr("no text is open");
  return context_.settings_problem();
}

bool RunController::engine_paused() const {
  return channel_ && channel_->control().paused();
}

double RunController::running_seconds() const {
  return since_start_.isValid() ? static_cast<double>(since_start_.elapsed()) / 1000.0 : 0.0;
}

RunRequest RunController::make_request() const {
  RunRequest request;
  request.config = context_.config();
  request.policy = context_.run_options().policy;
  request.capture.states = request.policy == "segmented";  // for what-ifs and inspections
  std::vector<std::int32_t> ids;
  if (request.config.bos && model_->tokenizer->bos()) ids.push_back(*model_->tokenizer->bos());
  ids.insert(ids.end(), text_->ids->begin(), text_->ids->end());
  const std::int64_t limit = context_.run_options().token_limit;
  if (limit > 0 && static_cast<std::int64_t>(ids.size()) > limit) ids.resize(static_cast<std::size_t>(limit));
  request.ids = std::make_shared<const std::vector<std::int32_t>>(std::move(ids));
  return request;
}

void RunController::run(std::int64_t latch_segment) {
  context_.settle_settings();
  if (!can_run()) return;
  RunRequest request = make_request();
  request.latch_segment = latch_segment;
  RunDescription description;
  description.model = model_->info;
  description.text = text_->name.toStdString();
  description.request = request;
  if (const std::int64_t limit = context_.run_options().token_limit; limit > 0) description.token_limit = limit;
  description.command_line = run_command(description);
  begin_run(description, {}, model_->tokenizer);
  channel_ = std::make_shared<RunChannel>(
      [this] { QMetaObject::invokeMethod(this, &RunController::wake, Qt::QueuedConnection); });
  const QString journal = journal_place_ ? journal_place_() : QString();
  since_start_.start();
  set_state(State::Running);
  context_.add_note(
      tr("Running %L1 tokens, policy %2").arg(request.ids->size()).arg(QString::fromStdString(request.policy)));
  Q_EMIT run_started();
  post([description, journal, channel = channel_](EngineWorker& worker) { worker.run(description, journal, channel); });
}

void RunController::run_when_ready() {
  context_.settle_settings();
  run_wanted_ = true;
  if (loads_under_way_ == 0 && state_ == State::Idle) run_or_say_why_not();
}

void RunController::pause() {
  if (state_ != State::Running) return;
  channel_->control().pause();
  drain();  // a paused run shows what was done, up to the segment under way
  set_state(State::Paused);
}

void RunController::resume() {
  if (!channel_ || state_ == State::Idle || state_ == State::Stopping) return;
  channel_->control().resume();
  set_state(State::Running);
}

void RunController::stop() {
  run_wanted_ = false;
  if (!channel_ || state_ == State::Idle) return;
  channel_->control().request_stop();
  set_state(State::Stopping);
}

void RunController::end_run(const RunSummary& summary) {
  drain();
  drain_timer_.stop();
  channel_.reset();
  context_.run().finish(summary);
  context_.digests().add(context_.run());
  set_state(State::Idle);
  if (summary.ppl()) {
    context_.add_note(tr("%1 %L2 tokens in %3 s, PPL %4, %5 near-ties at the cutoff")
                          .arg(summary.cancelled ? tr("Stopped after") : tr("Done:"))
                          .arg(summary.tokens)
                          .arg(summary.seconds, 0, 'f', 1)
                          .arg(*summary.ppl(), 0, 'f', 3)
                          .arg(summary.close_cuts));
  }
  Q_EMIT run_ended();
  if (run_wanted_) run_when_ready();
}

void RunController::wake() {
  if (!drain_timer_.isActive() && channel_) drain_timer_.start(ms_to_drain());
}

void RunController::drain_when_due() {
  if (const int left = ms_to_drain(); left > 0) return drain_timer_.start(left);
  drain();
}

void RunController::drain() {
  if (!channel_) return;
  pace_.drained();
  context_.run().append(channel_->drain());
  context_.run().set_progress(channel_->tokens_done());
}

void RunController::set_state(State state) {
  if (state == state_) return;
  state_ = state;
  Q_EMIT state_changed();
}

}  // namespace carryover
