// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDateTime>
#include <QStringList>
#include <QThread>
#include <QTimer>
#include <memory>

#include "app/engine_thread/command_process.h"
#include "engine/experiments/prompt_report.h"
#include "widgets/forms/prompts_form.h"

namespace carryover {

class EngineConnection;
class LabContext;
class ModelLoader;

/// `carryover run --prompts …` in a process of its own. An example that fails is said in the folder, and is no failure
/// of the process. GUI thread.
class PromptsProcess : public CommandProcess {
  Q_OBJECT
 public:
  explicit PromptsProcess(QObject* parent = nullptr);

 protected:
  void conclude(const CommandExit& exit) override;
};

/// Reads prompts.json of one folder again whenever it has changed: lives on a thread of its own, since the file may be
/// large or on a slow disk. Called by queued calls.
class PromptsFollower : public QObject {
  Q_OBJECT
 public:
  explicit PromptsFollower(QObject* parent = nullptr);
  void follow(const QString& folder);  ///< in place of the one before

 Q_SIGNALS:
  void read(const QString& folder, const std::shared_ptr<const carryover::PromptReport>& report);
  void failed(const QString& folder, const carryover::ErrorReport& report);  ///< once, until the file changes

 private:
  void look();

  QTimer timer_;
  QString folder_;
  QDateTime seen_;  ///< when the file that was read last was written
};

/// The GUI's side of prompt sets: runs one with the open model and the settings of the next run, and follows its
/// folder. GUI thread; waits for nothing but the process and the follower, in its destructor.
class PromptsController : public QObject {
  Q_OBJECT
 public:
  PromptsController(LabContext& context, EngineConnection& engine, ModelLoader& loader, QObject* parent = nullptr);
  ~PromptsController() override;

  PromptsProcess& process() { return process_; }
  QString unavailable() const;  ///< why no prompt set can be run, or empty
  void start(const PromptOrder& order);
  void stop() { process_.stop(); }
  void open(const QString& folder);  ///< of one that was run, or that another process runs

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
  PromptsProcess process_;
  QThread thread_;
  PromptsFollower* follower_;
  QString folder_;
};

/// The words of the command that runs it, but for the program's name. Pure.
QStringList prompts_command(const PromptOrder& order, const LabContext& context, const QString& model,
                            const QString& adapter);

}  // namespace carryover
