// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <optional>

#include "app/controllers/folder_follower.h"
#include "engine/campaigns/evaluations/evaluation_watch.h"

namespace carryover {

/// Watches the folder of one evaluation, which may have many samples.
class EvaluationFollower : public FolderFollower {
  Q_OBJECT
 public:
  using FolderFollower::FolderFollower;

 Q_SIGNALS:
  void news(const QString& folder, const std::shared_ptr<const carryover::EvaluationNews>& news);

 private:
  void begin() override { watch_.emplace(folder().toStdString()); }
  void look() override {
    if (const std::shared_ptr<const EvaluationNews> found = watch_->poll()) Q_EMIT news(folder(), found);
  }

  std::optional<EvaluationWatch> watch_;
};

}  // namespace carryover
