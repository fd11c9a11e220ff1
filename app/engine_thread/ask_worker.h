// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>

#include "app/engine_thread/engine_worker.h"
#include "app/engine_thread/throttle.h"

namespace carryover {

/// The engine's side of questions about a text: answers one with what it retrieves, then again without retrieval, and
/// says how probable the answer's first phrase is in each case. Lives on the engine thread beside the EngineWorker;
/// answers by signals with plain values. Errors end here, as ErrorReport.
class AskWorker : public QObject {
  Q_OBJECT
 public:
  explicit AskWorker(EngineWorker& engine) : engine_(engine) {}
  /// `request` ends with the question. `tokenizer` is the model's. `twice`: answer it without retrieval too.
  void ask(const GenerateRequest& request, const std::shared_ptr<const Tokenizer>& tokenizer, bool twice,
           const std::shared_ptr<RunControl>& control);
  /// Computes the probability of the last answer's first phrase if the question doesn't read `without`. Call it after
  /// ask().
  void ask_without(const std::vector<TokenRange>& without, const std::shared_ptr<RunControl>& control);

 Q_SIGNALS:
  void progressed(double share, const QString& what);  ///< share of the present work
  void told(bool without_retrieval, const QString& piece);
  void found(const std::vector<carryover::HeadHits>& hits);
  void scored(const QString& sentence, double with, double without);  ///< negative: there is none
  void scored_without(const std::vector<carryover::TokenRange>& positions, double probability);
  void answered();
  void cancelled();
  void failed(const carryover::ErrorReport& report);

 private:
  void read_ahead(Session& session, const GenerateRequest& request, RunControl& control);
  void tell(double share, const QString& what);
  GenerateResult answer(Session& session, const GenerateRequest& request,
                        const std::shared_ptr<const Tokenizer>& tokenizer, RunControl& control);
  /// Returns the probability of the last answer's first phrase if the text is read as `request` says.
  double probability_under(Session& session, GenerateRequest request, RunControl& control) const;
  Session& session() const;
  template <typename Work>
  void serve(Work work);

  EngineWorker& engine_;              ///< on the same thread
  GenerateRequest last_;              ///< as it was asked
  std::vector<std::int32_t> scored_;  ///< the first phrase of its answer
  Throttle progress_;
};

}  // namespace carryover
