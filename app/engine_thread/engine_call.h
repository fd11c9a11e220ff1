// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "app/engine_thread/engine_worker.h"
#include "app/engine_thread/post.h"
#include "app/engine_thread/throttle.h"

namespace carryover {

/// Carries what work on the engine thread says to the thread of its receiver. Emitted on the engine thread.
class CallRelay : public QObject {
  Q_OBJECT
 Q_SIGNALS:
  void progressed(double share, const QString& what);
  void said(const std::function<void()>& call);
};

/// Gives work on the engine thread the open model, the control that stops it, and a line to the GUI thread. Engine
/// thread only.
class EngineCall {
 public:
  EngineCall(EngineWorker& worker, RunControl& control, CallRelay& relay)
      : worker_(worker), control_(control), relay_(relay) {}

  EngineWorker& worker() const { return worker_; }
  RunControl& control() const { return control_; }
  /// Throws EngineError{Usage} where no model is open.
  Session& session() const;
  /// Does the same, and refuses a model whose weights are not those of the record.
  Session& session_of(const std::optional<RecordedSegment>& record) const;

  /// Calls `call` on the receiver's thread, after all that was said before.
  void tell(const std::function<void()>& call) { Q_EMIT relay_.said(call); }
  void announce(double share, const QString& what);  ///< what is done next
  void progress(double share, const QString& what);  ///< passes at most 30 times a second
  LoadProgress reporting();

 private:
  EngineWorker& worker_;
  RunControl& control_;
  CallRelay& relay_;
  Throttle throttle_;
};

/// Lets an object of the GUI thread have work done on the engine thread. Answers come in order, and none comes after
/// the receiver has gone. A member of the receiver. GUI thread; never waits.
class EngineCalls {
 public:
  EngineCalls(EngineWorker& worker, QObject& receiver);

  CallRelay& relay() const { return *relay_; }  ///< for connections only

  /// Does `work(EngineCall&)` on the engine thread. Then calls, on this thread, `done(result)` with what it has
  /// returned, or `failed(ErrorReport)`, whose fault is Cancelled after a stop.
  template <typename Work, typename Done, typename Failed>
  void start(const std::shared_ptr<RunControl>& control, Work work, Done done, Failed failed) {
    post(&worker_, [control, relay = relay_, work = std::move(work), done = std::move(done),
                    failed = std::move(failed)](EngineWorker& worker) {
      EngineCall call(worker, *control, *relay);
      const auto problem = attempt([&] {
        control->checkpoint();
        tell_result(call, work, done);
      });
      if (problem) call.tell([failed, problem] { failed(*problem); });
    });
  }

 private:
  template <typename Work, typename Done>
  static void tell_result(EngineCall& call, const Work& work, const Done& done) {
    using Result = std::invoke_result_t<const Work&, EngineCall&>;
    if constexpr (std::is_void_v<Result>) {
      work(call);
      call.tell(done);
    } else {
      call.tell([done, result = std::make_shared<const Result>(work(call))] { done(*result); });
    }
  }

  EngineWorker& worker_;
  std::shared_ptr<CallRelay> relay_;
};

}  // namespace carryover
