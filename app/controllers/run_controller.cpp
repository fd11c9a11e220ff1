// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/run_controller.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "engine/cost/policy_table.h"
#include "engine/runs/records/run_command.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/model_label.h"

namespace carryover {
namespace {

QString absolute_place(const QString& place) {
  return place.isEmpty() ? place : QDir::cleanPath(QFileInfo(place).absoluteFilePath());
}

}  // namespace

RunController::RunController(LabContext& context, EngineConnection& engine, ModelLoader& loader, QObject* parent)
    : QObject(parent), context_(context), engine_(engine), loader_(loader) {
  connect(&context, &LabContext::settings_problem_changed, this, &RunController::state_changed);
  connect_engine();
  connect_worker();
  drain_timer_.setSingleShot(true);
  connect(&drain_timer_, &QTimer::timeout, this, &RunController::drain_when_due);
}

RunController::~RunController() {
  stop();
}

void RunController::connect_engine() {
  for (const auto signal : {&EngineConnection::changing, &EngineConnection::replaced})
    connect(&engine_, signal, this, &RunController::stop);
  connect(&engine_, &EngineConnection::starting, this, &RunController::stop);
  connect(&engine_, &EngineConnection::changed, this, [this] {
    if (engine_.lost()) run_wanted_ = false;
    Q_EMIT state_changed();
  });
  connect(&engine_, &EngineConnection::busy_changed, this, &RunController::state_changed);
  connect(&engine_, &EngineConnection::failed, this, &RunController::failed);
  connect(&loader_, &ModelLoader::opening_model, this, &RunController::stop);
  connect(&loader_, &ModelLoader::opening_text, this, [this] {
    if (run_wanted_) stop_run();
  });
  connect(&loader_, &ModelLoader::loads_changed, this, [this] {
    Q_EMIT state_changed();
    if (run_wanted_ && !loader_.loading()) run_or_say_why_not();
  });
  connect(&loader_, &ModelLoader::failed, this, [this](const ErrorReport& report) {
    run_wanted_ = false;
    Q_EMIT failed(report);
  });
}

void RunController::connect_worker() {
  EngineWorker* worker = &engine_.worker();
  connect(worker, &EngineWorker::spill_failed, this, [this](const ErrorReport& report) {
    journal_is_whole_ = false;
    Q_EMIT failed(report);
  });
  connect(worker, &EngineWorker::run_ended, this, &RunController::end_run);
  connect(worker, &EngineWorker::run_failed, this, [this](const ErrorReport& report) {
    run_wanted_ = false;
    drain();
    end_run(sum_up(context_.run().outline()));  // what was received stays
    Q_EMIT failed(report);
  });
  connect(worker, &EngineWorker::run_opened, this, &RunController::show_opened);
  connect(worker, &EngineWorker::run_open_failed, this, [this](const ErrorReport& report) {
    pinned_.clear();
    selected_.reset();
    Q_EMIT failed(report);
  });
  connect(worker, &EngineWorker::saved, this, [this](const QString& directory) {
    RunOrigin origin = context_.run().origin();
    origin.folder = directory.toStdString();
    if (origin.id == saving_) context_.run().set_origin(origin);  // else another run has begun since
    Q_EMIT saved(directory);
  });
  connect(worker, &EngineWorker::save_failed, this, &RunController::failed);
}

/// Starts the run that waited for everything to be open.
void RunController::run_or_say_why_not() {
  if (can_run()) {
    run_wanted_ = false;
    run();
  } else if (const QString& problem = context_.settings_problem();
             !problem.isEmpty() && loader_.model() && loader_.text()) {
    run_wanted_ = false;
    Q_EMIT failed({Fault::BadInput, tr("settings"), problem, tr("Correct the marked field, then run.")});
  }
}

bool RunController::can_run() const {
  return why_not_run().isEmpty();
}

QString RunController::why_not_run() const {
  if (!engine_.busy().isEmpty()) return engine_.busy();
  if (state_ != State::Idle) return tr("a run is in progress");
  if (engine_.lost()) return tr("the connection to the engine is lost: press Reconnect");
  if (loader_.loading()) return tr("a model or a text is being loaded");
  if (!loader_.model()) return tr("no model is open");
  if (!loader_.text()) return tr("no text is open");
  return context_.settings_problem();
}

QString RunController::why_engine_is_busy() const {
  if (!engine_.busy().isEmpty()) return engine_.busy();
  if (loader_.loading()) return tr("a model or a text is being loaded");
  return state_ == State::Idle ? QString() : tr("a run is using the engine");
}

std::optional<ErrorReport> RunController::refusal(const QString& job, Needs needs) const {
  const auto because = [&](const QString& problem, const QString& advice) {
    return ErrorReport{Fault::Usage, job, problem, advice};
  };
  if (const QString busy = why_engine_is_busy(); !busy.isEmpty())
    return because(busy, tr("Stop it first, or wait for its end."));
  if (needs == Needs::IdleEngine) return std::nullopt;
  if (engine_.lost()) return because(tr("the connection to the engine is lost"), tr("Press Reconnect."));
  if (!loader_.model()) return because(tr("no model is open"), tr("Open a model first."));
  if (needs == Needs::ModelAndText && !loader_.text()) return because(tr("no text is open"), tr("Open a text first."));
  return std::nullopt;
}

bool RunController::engine_paused() const {
  return channel_ && channel_->control().paused();
}

double RunController::tokens_per_second() const {
  if (state_ == State::Idle) return 0;
  constexpr double least_seconds = 0.05;  // the first layers say nothing
  const auto done = static_cast<double>(context_.run().tokens_done() - given_tokens_);
  const double seconds = static_cast<double>(ms_before_ + (clock_.isValid() ? clock_.elapsed() : 0)) / 1000;
  return done > 0 ? done / std::max(least_seconds, seconds) : 0;
}

void RunController::restart_clock() {
  ms_before_ = 0;
  if (state_ != State::Paused) clock_.start();
}

void RunController::stop_clock() {
  if (clock_.isValid()) ms_before_ += clock_.elapsed();
  clock_.invalidate();
}

RunRequest RunController::make_request() const {
  const LoadedText& text = *loader_.text();
  const auto bos = loader_.model()->tokenizer->bos();
  RunRequest request;
  request.config = context_.config();
  request.policy = context_.run_options().policy;
  std::vector<std::int32_t> ids;
  if (request.config.bos && bos) ids.push_back(*bos);
  ids.insert(ids.end(), text.ids->begin(), text.ids->end());
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
  description.model = loader_.model()->info;
  description.text = loader_.text()->name.toStdString();
  description.request = request;
  if (const std::int64_t limit = context_.run_options().token_limit; limit > 0) description.token_limit = limit;
  description.command_line = run_command(description);
  start(description, {});
}

void RunController::run_request(const QString& name, const RunRequest& request) {
  if (!loader_.model() || engine_.lost() || !why_engine_is_busy().isEmpty()) return;
  RunDescription description;
  description.model = loader_.model()->info;
  description.text = name.toStdString();
  description.request = request;
  description.command_line = run_command(description);
  start(description, {});
}

QString RunController::why_not_continue() const {
  if (const QString why = why_engine_is_busy(); !why.isEmpty()) return why;
  if (engine_.lost()) return tr("the connection to the engine is lost: press Reconnect");
  const RunModel& run = context_.run();
  if (!run.finished() || run.segment_count() == 0 || run.summary().tokens >= run.token_count() ||
      run.segment_count() != run.summary().segments)
    return tr("the shown run was not stopped before its end");
  if (const QString why = why_not_repeat(); !why.isEmpty()) return why;
  const auto& model = loader_.model();
  if (!model || model->info.weights_hash != run.model().weights_hash || model->info.dtype != run.model().dtype)
    return tr("it was made with other weights: open %1").arg(model_label(run.model()));
  return {};
}

QString RunController::why_not_repeat() const {
  if (described_.missing_hits.empty()) return {};
  return tr("the hits that it was given in place of a search can't be read again: %1")
      .arg(QString::fromStdString(described_.missing_hits));
}

void RunController::continue_run() {
  if (const QString why = why_not_continue(); !why.isEmpty())
    return Q_EMIT failed({Fault::Usage, tr("continuing a run"), why,
                          why == why_not_repeat() ? tr("Put the file back, or run the text again.")
                                                  : tr("Open the run and its model first.")});
  RunDescription description = describe_run();
  description.id.clear();
  description.request.latch_segment = -1;
  const auto given = context_.run().segments();
  context_.add_note(tr("Continues after segment %1").arg(given->count() - 1));
  start(description, given);
}

/// `given`: segments that the run has already.
void RunController::start(RunDescription description, const std::shared_ptr<const SegmentSource>& given) {
  description.request.capture.states = !state_grows(description.request.policy);  // for what-ifs and inspections
  begin_run(description, {}, loader_.model()->tokenizer);
  channel_ = std::make_shared<RunChannel>(
      [this] { QMetaObject::invokeMethod(this, &RunController::wake, Qt::QueuedConnection); });
  journal_ = journal_place_ ? journal_place_() : QString();
  journal_is_whole_ = true;
  given_tokens_ = given ? context_.run().tokens_after(given->count() - 1) : 0;
  restart_clock();
  set_state(State::Running);
  const RunRequest& request = description.request;
  context_.add_note(
      filled(tr("Running %L1 tokens, policy %2"), request.ids->size(), QString::fromStdString(request.policy)));
  Q_EMIT run_started();
  engine_.post([description, journal = journal_, channel = channel_, given](EngineWorker& worker) {
    worker.run(description, journal, channel, given);
  });
}

void RunController::take_source(std::shared_ptr<const SegmentSource> segments) {
  context_.run().set_source(std::move(segments));
  place_ = journal_;
  if (!place_.isEmpty()) Q_EMIT run_kept();
}

void RunController::adopt_journal(const QString& place) {
  place_ = place;
  Q_EMIT run_kept();
}

void RunController::run_when_ready() {
  context_.settle_settings();
  run_wanted_ = engine_.busy().isEmpty();  // else what was to be opened was refused, not put off
  if (run_wanted_ && !loader_.loading() && state_ == State::Idle) run_or_say_why_not();
}

void RunController::pause() {
  if (state_ != State::Running) return;
  channel_->control().pause();
  drain();  // a paused run shows what was done, up to the segment under way
  stop_clock();
  set_state(State::Paused);
}

void RunController::resume() {
  if (!channel_ || state_ == State::Idle || state_ == State::Stopping) return;
  channel_->control().resume();
  if (!clock_.isValid()) clock_.start();
  set_state(State::Running);
}

void RunController::stop() {
  run_wanted_ = false;
  stop_run();
}

/// Stops the present run; a run that waits to be started next still starts.
void RunController::stop_run() {
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
    context_.add_note(filled(tr("%1 %L2 tokens in %3 s, PPL %4, near-ties at the top-k cutoff: %5"),
                             summary.cancelled ? tr("Stopped after") : tr("Done:"), summary.tokens,
                             decimal_text(summary.seconds, 1), decimal_text(*summary.ppl(), 3), summary.near_ties));
  }
  Q_EMIT run_ended();
  if (run_wanted_) run_when_ready();
}

