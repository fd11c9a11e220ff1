// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_worker.h"

#include <QFileInfo>
#include <new>
#include <optional>

#include "engine/engine_library.h"
#include "engine/io/model_source.h"
#include "engine/io/text_source.h"

namespace carryover {
namespace {

ErrorReport report_of(const EngineError& error) {
  return {error.fault(), QString::fromStdString(error.where()), QString::fromStdString(error.problem()),
          QString::fromStdString(error.advice())};
}

/// The one place where errors of the engine thread are caught.
template <typename Work>
std::optional<ErrorReport> attempt(Work&& work) {
  try {
    work();
    return std::nullopt;
  } catch (const EngineError& error) {
    return report_of(error);
  } catch (const std::bad_alloc&) {
    return ErrorReport{Fault::OutOfMemory, EngineWorker::tr("memory"),
                       EngineWorker::tr("the machine has no more memory to give"),
                       EngineWorker::tr("Run fewer tokens, choose a smaller model, or close other programs.")};
  } catch (const std::exception& error) {
    return ErrorReport{Fault::Internal, EngineWorker::tr("engine"), QString::fromUtf8(error.what()),
                       EngineWorker::tr("This is an error of the program: please report it with what you did.")};
  }
}

}  // namespace

void EngineWorker::open_model(const ModelRequest& request) {
  const auto problem = attempt([&] {
    Q_EMIT loading(0, tr("Reading %1").arg(QFileInfo(QString::fromStdString(request.path)).fileName()));
    // The file and its tokenizer are checked while the model that is open can still be kept; only then does that one
    // go, because two at once may not fit.
    ModelSource::open(request.path);
    auto tokenizer = Tokenizer::load(request.path);
    session_.reset();
    session_ = load_session(request, [this](double fraction, const std::string& what) {
      Q_EMIT loading(fraction, QString::fromStdString(what));
    });
    tokenizer_ = std::move(tokenizer);
    Q_EMIT model_opened({session_->model(), tokenizer_});
  });
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
    text_name_ = request.path.isEmpty() ? request.name : request.path;
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
    Q_EMIT text_opened({text_name_, std::move(ids)});
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
