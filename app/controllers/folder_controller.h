// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

#include "app/controllers/folder_follower.h"
#include "app/engine_thread/folder_process.h"
#include "widgets/campaigns/state/folder_model.h"

namespace carryover {

/// The GUI's side of a command that fills a folder: follows the folder of one, and runs the command in a process of its
/// own. GUI thread; waits for nothing but the process, in its destructor.
class FolderController : public QObject {
  Q_OBJECT
 public:
  FolderProcess& process() { return process_; }

  void open(const QString& folder);  ///< a finished folder, or one that another process writes
  void stop();

 Q_SIGNALS:
  void opened(const QString& folder);
  void started();
  void ended();  ///< its process
  void failed(const carryover::ErrorReport& report);

 protected:
  /// `name` is what the command makes, for errors.
  explicit FolderController(const QString& name, QObject* parent);
  /// Connects a follower to its model, which it tells the folder's errors. Call it once, in the constructor; both must
  /// outlive all calls.
  void connect_folder(FolderModel& model, FolderFollower* follower);
  /// Opens the folder, and runs the command, as its parts, the program's name first. While none runs.
  void run(const std::vector<std::string>& command, const std::string& folder);
  bool is_open(const std::string& folder) const;

 private:
  void follow();
  void connect_process();

  QString name_;
  FolderProcess process_;
  FolderModel* model_ = nullptr;
  FolderFollower* follower_ = nullptr;  ///< on a thread of its own
};

}  // namespace carryover
