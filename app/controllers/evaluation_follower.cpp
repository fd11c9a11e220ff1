// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/evaluation_follower.h"

namespace carryover {
namespace {

constexpr int evaluation_poll_ms = 500;

}  // namespace

EvaluationFollower::EvaluationFollower(QObject* parent) : QObject(parent), timer_(this) {
  timer_.setInterval(evaluation_poll_ms);
  connect(&timer_, &QTimer::timeout, this, &EvaluationFollower::look);
}

void EvaluationFollower::follow(const QString& folder) {
  folder_ = folder;
  problem_.clear();
  watch_.emplace(folder.toStdString());
  timer_.start();
  look();
}

void EvaluationFollower::look() {
  std::shared_ptr<const EvaluationNews> found;
  if (const auto problem = attempt([&] { found = watch_->poll(); })) {
    if (problem->where + problem->problem != problem_) Q_EMIT failed(folder_, *problem);
    problem_ = problem->where + problem->problem;
    return;
  }
  problem_.clear();
  if (found) Q_EMIT news(folder_, found);
}

}  // namespace carryover
