// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>

#include "app/engine_thread/engine_worker.h"
#include "app/engine_thread/throttle.h"
#include "engine/heads/choice/recall_order.h"

namespace carryover {

/// The engine's side of the search for heads of recall. Lives on the engine thread beside the EngineWorker; answers by
/// signals with plain values. Errors end here, as ErrorReport.
class RecallHeadsWorker : public QObject {
  Q_OBJECT
 public:
  explicit RecallHeadsWorker(EngineWorker& engine) : engine_(engine) {}
  /// Reads the texts and goes on from `known`, what the call before kept, where its inputs are still the same.
  void find(const RecallOrder& order, const RecallHeads& known, const std::shared_ptr<const Tokenizer>& tokenizer,
            const std::shared_ptr<RunControl>& control);

 Q_SIGNALS:
  void progressed(double share, const QString& what);  ///< at most 30 times a second
  void restarted();                                    ///< `known` is of other texts: it begins with nothing
  void kept(const carryover::RecallHeads& so_far);
  void found(const carryover::RecallHeads& heads);
  void cancelled();
  void failed(const carryover::ErrorReport& report);

 private:
  EngineWorker& engine_;  ///< on the same thread
  std::string inputs_;    ///< of what was kept last (recall_inputs())
  Throttle progress_;
};

}  // namespace carryover
