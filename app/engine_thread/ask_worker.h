// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>

#include "app/engine_thread/engine_worker.h"

namespace carryover {

/// The engine's side of questions about a text: answers one with what it retrieves, then again without. Lives on the
/// engine thread beside the EngineWorker; answers by signals with plain values. Errors end here, as ErrorReport.
class AskWorker : public QObject {
  Q_OBJECT
 public:
  explicit AskWorker(EngineWorker& engine) : engine_(engine) {}
  /// `request` ends with the question. `tokenizer` is the model's.
  void ask(const GenerateRequest& request, const std::shared_ptr<const Tokenizer>& tokenizer,
           const std::shared_ptr<RunControl>& control);

 Q_SIGNALS:
  void progressed(double share, const QString& what);  ///< of a job, as every worker has it; unused
  void told(bool without_retrieval, const QString& piece);
  void found(const std::vector<carryover::HeadHits>& hits);
  void answered();
  void cancelled();
  void failed(const carryover::ErrorReport& report);

 private:
  /// False where it was cancelled.
  bool answer(Session& session, const GenerateRequest& request, const std::shared_ptr<const Tokenizer>& tokenizer,
              RunControl& control);

  EngineWorker& engine_;  ///< on the same thread
};

}  // namespace carryover
