// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDateTime>
#include <QStringList>
#include <memory>

#include "app/controllers/folder_follower.h"
#include "app/engine_thread/folder_process.h"
#include "app/engine_thread/worker_thread.h"
#include "engine/campaigns/prompts/prompt_report.h"
#include "widgets/campaigns/state/prompt_order.h"

namespace carryover {

class EngineConnection;
class LabContext;
class ModelLoader;

/// Reads prompts.json of one folder again whenever it has changed.
class PromptsFollower : public FolderFollower {
  Q_OBJECT
 public:
  using FolderFollower::FolderFollower;

 Q_SIGNALS:
  void read(const QString& folder, const std::shared_ptr<const carryover::PromptReport>& report);

 private:
  void begin() override { seen_ = {}; }
  void look() override;

  QDateTime seen_;  ///< when the file that was read last was written
};

/// The GUI's side of prompt sets: runs one with the open model and the settings of the next run, and follows its
/// folder. GUI thread; waits for nothing but the process and the follower, in its destructor.
class PromptsController : public QObject {
  Q_OBJECT
 public:
  PromptsController(LabContext& context, EngineConnection& engine, ModelLoader& loader, QObject* parent = nullptr);

  FolderProcess& process() { return process_; }
  QString unavailable() const;  ///< why no prompt set can be run, or empty
  void start(const PromptOrder& order);
  void stop() { process_.stop(); }
  void open(const QString& folder);                             ///< of one that was run, or that another process runs
  const QString& folder() const { return folder_; }             ///< open; empty: none
  const PromptReport* report() const { return report_.get(); }  ///< of it; null where none was read yet

 Q_SIGNALS:
  void opened(const QString& folder);  ///< its report follows
  void reported(const QString& folder, const std::shared_ptr<const carryover::PromptReport>& report);
  void unreadable(const QString& problem);
  void progressed(const QString& what);  ///< empty: nothing runs any more
  void failed(const carryover::ErrorReport& report);

 private:
  LabContext& context_;
  EngineConnection& engine_;
  ModelLoader& loader_;
  FolderProcess process_;
  QString folder_;
  std::shared_ptr<const PromptReport> report_;
  WorkerThread<PromptsFollower> follower_{QStringLiteral("prompts")};
};

/// The words of the command that runs it, but for the program's name. Pure.
QStringList prompts_command(const PromptOrder& order, const LabContext& context, const QString& model,
                            const QString& adapter);

}  // namespace carryover
