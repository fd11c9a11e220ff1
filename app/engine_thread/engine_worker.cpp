// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/engine_worker.h"

#include <QFileInfo>

#include "app/engine_thread/spilling_observer.h"
#include "engine/data/corpus.h"
#include "engine/runs/records/forced_hits.h"
#include "engine/runs/records/run_journal.h"
#include "engine/tokenizers/token_checks.h"
#include "engine/training/records/training_plan.h"

namespace carryover {
namespace {

bool same(const ModelRequest& a, const ModelRequest& b) {
  return a.path == b.path && a.dtype == b.dtype && a.device == b.device && a.threads == b.threads &&
         a.adapter == b.adapter;
}

constexpr int watch_interval_ms = 500;

}  // namespace

EngineWorker::EngineWorker() : watch_(new QTimer(this)) {
  watch_->setInterval(watch_interval_ms);
  connect(watch_, &QTimer::timeout, this, &EngineWorker::watch_engine);
}

void EngineWorker::use_engine(const QString& command, const std::shared_ptr<RunControl>& control) {
  session_.reset();
  watch_->stop();
  const auto problem = attempt([&] { engine_.use(command.toStdString(), *control, connecting(command)); });
  if (problem) {
    if (problem->fault != Fault::Cancelled) watch_engine();
  } else if (engine_.elsewhere()) {
    tell_of_elsewhere(command);
  } else {
    Q_EMIT engine_ready(std::nullopt);
  }
  Q_EMIT open_done();
}

void EngineWorker::change_engine(const QString& command, const std::shared_ptr<RunControl>& control) {
  const auto problem = attempt([&] { engine_.change_to(command.toStdString(), *control, connecting(command)); });
  if (!problem) {
    session_.reset();
    tell_of_elsewhere(command);
  } else if (problem->fault != Fault::Cancelled) {
    Q_EMIT engine_refused(*problem);
  }
  Q_EMIT open_done();
}

/// Says that it begins, and what the engine reads later.
LoadProgress EngineWorker::connecting(const QString& command) {
  Q_EMIT loading(0, command.isEmpty() ? tr("This machine") : tr("Connecting: %1").arg(command));
  return [this](double fraction, const std::string& what) { Q_EMIT loading(fraction, QString::fromStdString(what)); };
}

void EngineWorker::tell_of_elsewhere(const QString& command) {
  watch_->start();
  Q_EMIT engine_ready(EngineElsewhere{command, engine_.place()});
}

void EngineWorker::watch_engine() {
  const auto loss = engine_.take_loss();
  if (!loss) return;
  watch_->stop();
  Q_EMIT engine_lost(*attempt([&] { throw *loss; }));
}

void EngineWorker::load(const ModelRequest& request) {
  Q_EMIT loading(0, tr("Reading %1").arg(QFileInfo(QString::fromStdString(request.path)).fileName()));
  const EngineSource::ModelFolders folders = engine_.model_folders(request);
  auto tokenizer = Tokenizer::load(folders.tokenizer);
  const auto trained_under = read_trained_under(folders.trained_under);
  session_ = open_session(request);
  opened_ = request;
  tokenizer_ = std::move(tokenizer);
  Q_EMIT model_opened({session_->model(), tokenizer_, trained_under});
}

/// The model that is open stays open until the other one is, so that one that is refused changes nothing. Where there
/// is no room for both, the open one makes room, and is opened again where the other one is refused all the same.
std::unique_ptr<Session> EngineWorker::open_session(const ModelRequest& request) {
  const LoadProgress report = [this](double fraction, const std::string& what) {
    loads_.checkpoint();
    Q_EMIT loading(fraction, QString::fromStdString(what));
  };
  try {
    return engine_.open(request, report);
  } catch (const EngineError& error) {
    if (!session_ || error.fault() != Fault::OutOfMemory) throw;
  }
  session_.reset();
  try {
    return engine_.open(request, report);
  } catch (const EngineError&) {
    attempt([&] { session_ = engine_.open(opened_, report); });
    if (session_) Q_EMIT model_reloaded(session_->model());
    throw;
  }
}

void EngineWorker::open_model(const ModelRequest& request) {
  const auto problem = attempt([&] { load(request); });
  if (problem) {
    Q_EMIT model_failed(*problem, session_ != nullptr);
    watch_engine();
  } else if (!text_.empty()) {
    encode_text();
  }
  Q_EMIT open_done();
}

void EngineWorker::open_text(const std::shared_ptr<const TextRequest>& request) {
  text_ = request->contents;
  text_is_own_ = !request->name.isEmpty();
  text_name_ = text_is_own_ ? request->name : request->path;
  if (tokenizer_) encode_text();
  Q_EMIT open_done();
}

void EngineWorker::encode_text() {
  const auto problem = attempt([&] {
    Q_EMIT loading(0.5, tr("Tokenising"));
    auto ids = std::make_shared<const std::vector<std::int32_t>>(tokenizer_->encode(text_));
    if (session_) require_rows(*ids, session_->model().config.vocabulary, *tokenizer_);
    Q_EMIT text_opened(
        {text_name_, std::move(ids), text_is_own_ ? std::make_shared<const std::string>(text_) : nullptr});
  });
  if (problem) Q_EMIT text_failed(*problem);
}

void EngineWorker::run(const RunDescription& run, const QString& journal, const std::shared_ptr<RunChannel>& channel,
                       const std::shared_ptr<const SegmentSource>& given) {
  RunSummary summary;
  const auto spill_problem = [this](const ErrorReport& report) { Q_EMIT spill_failed(report); };
  const auto problem = attempt([&] {
    if (!session_) throw EngineError(Fault::Usage, "run", "no model is open", "Open a model first.");
    const auto begun = [&](const auto& segments) { channel->spill_to(segments); };
    SpillingObserver spill(journal.toStdString(), run, *channel, begun, spill_problem);
    RunRequest request = run.request;
    for (int segment = 0; given && segment < given->count(); ++segment) {
      const auto snapshot = given->load(segment);
      check_forced_hits(request, *snapshot);
      request.resume.add(snapshot->record);
      spill.segment_done(snapshot);
    }
    summary = session_->run(request, spill, channel->control());
    spill.finish(summary);
  });
  if (problem) {
    Q_EMIT run_failed(*problem);
    watch_engine();
  } else {
    Q_EMIT run_ended(summary);
  }
}

void EngineWorker::train(const TrainJob& job, const std::shared_ptr<TrainChannel>& channel) {
  const TrainingPlan& plan = *job.plan;
  TrainingSummary summary;
  std::optional<ModelInfo> before;
  const auto problem = attempt([&] {
    const ModelRequest request{plan.model, plan.dtype, plan.device, plan.threads, false, {}};
    if (!session_ || !same(opened_, request)) {
      load(request);
      if (!text_.empty()) encode_text();
    }
    const CorpusRequest data{plan.data, plan.text_field, plan.training.validation_fraction, default_token_cache()};
    const auto report = [this](double fraction, const std::string& what) {
      Q_EMIT loading(fraction, QString::fromStdString(what));
    };
    std::shared_ptr<const Corpus> corpus;  // an engine elsewhere reads its own: the paths are of its machine
    if (!engine_.elsewhere())
      corpus = std::make_shared<const Corpus>(read_corpus(data, *tokenizer_, report, channel->control()));
    const bool dry = job.kind == TrainJob::Kind::DryRun;
    before = session_->model();
    summary = session_->train({job.plan, std::move(corpus), job.kind == TrainJob::Kind::Resume, dry}, *channel,
                              channel->control());
  });
  if (before) tell_of_trained(*before);
  if (problem && problem->fault != Fault::Cancelled) {
    if (!session_) Q_EMIT model_failed(*problem, false);
    Q_EMIT train_failed(*problem);
    return watch_engine();
  }
  summary.stopped = summary.stopped || problem.has_value();
  Q_EMIT train_ended(summary);
}

/// A session says itself what its weights are after a training, in whatever way that ended.
void EngineWorker::tell_of_trained(const ModelInfo& before) {
  const ModelInfo& now = session_->model();
  if (now.weights_hash == before.weights_hash && now.path == before.path && now.adapter == before.adapter) return;
  opened_.path = now.path;
  opened_.adapter = now.adapter;
  std::optional<TrainedUnder> trained_under;
  attempt([&] {  // without it the window only can't say what they are aligned with
    trained_under = read_trained_under(engine_.model_folders(opened_).trained_under);
  });
  Q_EMIT model_trained({now, tokenizer_, trained_under});
}

void EngineWorker::save(const RunContents& run) {
  const auto problem = attempt([&] {
    RunFolder folder(run.directory, run.description, false);
    for (int i = 0; i < run.segments->count(); ++i) folder.append(*run.segments->load(i));
    folder.finish(run.summary);
  });
  if (problem) {
    Q_EMIT save_failed(*problem);
  } else {
    Q_EMIT saved(QString::fromStdString(run.directory));
  }
}

void EngineWorker::open_run(const QString& place) {
  const auto problem = attempt([&] {
    Q_EMIT loading(0, tr("Reading %1").arg(QFileInfo(place).fileName()));
    const JournaledRun run = read_kept_run(place.toStdString());
    const ModelInfo& model = run.contents.description.model;
    // The run is shown without its model too: then tokens have numbers in place of texts.
    std::shared_ptr<const Tokenizer> tokenizer;
    if (session_ && session_->model().weights_hash == model.weights_hash)
      tokenizer = tokenizer_;
    else
      attempt([&] { tokenizer = Tokenizer::load(model.path); });
    Q_EMIT run_opened(place, run.contents, tokenizer);
  });
  if (problem) Q_EMIT run_open_failed(*problem);
  Q_EMIT open_done();
}

}  // namespace carryover