int RunController::ms_to_drain() const {
  const auto& model = loader_.model();
  return pace_.ms_left(model && model->info.device == Device::Cpu && !engine_.elsewhere());
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
  const auto segments = channel_->drain();
  if (auto source = channel_->take_source()) take_source(std::move(source));
  // The engine reads what the run was given again, up to where it continues: nothing new comes meanwhile.
  if (given_tokens_ > 0 && channel_->tokens_done() <= given_tokens_) restart_clock();
  context_.run().append(segments);
  context_.run().set_progress(channel_->tokens_done());
}

void RunController::set_state(State state) {
  if (state == state_) return;
  state_ = state;
  Q_EMIT state_changed();
}

void RunController::begin_run(const RunDescription& description, const std::string& folder,
                              const std::shared_ptr<const Tokenizer>& tokenizer) {
  RunModel& run = context_.run();
  place_.clear();
  described_ = description;
  run.begin(description.model, description.request, tokenizer);
  if (described_.id.empty()) described_.id = run.origin().id;
  run.set_origin({described_.id, description.text, description.command_line, folder});
}

RunDescription RunController::describe_run() const {
  RunDescription description = described_;
  description.model = context_.run().model();
  description.request = context_.run().request();
  return description;
}

RunContents RunController::run_contents() const {
  const RunModel& run = context_.run();
  return {run.origin().folder, describe_run(), run.summary(), run.segments(), nullptr};
}

