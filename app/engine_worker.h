// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <memory>
#include <string>
#include <vector>

#include "app/error_report.h"
#include "app/run_channel.h"
#include "app/train_channel.h"
#include "engine/io/run_folder.h"
#include "engine/io/tokenizer.h"
#include "engine/session.h"
#include "widgets/alignment.h"

namespace carryover {

struct LoadedModel {
  ModelInfo info;
  std::shared_ptr<const Tokenizer> tokenizer;
  std::optional<TrainedUnder> trained_under;
};

/// A text to open: a file, or the contents themselves. `name`, which contents need and a file may have, says that it
/// is a text of the program's own keeping and not the user's file.
struct TextRequest {
  QString path;
  std::string contents;  ///< used where `path` is empty
  QString name;
};

/// A text as the open model's tokens, without BOS.
struct LoadedText {
  QString name;
  std::shared_ptr<const std::vector<std::int32_t>> ids;
  std::shared_ptr<const std::string> contents;  ///< of a text that is no file of the user's; else null
};

/// A run to be written as a folder.
struct SaveRequest {
  QString directory;
  RunDescription description;
  std::vector<std::shared_ptr<const SegmentSnapshot>> snapshots;
  RunSummary summary;
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
  void open_model(const ModelRequest& request);
  void open_text(const TextRequest& request);
  void run(const RunRequest& request, const std::shared_ptr<RunChannel>& channel);
  void save(const SaveRequest& request);
  /// From the model's files, whatever the open model has become since: it is loaded anew where it must be.
  void train(const TrainJob& job, const std::shared_ptr<TrainChannel>& channel);

 Q_SIGNALS:
  void loading(double fraction, const QString& what);
  void open_done();  ///< after each open_model() and open_text(), whatever came of it
  void model_opened(const carryover::LoadedModel& model);
  void model_failed(const carryover::ErrorReport& report, bool has_model);
  void text_opened(const carryover::LoadedText& text);
  void text_failed(const carryover::ErrorReport& report);
  void run_ended(const carryover::RunSummary& summary);
  void run_failed(const carryover::ErrorReport& report);
  void train_news();  ///< the channel has something; sent once until it is drained
  void train_ended(const carryover::TrainingSummary& summary);
  void train_failed(const carryover::ErrorReport& report);
  void saved(const QString& directory);
  void save_failed(const carryover::ErrorReport& report);

 private:
  void load(const ModelRequest& request);
  void encode_text();

  std::unique_ptr<Session> session_;
  ModelRequest opened_;   ///< what session_ was loaded by
  bool trained_ = false;  ///< its weights are no longer the file's
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::string text_;
  QString text_name_;
  bool text_is_own_ = false;  ///< no file of the user's
};

}  // namespace carryover
