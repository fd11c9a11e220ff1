// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QThread>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>

#include "app/engine_thread/drain_pace.h"
#include "app/engine_thread/engine_worker.h"
#include "widgets/state/lab_context.h"

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
  QString why_not_run() const;  ///< empty: a run can start
  const std::optional<LoadedModel>& model() const { return model_; }
  const std::optional<LoadedText>& text() const { return text_; }
  /// Something else has the engine: runs and loads are refused, and `why` says so. Empty: nothing has.
  void set_busy(const QString& why);
  const QString& busy() const { return busy_; }
  /// The engine that `command` starts does the work from now on, such as `ssh host carryover-cli engine`; this process
  /// where it is empty. Paths of models are then of that machine, texts stay of this one.
  void use_engine(const QString& command);
  /// The same command again, and the model that was open.
  void reconnect();
  const QString& engine_command() const { return engine_command_; }
  const std::optional<EngineElsewhere>& elsewhere() const { return elsewhere_; }  ///< once it has answered
  bool engine_lost() const { return engine_lost_; }  ///< the line is broken, or could not be made
  EngineWorker& worker() { return *worker_; }        ///< for queued calls and connections only
  bool engine_paused() const;                        ///< asked to, or latched by itself
  double running_seconds() const;                    ///< of the run now under way, pauses included

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
  /// Shows segments that something else than a run gave, as if they were one made with `model`. Nothing where a run
  /// goes on.
  void show(const QString& name, const ModelInfo& model, const RunRequest& request,
            const std::vector<std::shared_ptr<const SegmentSnapshot>>& segments);
  /// Shows a run that was made before, `run.outline` and all; its model need not be open. Nothing where a run goes on.
  void show_run(const RunContents& run, const std::shared_ptr<const Tokenizer>& tokenizer);
  /// Shows a run from its folder; neither its model nor its text is opened. What runs is stopped.
  void open_run(const QString& directory);
  void save_run(const QString& directory);
  /// The run that is shown, with the command line that repeats it.
  RunDescription describe_run() const;
  /// Where each run's journal goes, from its beginning on: asked for as it starts. None: into a file without a name.
  void set_journal_place(std::function<QString()> place) { journal_place_ = std::move(place); }
  RunContents run_contents() const;

 Q_SIGNALS:
  void state_changed();
  void engine_changed();  ///< another one, or the same again
  void loading_changed(double fraction, const QString& what);
  void model_opened();
  void model_changed();  ///< opened, trained, or gone: model() is another one
  void text_opened();
  void run_started();
  void run_ended();
  void run_opened();  ///< from a folder
  void saved(const QString& directory);
  void failed(const carryover::ErrorReport& report);

 private:
  void connect_worker();
  template <typename Call>
  void post(Call call) {
    QMetaObject::invokeMethod(
        worker_, [worker = worker_, call = std::move(call)] { call(*worker); }, Qt::QueuedConnection);
  }
  bool refuse_when_busy();
  void forget_model();
  void run_or_say_why_not();
  void accept_engine(const std::optional<EngineElsewhere>& elsewhere);
  void lose_engine(const ErrorReport& report);
  void start_engine();
  void begin_load();
  void end_load();
  void set_state(State state);
  void accept_model(const LoadedModel& model);
  void end_run(const RunSummary& summary);
  void begin_run(const RunDescription& description, const std::string& folder,
                 const std::shared_ptr<const Tokenizer>& tokenizer);
  void show_opened(const RunContents& run, const std::shared_ptr<const Tokenizer>& tokenizer);
  void wake();
  int ms_to_drain() const { return pace_.ms_left(model_ && model_->info.device == Device::Cpu && !elsewhere_); }
  void drain_when_due();
  void drain();
  RunRequest make_request() const;

  LabContext& context_;
  QThread thread_;
  EngineWorker* worker_;
  std::shared_ptr<RunChannel> channel_;
  std::optional<LoadedModel> model_;
  std::optional<LoadedText> text_;
  QString engine_command_;
  std::optional<EngineElsewhere> elsewhere_;
  bool engine_lost_ = false, reopen_ = false;
  std::shared_ptr<RunControl> connecting_;  ///< ends the waiting for an engine
  QString model_path_, adapter_path_;       ///< asked for last
  State state_ = State::Idle;
  int loads_under_way_ = 0;
  bool run_wanted_ = false;
  QString busy_;
  RunDescription described_;  ///< of the run in the RunModel, what that does not know itself
  std::string saving_;        ///< id of the run that is being written
  std::function<QString()> journal_place_;
  QTimer drain_timer_;
  DrainPace pace_;
  QElapsedTimer since_start_;
};

}  // namespace carryover
