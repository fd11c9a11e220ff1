// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/training_follower.h"

#include <QFileInfo>

namespace carryover {
namespace {

constexpr int follow_interval_ms = 500;

}  // namespace

TrainingFollower::TrainingFollower(QObject* parent) : QObject(parent), timer_(this) {
  timer_.setInterval(follow_interval_ms);
  connect(&timer_, &QTimer::timeout, this, &TrainingFollower::look_at_all);
}

void TrainingFollower::open(const QString& directory) {
  const auto problem = attempt([&] {
    auto plan = std::make_shared<const TrainingPlan>(read_training_folder(directory.toStdString()).plan);
    Q_EMIT opened(directory, plan);
    MetricsFollower follower(directory.toStdString());
    if (look_at(directory, follower)) followed_.insert_or_assign(directory, std::move(follower));
  });
  if (problem) Q_EMIT failed(directory, *problem);
  if (!followed_.empty()) timer_.start();
}

void TrainingFollower::forget(const QString& directory) {
  followed_.erase(directory);
  if (followed_.empty()) timer_.stop();
}

bool TrainingFollower::look_at(const QString& directory, MetricsFollower& follower) {
  auto found = std::make_shared<FolderNews>();
  // Looked for before the lines are read: where it is there, they are all there.
  found->finished = QFileInfo(directory + QStringLiteral("/final")).isDir();
  found->metrics = follower.poll();
  found->checkpoint = TrainingFolder::newest_checkpoint(directory.toStdString()).value_or(std::string());
  Q_EMIT news(directory, found);
  return !found->finished;
}

void TrainingFollower::look_at_all() {
  for (auto entry = followed_.begin(); entry != followed_.end();) {
    bool more = false;
    const auto problem = attempt([&] { more = look_at(entry->first, entry->second); });
    if (problem) Q_EMIT failed(entry->first, *problem);
    entry = more ? std::next(entry) : followed_.erase(entry);
  }
  if (followed_.empty()) timer_.stop();
}

}  // namespace carryover
