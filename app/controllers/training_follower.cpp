// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/training_follower.h"

#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "engine/formats/folder_lock.h"

namespace carryover {
namespace {

constexpr int follow_interval_ms = 500;
constexpr int most_patience = 60;  ///< looks: a step of a large model takes that long

}  // namespace

TrainingFollower::TrainingFollower(QObject* parent) : QObject(parent), timer_(this) {
  timer_.setInterval(follow_interval_ms);
  connect(&timer_, &QTimer::timeout, this, &TrainingFollower::look_at_all);
}

void TrainingFollower::open(const QString& directory) {
  const auto problem = attempt([&] {
    auto plan = std::make_shared<const TrainingPlan>(read_training_folder(directory.toStdString()).plan);
    Q_EMIT opened(directory, plan);
    Followed folder{MetricsFollower(directory.toStdString())};
    if (look_at(directory, folder)) followed_.insert_or_assign(directory, std::move(folder));
  });
  if (problem) Q_EMIT failed(directory, *problem);
  if (!followed_.empty()) timer_.start();
}

void TrainingFollower::forget(const QString& directory) {
  followed_.erase(directory);
  if (followed_.empty()) timer_.stop();
}

bool TrainingFollower::look_at(const QString& directory, Followed& folder) {
  auto found = std::make_shared<FolderNews>();
  // Looks at the lock first, then at final/: a process that lets go of the lock has written everything, and where
  // final/ is there, so are all lines.
  const bool was_held = std::exchange(folder.held, FolderLock::is_held(directory.toStdString()));
  found->finished = QFileInfo(directory + QStringLiteral("/final")).isDir();
  found->metrics = folder.metrics.poll();
  // A copy of a folder of another machine has no lock that says anything: lines that come without one are the sign.
  const bool grew = !found->metrics.steps.empty() && folder.patience >= 0 && !was_held && !folder.held;
  folder.patience = grew ? most_patience : std::max(0, folder.patience - 1);
  found->written = folder.held || folder.patience > 0;
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
