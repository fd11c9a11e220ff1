// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QTimer>
#include <map>
#include <memory>

#include "app/engine_thread/engine_worker.h"
#include "engine/training/records/training_folder.h"

namespace carryover {

/// The news of a folder since the last look at it.
struct FolderNews {
  MetricsFollower::News metrics;
  std::string checkpoint;  ///< the newest whole one
  bool finished = false;   ///< true if final/ exists: no more news will come
  bool written = false;    ///< true if a process trains there now
};

/// Reads the folders of training runs, and follows those that are still written: lives on a thread of its own, since a
/// folder may lie on a slow disk or another machine. Called by queued calls; answers by signals with plain values.
class TrainingFollower : public QObject {
  Q_OBJECT
 public:
  explicit TrainingFollower(QObject* parent = nullptr);
  void open(const QString& directory);    ///< read it, and follow it unless it is finished
  void forget(const QString& directory);  ///< follow it no longer

 Q_SIGNALS:
  void opened(const QString& directory, const std::shared_ptr<const carryover::TrainingPlan>& plan);
  void news(const QString& directory, const std::shared_ptr<const carryover::FolderNews>& news);
  void failed(const QString& directory, const carryover::ErrorReport& report);

 private:
  struct Followed {
    MetricsFollower metrics;
    bool held = false;  ///< at the last look
    int patience = -1;  ///< looks that still count as running without a lock; -1: before the first look
  };
  void look_at_all();
  bool look_at(const QString& directory, Followed& folder);  ///< false: nothing more will come

  QTimer timer_;
  std::map<QString, Followed> followed_;
};

}  // namespace carryover
