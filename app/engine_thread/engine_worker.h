// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <string>
#include <vector>

#include "app/engine_thread/error_report.h"
#include "app/engine_thread/run_channel.h"
#include "app/engine_thread/train_channel.h"
#include "engine/api/session.h"
#include "engine/remote/engine_source.h"
#include "engine/runs/records/run_reader.h"
#include "engine/tokenizers/tokenizer.h"
#include "widgets/runs/state/alignment.h"

namespace carryover {

struct LoadedModel {
  ModelInfo info;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::optional<TrainedUnder> trained_under;
};

/// An engine that is not in this process.
struct EngineElsewhere {
  QString command;
  EnginePlace place;
};

/// A text to open: a file with what was read of it, or contents of no file. `name`, which contents need and a file may
/// have, says that it is a text of the program's own keeping and not the user's file.
struct TextRequest {
  QString path;
  std::string contents;
  QString name;
};

/// A text as the open model's tokens, without BOS.
struct LoadedText {
  QString name;
  std::shared_ptr<const std::vector<std::int32_t>> ids;
  std::shared_ptr<const std::string> contents;  ///< of a text that is no file of the user's; else null
};

/// A training to run: a new one, one to go on with, or one step that is only measured.
struct TrainJob {
  enum class Kind { Start, Resume, DryRun };
  std::shared_ptr<const TrainingPlan> plan;
  Kind kind = Kind::Start;
};

/// The engine's side of the thread boundary: lives on the engine thread, owns the Session, and does everything slow
/// (reading, tokenising, loading, running, writing). Called by queued calls with plain values; answers by signals with
/// plain values. Errors end here, as ErrorReport.
class EngineWorker : public QObject {
  Q_OBJECT
 public:
  EngineWorker();
  /// Lets the engine that `command` starts do the work from now on, or this process where it is empty. The open model
  /// goes. `control` can end the waiting.
  void use_engine(const QString& command, const std::shared_ptr<RunControl>& control);
  /// Does the same for a command that may be wrong: if it is, the present engine stays, with its model.
  void change_engine(const QString& command, const std::shared_ptr<RunControl>& control);
  EngineSource& engine() { return engine_; }  ///< engine thread only
  void open_model(const ModelRequest& request);
  void open_text(const std::shared_ptr<const TextRequest>& request);
  /// `run` is spilled to `journal` while it runs, or to a file without a name where that is empty. `given`: segments
  /// that an earlier run of the same request gave, after which this one continues; may be null.
  void run(const RunDescription& run, const QString& journal, const std::shared_ptr<RunChannel>& channel,
           const std::shared_ptr<const SegmentSource>& given = {});
  void end_loads() { loads_.request_stop(); }  ///< from any thread, for good: the window is going
  void save(const RunContents& run);           ///< as the folder run.directory, a new one
  void open_run(const QString& place);         ///< a run folder, or a journal
  /// Trains from the model's files, even if the open model has changed since: it is loaded again where that is needed.
  void train(const TrainJob& job, const std::shared_ptr<TrainChannel>& channel);
  /// The open model, for other workers of the engine thread; null where none is open.
  Session* session() const { return session_.get(); }

 Q_SIGNALS:
  void loading(double fraction, const QString& what);
  void open_done();  ///< after each use_engine(), change_engine(), open_model() and open_text(), whatever came of it
  void engine_ready(const std::optional<carryover::EngineElsewhere>& elsewhere);
  void engine_lost(const carryover::ErrorReport& report);     ///< or not to be had; at most once for each use_engine()
  void engine_refused(const carryover::ErrorReport& report);  ///< by change_engine()
  void model_opened(const carryover::LoadedModel& model);
  void model_trained(const carryover::LoadedModel& model);  ///< a training has ended, and the open weights are others
  void model_failed(const carryover::ErrorReport& report, bool has_model);  ///< `has_model`: the previous model is
                                                                            ///< still open
  void model_reloaded(const carryover::ModelInfo& model);  ///< the one before, anew: what it kept of texts is gone
  void text_opened(const carryover::LoadedText& text);
  void text_failed(const carryover::ErrorReport& report);
  void spill_failed(const carryover::ErrorReport& report);  ///< the run continues
  void run_ended(const carryover::RunSummary& summary);
  void run_failed(const carryover::ErrorReport& report);
  void train_news();  ///< the channel has something; sent once until it is drained
  void train_ended(const carryover::TrainingSummary& summary);
  void train_failed(const carryover::ErrorReport& report);
  void run_opened(const QString& place, const carryover::RunContents& run,
                  std::shared_ptr<const carryover::Tokenizer> tokenizer);
  void run_open_failed(const carryover::ErrorReport& report);
  void saved(const QString& directory);
  void save_failed(const carryover::ErrorReport& report);

 private:
  void watch_engine();
  LoadProgress connecting(const QString& command);
  void tell_of_elsewhere(const QString& command);
  void load(const ModelRequest& request);
  std::unique_ptr<Session> open_session(const ModelRequest& request);
  void tell_of_trained(const ModelInfo& before);
  void encode_text();

  EngineSource engine_;
  QTimer* watch_;  ///< for a line that breaks while the engine is idle
  RunControl loads_;
  std::unique_ptr<Session> session_;
  ModelRequest opened_;  ///< request that opens session_'s weights; a training changes it
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::string text_;
  QString text_name_;
  bool text_is_own_ = false;  ///< no file of the user's
};

}  // namespace carryover
