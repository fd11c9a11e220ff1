// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <memory>
#include <string>
#include <vector>

#include "app/run_channel.h"
#include "engine/core/error.h"
#include "engine/io/run_folder.h"
#include "engine/io/tokenizer.h"
#include "engine/session.h"

namespace carryover {

/// An EngineError as a value that crosses threads.
struct ErrorReport {
  Fault fault = Fault::Internal;
  QString where, problem, advice;
};

struct LoadedModel {
  ModelInfo info;
  std::shared_ptr<const Tokenizer> tokenizer;
};

/// A text to open: a file, or the contents themselves under a name.
struct TextRequest {
  QString path;
  std::string contents;  ///< used where `path` is empty
  QString name;
};

/// A text as the open model's tokens, without BOS.
struct LoadedText {
  QString name;
  std::shared_ptr<const std::vector<std::int32_t>> ids;
};

/// A run to be written as a folder.
struct SaveRequest {
  QString directory;
  RunDescription description;
  std::vector<std::shared_ptr<const SegmentSnapshot>> snapshots;
  RunSummary summary;
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

 Q_SIGNALS:
  void loading(double fraction, const QString& what);
  void open_done();  ///< after each open_model() and open_text(), whatever came of it
  void model_opened(const carryover::LoadedModel& model);
  void model_failed(const carryover::ErrorReport& report, bool has_model);
  void text_opened(const carryover::LoadedText& text);
  void text_failed(const carryover::ErrorReport& report);
  void run_ended(const carryover::RunSummary& summary);
  void run_failed(const carryover::ErrorReport& report);
  void saved(const QString& directory);
  void save_failed(const carryover::ErrorReport& report);

 private:
  void encode_text();

  std::unique_ptr<Session> session_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::string text_;
  QString text_name_;
};

}  // namespace carryover
