// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QThread>
#include <QTimer>
#include <memory>
#include <optional>

#include "app/engine_worker.h"
#include "widgets/lab_context.h"

namespace carryover {

/// The GUI's side of the thread boundary: turns the user's wishes into requests to the EngineWorker, and what comes
/// back into the RunModel, at most 30 times a second with the last one guaranteed. GUI thread; never waits for the
/// engine but in its destructor.
class RunController : public QObject {
  Q_OBJECT
 public:
  explicit RunController(LabContext& context, QObject* parent = nullptr);
  ~RunController() override;

  enum class State { Idle, Running, Paused, Stopping };
  State state() const { return state_; }
  bool loading() const { return loads_under_way_ > 0; }
  bool can_run() const;
  const std::optional<LoadedModel>& model() const { return model_; }
  const std::optional<LoadedText>& text() const { return text_; }
  /// Something else has the engine: runs and loads are refused, and `why` says so. Empty: nothing has.
  void set_busy(const QString& why);
  const QString& busy() const { return busy_; }
  EngineWorker& worker() { return *worker_; }  ///< for queued calls and connections only
  bool engine_paused() const;                  ///< asked to, or latched by itself
  double running_seconds() const;              ///< of the run now under way, pauses included

  /// `adapter`: a PEFT folder merged into it. A path that is such a folder itself is merged into its base model, or
  /// into the model that is open where the base is not on this machine.
  void open_model(const QString& path, const QString& adapter = {});
  void reopen_model();                                            ///< with the number type and device now chosen
  void open_text(const QString& path, const QString& name = {});  ///< `name`: see TextRequest
  void open_pasted_text(const QString& text, const QString& name = {});
  void run(std::int64_t latch_segment = -1);
  void run_when_ready();  ///< once the loads under way are through
  void pause();
  void resume();
  void stop();
  /// Shows segments that something else than a run gave, as if they were one. Nothing where a run goes on.
  /// `known_summary`: the run's own, where it has one.
  void show(const QString& name, const RunRequest& request,
            const std::vector<std::shared_ptr<const SegmentSnapshot>>& segments,
            const std::optional<RunSummary>& known_summary = {});
  void save_run(const QString& directory);
  /// The last run with the command line that repeats it (the configuration goes by file).
  RunDescription describe_run() const;

 Q_SIGNALS:
  void state_changed();
  void loading_changed(double fraction, const QString& what);
  void model_opened();
  void text_opened();
  void run_started();
  void run_ended();
  void saved(const QString& directory);
  void failed(const carryover::ErrorReport& report);

 private:
  void connect_worker();
  template <typename Call>
  void post(Call call);
  bool refuse_when_busy();
  void begin_load();
  void end_load();
  void set_state(State state);
  void accept_model(const LoadedModel& model);
  void end_run(const RunSummary& summary);
  void wake();
  void drain();
  RunRequest make_request() const;

  LabContext& context_;
  QThread thread_;
  EngineWorker* worker_;
  std::shared_ptr<RunChannel> channel_;
  std::optional<LoadedModel> model_;
  std::optional<LoadedText> text_;
  State state_ = State::Idle;
  int loads_under_way_ = 0;
  bool run_wanted_ = false;
  QString busy_;
  QString run_text_;  ///< what the run in the RunModel read
  std::int64_t run_token_limit_ = 0;
  QTimer drain_timer_;
  QElapsedTimer since_drain_, since_start_;
};

}  // namespace carryover
