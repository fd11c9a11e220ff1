// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <utility>

#include "app/controllers/engine_job.h"
#include "app/engine_thread/question_answer.h"

namespace carryover {

/// Serves LabContext::questions(): asks the open model about LabContext::asked().
class AskController : public EngineJob {
  Q_OBJECT
 public:
  AskController(LabContext& context, RunController& runs);

  QString why_not() const;         ///< nothing can be asked; empty: it can
  RunRequest text_to_ask() const;  ///< all of it that was read, where something can be asked

 private:
  void start(const QString& text);
  void start_without(const std::vector<TokenRange>& positions);
  void take_hits(const std::vector<HeadHits>& hits);
  void complete();

  std::shared_ptr<AnsweredQuestion> answered_ = std::make_shared<AnsweredQuestion>();  ///< engine thread only
  int asked_ = -1;                                      ///< the question that was answered last
  std::optional<std::pair<DType, Device>> asked_with_;  ///< of the model that answered last
};

}  // namespace carryover
