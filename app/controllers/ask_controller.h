// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/controllers/engine_job.h"
#include "app/engine_thread/ask_worker.h"

namespace carryover {

/// Serves LabContext::questions(): asks the open model about the text of the run on show.
class AskController : public EngineJob {
  Q_OBJECT
 public:
  AskController(LabContext& context, RunController& runs);

 private:
  QString why_not() const;  ///< nothing can be asked; empty: it can
  void start(const QString& text);
  void start_without(const std::vector<TokenRange>& positions);

  AskWorker* worker_;
};

}  // namespace carryover
