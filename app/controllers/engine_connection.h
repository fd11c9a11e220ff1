// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QStringList>
#include <memory>
#include <optional>

#include "app/engine_thread/engine_worker.h"
#include "app/engine_thread/post.h"
#include "app/engine_thread/worker_thread.h"
#include "widgets/lab/lab_context.h"

namespace carryover {

/// The engine thread, and which engine works there: this process's, or one that a command starts elsewhere. Says who
/// has the engine. GUI thread; waits for the engine in its destructor only.
class EngineConnection : public QObject {
  Q_OBJECT
 public:
  explicit EngineConnection(LabContext& context, QObject* parent = nullptr);
  ~EngineConnection() override;

  EngineWorker& worker() { return *worker_.get(); }  ///< for queued calls and connections only
  /// Calls `call(worker)` on the engine thread.
  template <typename Call>
  void post(Call call) {
    carryover::post(worker_.get(), std::move(call));
  }

  /// The engine that `command` starts does the work from now on, such as `ssh host carryover-cli engine`; this process
  /// where it is empty. Paths of models are then of that machine, texts stay of this one.
  void use(const QString& command);
  /// Does the same for a command that a user has typed. If it starts no engine, failed() says why, and the present
  /// engine stays with its model; the engine's present work is stopped in any case.
  void change_to(const QString& command);
  /// Starts the same command again, and opens the model that was open.
  void reconnect();
  const QString& command() const { return command_; }
  const std::optional<EngineElsewhere>& elsewhere() const { return elsewhere_; }  ///< once it has answered
  bool lost() const { return lost_; }  ///< the connection broke, or could not be made

  /// Something has the engine: runs and loads are refused, and `why` says so. Empty: nothing has.
  void set_busy(const QString& why);
  const QString& busy() const { return busy_; }
  bool refuse_when_busy();  ///< true, after failed(): busy

 Q_SIGNALS:
  void starting(bool again);  ///< `again`: the same command as before; no model is open
  void changing();            ///< change_to() waits for the engine
  void replaced();            ///< by another one, which change_to() named; no model is open
  void ready();
  void changed();  ///< the command, lost(), or elsewhere()
  void busy_changed();
  void failed(const carryover::ErrorReport& report);

 private:
  void start(bool again);
  std::shared_ptr<RunControl> begin_to_connect();
  void accept(const std::optional<EngineElsewhere>& elsewhere);
  void lose(const ErrorReport& report);

  LabContext& context_;
  QString command_, busy_;
  QStringList wanted_;  ///< commands of change_to(), in order, until it is known what they are
  std::optional<EngineElsewhere> elsewhere_;
  bool lost_ = false;
  std::shared_ptr<RunControl> connecting_;  ///< ends the waiting for an engine
  WorkerThread<EngineWorker> worker_{QStringLiteral("engine")};
};

}  // namespace carryover
