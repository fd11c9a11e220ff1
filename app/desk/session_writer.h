// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/error_report.h"
#include "engine/io/run_journal.h"

namespace carryover {

/// A session file to be written, with copies of the files that belong to it.
struct SessionSave {
  QString path;
  std::string contents;
  std::vector<std::pair<QString, QString>> copies;  ///< from, to
};

/// What a window keeps on disk, written and read in the order of the calls: lives on a thread of its own, so that a
/// slow disk never holds up the window or the engine. Called by queued calls with plain values; errors come as signals.
class SessionWriter : public QObject {
  Q_OBJECT
 public:
  void write(const QString& path, const std::string& contents);
  void save_session(const SessionSave& save);
  void read_run(const QString& path);
  void remove(const QStringList& paths);

 Q_SIGNALS:
  void session_saved(const QString& path);
  void run_read(const std::shared_ptr<const carryover::JournaledRun>& run);
  void run_unreadable();
  void failed(const carryover::ErrorReport& report);

 private:
  void try_to(const std::function<void()>& work);
};

}  // namespace carryover
