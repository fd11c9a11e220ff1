// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/folder_follower.h"

namespace carryover {
namespace {

constexpr int follow_interval_ms = 500;

}  // namespace

FolderFollower::FolderFollower(QObject* parent) : QObject(parent), timer_(this) {
  timer_.setInterval(follow_interval_ms);
  connect(&timer_, &QTimer::timeout, this, &FolderFollower::look_now);
}

void FolderFollower::follow(const QString& folder) {
  folder_ = folder;
  problem_.clear();
  begin();
  timer_.start();
  look_now();
}

void FolderFollower::look_now() {
  if (const auto problem = attempt([this] { look(); })) {
    if (problem->where + problem->problem != problem_) Q_EMIT failed(folder_, *problem);
    problem_ = problem->where + problem->problem;
    return;
  }
  problem_.clear();
}

}  // namespace carryover
