// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>

#include "app/engine_thread/engine_worker.h"
#include "app/engine_thread/throttle.h"

namespace carryover {

/// The engine's side of documents' states: writes the one behind a text as a file, and opens such files, whose paths
/// are of the engine's machine. Lives on the engine thread beside the EngineWorker; answers by signals with plain
/// values. Errors end here, as ErrorReport.
class DocumentWorker : public QObject {
  Q_OBJECT
 public:
  explicit DocumentWorker(EngineWorker& engine) : engine_(engine) {}
  /// The text is read first, where the engine does not have the state behind it still.
  void save(const RunRequest& text, const QString& file, const std::shared_ptr<RunControl>& control);
  /// Refuses a text that was read under another policy than `policy`; empty: any will do.
  void open(const QString& file, const std::string& policy, const std::shared_ptr<RunControl>& control);

 Q_SIGNALS:
  void progressed(double share, const QString& what);  ///< at most 30 times a second
  void saved(const QString& file);
  void opened(const QString& file, const carryover::StateInfo& state);
  void cancelled();
  void failed(const carryover::ErrorReport& report);

 private:
  Session& session() const;

  EngineWorker& engine_;  ///< on the same thread
  Throttle progress_;
};

}  // namespace carryover