void RunController::show(const QString& name, const ModelInfo& model, const RunRequest& request,
                         const std::vector<std::shared_ptr<const SegmentSnapshot>>& segments) {
  if (state_ != State::Idle || !loader_.model()) return;
  RunDescription description;
  description.model = model;
  description.text = name.toStdString();
  description.request = request;
  begin_run(description, {}, loader_.model()->tokenizer);
  context_.run().append(segments);
  RunSummary summary = sum_up(context_.run().outline());
  summary.cancelled = false;  // there are no others
  context_.run().finish(summary);
}

void RunController::show_run(const QString& place, const RunContents& run,
                             const std::shared_ptr<const Tokenizer>& tokenizer) {
  if (state_ != State::Idle) return;
  if (!loader_.model()) {
    context_.set_model(run.description.model.config, run.description.request.config);
    context_.set_model_dtype(run.description.model.dtype);
  }
  begin_run(run.description, run.directory, tokenizer);
  place_ = place;
  context_.run().show(run.outline, run.segments);
  context_.run().finish(run.summary);
  context_.digests().add(context_.run());
  Q_EMIT run_shown();
}

void RunController::close_run() {
  if (state_ != State::Idle || context_.run().is_empty()) return;
  place_.clear();
  described_ = {};
  context_.run().clear();
  Q_EMIT state_changed();
}

