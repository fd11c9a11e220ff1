// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>

#include "app/controllers/model_loader.h"
#include "app/engine_thread/drain_pace.h"
#include "widgets/lab/lab_context.h"

namespace carryover {

/// Turns the user's wishes into requests to the EngineWorker, and its answers into the RunModel, at most 30 times a
/// second with the last one guaranteed. GUI thread; never waits for the engine.
class RunController : public QObject {
  Q_OBJECT
 public:
  RunController(LabContext& context, EngineConnection& engine, ModelLoader& loader, QObject* parent = nullptr);
  ~RunController() override;

  enum class State { Idle, Running, Paused, Stopping };
  State state() const { return state_; }
  bool can_run() const;
  QString why_not_run() const;         ///< empty: a run can start
  QString why_engine_is_busy() const;  ///< empty: nothing runs, loads, trains or is audited
  enum class Needs { IdleEngine, Model, ModelAndText };
  /// Returns the reason why a job of this name can't start now, with advice, or nothing where it can.
  std::optional<ErrorReport> refusal(const QString& job, Needs needs) const;
  EngineConnection& engine() const { return engine_; }
  ModelLoader& loader() const { return loader_; }
  bool engine_paused() const;  ///< on request, or by itself
  /// Returns the speed of the run under way, over the tokens that it has run itself: neither the segments that a
  /// continued run was given nor pauses count. 0: not known yet.
  double tokens_per_second() const;

  void run(std::int64_t latch_segment = -1);
  /// Runs other ids than the open text's with the open model, under settings of their own; `name` names the text that
  /// is read. Does nothing where no model is open or the engine is busy.
  void run_request(const QString& name, const RunRequest& request);
  /// Continues the run on show, which was stopped before its end, as a new run that begins with its segments.
  void continue_run();
  QString why_not_continue() const;  ///< empty: continue_run() can
  QString why_not_repeat() const;    ///< empty: the run on show can be run again as it was, all of it or a segment
  void run_when_ready();             ///< once the loads under way are through
  void pause();
  void resume();
  void stop();
  /// Shows segments that came from something else than a run, as if a run of `model` had made them. Does nothing while
  /// a run is in progress.
  void show(const QString& name, const ModelInfo& model, const RunRequest& request,
            const std::vector<std::shared_ptr<const SegmentSnapshot>>& segments);
  /// Shows a run that was made before and is kept at `place`, including `run.outline`; its model need not be open. Does
  /// nothing while a run is in progress.
  void show_run(const QString& place, const RunContents& run, const std::shared_ptr<const Tokenizer>& tokenizer);
  void close_run();  ///< no run is on show then; does nothing while a run is in progress
  /// Shows a run from its folder or journal; neither its model nor its text is opened. Stops the present run.
  void open_run(const QString& path);
  /// Opens the run at `pinned` and pins it as B; then opens the one at `shown`, unless that is empty. The present
  /// selection stays if that run is already on show.
  void open_pair(const QString& shown, const QString& pinned);
  void save_run(const QString& directory);
  /// Returns the journal or folder that holds the run on show; empty where none does, or none yet.
  const QString& place() const { return place_; }
  /// Returns false where the disk had no room for all of the run that is under way or was made last.
  bool journal_is_whole() const { return journal_is_whole_; }
  void adopt_journal(const QString& place);  ///< for the run on show, which has no place yet and is being written there
  /// Returns the description of the shown run, with the command line that repeats it.
  RunDescription describe_run() const;
  /// Sets the function that names each run's journal; it is called as the run starts. Without it, a run goes into a
  /// file without a name.
  void set_journal_place(std::function<QString()> place) { journal_place_ = std::move(place); }
  RunContents run_contents() const;

 Q_SIGNALS:
  void state_changed();  ///< also when the engine, loads or settings change whether a run can start
  void run_started();
  void run_ended();
  void run_kept();     ///< the run that began has a place(): its first segment has closed
  void run_shown();    ///< by show_run()
  void run_opened();   ///< from a folder or a journal
  void pair_opened();  ///< B of it: the other one follows
  void saved(const QString& directory);
  void failed(const carryover::ErrorReport& report);  ///< a run; also a load or the engine

 private:
  void connect_engine();
  void connect_worker();
  void run_or_say_why_not();
  void stop_run();
  void start(RunDescription description, const std::shared_ptr<const SegmentSource>& given);
  void set_state(State state);
  void end_run(const RunSummary& summary);
  void begin_run(const RunDescription& description, const std::string& folder,
                 const std::shared_ptr<const Tokenizer>& tokenizer);
  void take_source(std::shared_ptr<const SegmentSource> segments);
  void show_opened(const QString& place, const RunContents& run, const std::shared_ptr<const Tokenizer>& tokenizer);
  void restore_selection(const QString& opened);
  void pin_opened();
  void wake();
  int ms_to_drain() const;
  void restart_clock();
  void stop_clock();
  void drain_when_due();
  void drain();
  RunRequest make_request() const;

  LabContext& context_;
  EngineConnection& engine_;
  ModelLoader& loader_;
  std::shared_ptr<RunChannel> channel_;
  State state_ = State::Idle;
  bool run_wanted_ = false;
  RunDescription described_;  ///< the shown run's facts that the RunModel does not have
  bool journal_is_whole_ = true;
  std::string saving_;  ///< id of the run that is being written
  std::function<QString()> journal_place_;
  QString journal_, place_;            ///< of the run under way, and of the one on show
  QString pinned_, shown_;             ///< places of a pair that is being opened
  std::optional<Selection> selected_;  ///< of the first run of a pair that was shown before
  QTimer drain_timer_;
  DrainPace pace_;
  QElapsedTimer clock_;            ///< of the run under way; invalid while that is paused
  qint64 ms_before_ = 0;           ///< time that it ran before its last pause
  std::int64_t given_tokens_ = 0;  ///< tokens of the segments that it continues after
};

}  // namespace carryover
