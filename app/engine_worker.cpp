// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_worker.h"

#include <QFileInfo>

#include "engine/engine_library.h"
#include "engine/io/corpus.h"
#include "engine/io/model_source.h"
#include "engine/io/text_source.h"
#include "engine/io/training_plan.h"

namespace carryover {
namespace {

bool same(const ModelRequest& a, const ModelRequest& b) {
  return a.path == b.path && a.dtype == b.dtype && a.device == b.device && a.threads == b.threads &&
         a.adapter == b.adapter;
}

}  // namespace

void EngineWorker::load(const ModelRequest& request) {
  Q_EMIT loading(0, tr("Reading %1").arg(QFileInfo(QString::fromStdString(request.path)).fileName()));
  // The file and its tokenizer are checked while the model that is open can still be kept; only then does that one
  // go, because two at once may not fit.
  ModelSource::open(request.path);
  auto tokenizer = Tokenizer::load(request.path);
  const auto trained_under =
      read_trained_under(QString::fromStdString(request.adapter.empty() ? request.path : request.adapter));
  session_.reset();
  session_ = load_session(request, [this](double fraction, const std::string& what) {
    Q_EMIT loading(fraction, QString::fromStdString(what));
  });
  opened_ = request;
  trained_ = false;
  tokenizer_ = std::move(tokenizer);
  Q_EMIT model_opened({session_->model(), tokenizer_, trained_under});
}

void EngineWorker::open_model(const ModelRequest& request) {
  const auto problem = attempt([&] { load(request); });
  if (problem) {
    Q_EMIT model_failed(*problem, session_ != nullptr);
  } else if (!text_.empty()) {
    encode_text();
  }
  Q_EMIT open_done();
}

void EngineWorker::open_text(const TextRequest& request) {
  const auto problem = attempt([&] {
    Q_EMIT loading(0, tr("Reading %1").arg(request.path.isEmpty() ? request.name : QFileInfo(request.path).fileName()));
    std::string text = request.path.isEmpty() ? request.contents : read_text(request.path.toStdString());
    if (text.empty()) {
      throw EngineError(Fault::BadInput, request.name.toStdString(), "the text is empty", "Paste or choose another.");
    }
    text_ = std::move(text);
    text_is_own_ = !request.name.isEmpty();
    text_name_ = text_is_own_ ? request.name : request.path;
  });
  if (problem) {
    Q_EMIT text_failed(*problem);
  } else if (tokenizer_) {
    encode_text();
  }
  Q_EMIT open_done();
}

void EngineWorker::encode_text() {
  const auto problem = attempt([&] {
    Q_EMIT loading(0.5, tr("Tokenising"));
    auto ids = std::make_shared<const std::vector<std::int32_t>>(tokenizer_->encode(text_));
    Q_EMIT text_opened(
        {text_name_, std::move(ids), text_is_own_ ? std::make_shared<const std::string>(text_) : nullptr});
  });
  if (problem) Q_EMIT text_failed(*problem);
}

void EngineWorker::run(const RunRequest& request, const std::shared_ptr<RunChannel>& channel) {
  RunSummary summary;
  const auto problem = attempt([&] {
    if (!session_) throw EngineError(Fault::Usage, "run", "no model is open", "Open a model first.");
    summary = session_->run(request, *channel, channel->control());
  });
  if (problem) {
    Q_EMIT run_failed(*problem);
  } else {
    Q_EMIT run_ended(summary);
  }
}

void EngineWorker::train(const TrainJob& job, const std::shared_ptr<TrainChannel>& channel) {
  const TrainingPlan& plan = *job.plan;
  TrainingSummary summary;
  const auto problem = attempt([&] {
    const ModelRequest request{plan.model, plan.dtype, plan.device, plan.threads, false, {}};
    if (!session_ || trained_ || !same(opened_, request)) {
      load(request);
      if (!text_.empty()) encode_text();
    }
    const CorpusRequest data{plan.data, plan.text_field, plan.training.validation_fraction, default_token_cache()};
    const auto report = [this](double fraction, const std::string& what) {
      Q_EMIT loading(fraction, QString::fromStdString(what));
    };
    auto corpus = std::make_shared<const Corpus>(read_corpus(data, *tokenizer_, report, channel->control()));
    const bool dry = job.kind == TrainJob::Kind::DryRun;
    trained_ = trained_ || !dry;
    summary = session_->train({job.plan, std::move(corpus), job.kind == TrainJob::Kind::Resume, dry}, *channel,
                              channel->control());
  });
  if (problem && problem->fault != Fault::Cancelled) {
    if (!session_) Q_EMIT model_failed(*problem, false);
    Q_EMIT train_failed(*problem);
    return;
  }
  summary.stopped = summary.stopped || problem.has_value();
  Q_EMIT train_ended(summary);
}

void EngineWorker::save(const SaveRequest& request) {
  const auto problem = attempt([&] {
    RunFolder folder(request.directory.toStdString(), request.description, false);
    for (const auto& snapshot : request.snapshots) folder.append(*snapshot);
    folder.finish(request.summary);
  });
  if (problem) {
    Q_EMIT save_failed(*problem);
  } else {
    Q_EMIT saved(request.directory);
  }
}

}  // namespace carryover