void RunController::open_run(const QString& path) {
  const QString place = absolute_place(path);
  if (place != pinned_) pinned_.clear();
  stop();
  loader_.begin_load();
  engine_.post([place](EngineWorker& worker) { worker.open_run(place); });
}

void RunController::open_pair(const QString& shown, const QString& pinned) {
  shown_ = absolute_place(shown);
  pinned_ = absolute_place(pinned);
  selected_.reset();
  if (!shown_.isEmpty() && shown_ == absolute_place(place_)) selected_ = context_.selected();
  open_run(pinned_);
}

void RunController::restore_selection(const QString& opened) {
  if (opened == pinned_) return;  // the other one follows
  if (selected_ && opened == shown_ && opened == place_) context_.select(*selected_);
  selected_.reset();
}

void RunController::pin_opened() {
  if (pinned_.isEmpty() || place_ != pinned_) return;
  pinned_.clear();
  context_.pin_run();
  if (!shown_.isEmpty()) open_run(shown_);
  Q_EMIT pair_opened();
}

void RunController::show_opened(const QString& place, const RunContents& opened,
                                const std::shared_ptr<const Tokenizer>& tokenizer) {
  show_run(place, opened, tokenizer);
  restore_selection(place);
  context_.add_note(filled(tr("%1: run %2, %L3 segments%4"), place, QString::fromStdString(opened.description.id),
                           opened.segments->count(),
                           tokenizer ? QString() : tr("; its model is not available, so tokens have no text")));
  Q_EMIT run_opened();
  pin_opened();
}

void RunController::save_run(const QString& directory) {
  if (!context_.run().finished()) return;
  RunContents run = run_contents();
  run.directory = directory.toStdString();
  saving_ = run.description.id;
  engine_.post([run](EngineWorker& worker) { worker.save(run); });
}

}  // namespace carryover
