// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/controllers/engine_job.h"
#include "engine/heads/choice/recall_order.h"

namespace carryover {

/// The GUI's side of the search for heads of recall. What was found for an order stays until another one is given or
/// the weights or their dtype change, and the same order goes on there if its texts have not changed.
class RecallHeadsController : public EngineJob {
  Q_OBJECT
 public:
  RecallHeadsController(LabContext& context, RunController& runs);
  void start(const RecallOrder& order);
  bool has_unfinished(const RecallOrder& order) const;  ///< of the open model as it is open

 Q_SIGNALS:
  void found(const carryover::RecallHeads& so_far, const carryover::RecallOrder& order, const QString& provenance);

 private:
  void keep(const RecallHeads& heads);
  void forget();

  RecallOrder order_;
  std::string weights_;  ///< of what `heads_` are
  DType dtype_ = DType::Auto;
  RecallHeads heads_;
  std::shared_ptr<std::string> inputs_ = std::make_shared<std::string>();  ///< of `heads_`; engine thread only
  QString provenance_;
};

}  // namespace carryover
