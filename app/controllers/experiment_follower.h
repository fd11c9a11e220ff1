// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <optional>

#include "app/controllers/folder_follower.h"
#include "engine/campaigns/experiments/experiment_watch.h"

namespace carryover {

/// Watches the folder of one experiment, which may have thousands of cells.
class ExperimentFollower : public FolderFollower {
  Q_OBJECT
 public:
  using FolderFollower::FolderFollower;

 Q_SIGNALS:
  void news(const QString& folder, const std::shared_ptr<const carryover::ExperimentNews>& news);

 private:
  void begin() override { watch_.emplace(folder().toStdString()); }
  void look() override {
    if (const std::shared_ptr<const ExperimentNews> found = watch_->poll()) Q_EMIT news(folder(), found);
  }

  std::optional<ExperimentWatch> watch_;
};

}  // namespace carryover
