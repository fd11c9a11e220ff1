// SPDX-License-Identifier: GPL-3.0-or-later
// The states that a window can be closed or killed in: how it gets there, and what has to be there when it comes back.
#pragma once
#include <signal.h>

#include <QLineEdit>
#include <QTest>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/training/records/training_folder.h"
#include "tests/support/home.h"
#include "widgets/lab/notebook.h"
#include "widgets/plot/plot_view.h"
#include "widgets/training/finetune_dialog.h"
#include "widgets/training/plan_form.h"
#include "widgets/training/state/plan_fields.h"

namespace carryover::test {

/// A home whose keeper has not begun yet.
struct Someone : Home {
  explicit Someone(const QString& home) : Home(home, false) {}
  pid_t engine = 0;  ///< its process, where it is elsewhere
};

/// Everything that a RunModel says of its segments.
inline std::vector<std::string> told(const RunModel& run) {
  std::vector<std::string> all;
  for (int i = 0; i < run.segment_count(); ++i) {
    nlohmann::json hits = nlohmann::json::array();
    for (const HeadHits& head : run.snapshot(i).hits) hits.push_back(head);
    all.push_back(nlohmann::json{run.record(i), run.snapshot(i).target_nll, hits}.dump());
  }
  return all;
}

inline bool wait_for(const std::function<bool()>& condition) {
  return QTest::qWaitFor(condition, patience_ms);
}

inline const QString local_pipe = QStringLiteral("'" CARRYOVER_BINARY_DIR "/bin/carryover-cli' engine");

inline bool open_and_wait(Someone& someone, std::int64_t tokens) {
  open_demo(someone.window, tokens);
  return wait_for([&] { return someone.window.lab().runs.can_run(); });
}

inline bool run_whole(Someone& someone, std::int64_t tokens = 1000) {
  if (!open_and_wait(someone, tokens)) return false;
  someone.window.lab().runs.run();
  const RunModel& run = someone.lab().run();
  if (!wait_for([&] { return someone.window.lab().runs.can_run() && run.finished(); })) return false;
  const int segment = run.segment_count() - 2;
  const HeadHits& read = run.snapshot(segment).hits.front();
  someone.lab().select({segment, read.layer, read.head, run.record(segment).first_token + 5});
  return true;
}

/// A text that is long enough to be still running, whatever the machine.
inline bool run_on(Someone& someone) {
  const QByteArray demo =
      QByteArray::fromStdString(read_bytes((demo_folder() + QStringLiteral("/text.txt")).toStdString()));
  const QString text = someone.folder + QStringLiteral("/long.txt");
  write_bytes(text.toStdString(), demo.repeated(600'000 / demo.size() + 1).toStdString());
  RunController& controller = someone.window.lab().runs;
  controller.loader().open_model(demo_folder());
  controller.loader().open_text(text);
  if (!wait_for([&] { return controller.can_run(); })) return false;
  controller.run();
  return wait_for([&] { return someone.lab().run().segment_count() >= 3; }) &&
         controller.state() == RunController::State::Running;
}

/// Stops by itself in the middle of segment 2.
inline bool run_and_pause(Someone& someone) {
  RunController& controller = someone.window.lab().runs;
  controller.run(2);
  return wait_for([&] { return controller.engine_paused() && someone.lab().run().segment_count() == 2; });
}

inline bool run_elsewhere(Someone& someone) {
  someone.window.lab().engine.use(local_pipe);
  if (!open_and_wait(someone, 1500)) return false;
  EngineWorker& worker = someone.window.lab().engine.worker();
  QMetaObject::invokeMethod(
      &worker, [&] { someone.engine = worker.engine().process().value(); }, Qt::BlockingQueuedConnection);
  return run_and_pause(someone);
}

inline TrainingPlan endless_training(const QString& folder) {
  TrainingPlan plan;
  plan.model = demo_folder().toStdString();
  plan.data = {CARRYOVER_SOURCE_DIR "/LICENSE"};
  plan.output_dir = (folder + QStringLiteral("/training")).toStdString();
  plan.dtype = DType::Float32;
  plan.threads = 1;
  plan.config.segment_length = 32;
  plan.config.carry_length = plan.config.retrieval_length = plan.config.query_length = 8;
  plan.config.grouping = Grouping({1}, {{0}});
  plan.training.max_steps = 1'000'000;
  plan.training.gradient_accumulation_steps = 1;
  plan.training.train_segments = 2;
  plan.training.save_steps = 2;
  plan.training.on_alert = AlertPolicy::Skip;
  return plan;
}

inline bool train(Someone& someone) {
  if (!run_whole(someone, 400)) return false;
  someone.window.lab().training.start(endless_training(someone.folder));
  const TrainingModel* training = someone.window.lab().training.training();
  return wait_for([&] { return training->step_count() >= 3 && !training->checkpoint().isEmpty(); });
}

inline bool train_and_pause(Someone& someone) {
  if (!train(someone)) return false;
  someone.window.lab().training.pause();
  return wait_for([&] { return someone.window.lab().training.training()->state() == TrainingState::Paused; });
}

inline QLineEdit& lengths_field(const PlanForm& form) {
  return static_cast<QLineEdit&>(*form.editor(QStringLiteral("eval_lengths"))->input());
}

constexpr QLatin1String half_typed_lengths("100, 2x");  // a field that is half filled in is no value

inline bool open_dialogs(Someone& someone) {
  if (!run_whole(someone)) return false;
  PlanForm& form = someone.window.dialogs().open_finetune()->form();
  form.editor(QStringLiteral("max_steps"))->set_value(17);
  lengths_field(form).setText(half_typed_lengths);
  someone.window.docks().plot(QStringLiteral("loss")).open_export_dialog();
  return someone.window.findChildren<QDialog*>().size() >= 2;
}

inline bool audit(Someone& someone) {
  if (!run_whole(someone, 400)) return false;
  AuditSettings settings;
  settings.config = someone.lab().config();
  settings.segments = 3;
  someone.window.lab().audits.start(settings);
  return someone.window.lab().audits.active();
}

inline bool ask_what_if(Someone& someone) {
  if (!run_whole(someone)) return false;
  SegmentEdit edit;
  edit.prefix = PrefixSource::Oracle;
  someone.lab().what_ifs().set_draft(edit);
  someone.lab().what_ifs().ask_run({someone.lab().selected().segment, {edit}}, QStringLiteral("the oracle"));
  return someone.lab().what_ifs().running();
}

inline bool sweep(Someone& someone) {
  if (!run_whole(someone)) return false;
  const int segment = someone.lab().selected().segment;
  someone.lab().what_ifs().ask_sweep(segment, someone.lab().run().snapshot(segment).hits);
  return someone.lab().what_ifs().sweeping();
}

inline bool inspect(Someone& someone) {
  if (!run_whole(someone)) return false;
  someone.window.docks().raise(QStringLiteral("attention"));
  return wait_for([&] { return someone.lab().inspections().next().has_value(); });
}

inline bool lose_engine(Someone& someone) {
  if (!run_elsewhere(someone)) return false;
  ::kill(someone.engine, SIGKILL);
  return wait_for([&] { return someone.window.lab().engine.lost(); });
}

inline bool load_again(Someone& someone) {
  if (!run_whole(someone)) return false;
  someone.window.lab().loader.reopen_model();
  return someone.window.lab().loader.loading();
}

inline bool connect(Someone& someone) {
  if (!run_whole(someone)) return false;
  someone.window.lab().engine.use(QStringLiteral("cat > /dev/null"));
  return someone.window.lab().loader.loading();
}

inline bool shows_a_run(MainWindow& window) {
  return window.lab().loader.model() && window.lab().context.run().finished() &&
         !window.lab().context.run().summary().cancelled && window.lab().context.selected().token >= 0;
}

inline bool shows_what_was_done(MainWindow& window) {
  const RunModel& run = window.lab().context.run();
  return run.segment_count() >= 3 && run.segment_count() < run.expected_segments() && run.summary().cancelled;
}

inline bool shows_two_segments(MainWindow& window) {
  const RunModel& run = window.lab().context.run();
  return window.lab().loader.model() && run.segment_count() == 2 && run.summary().cancelled;
}

inline bool shows_two_segments_from_elsewhere(MainWindow& window) {
  return shows_two_segments(window) && window.lab().engine.command() == local_pipe && window.lab().engine.elsewhere() &&
         !window.lab().engine.lost();
}

inline bool shows_the_training(MainWindow& window) {
  return wait_for([&] {
    const TrainingModel* training = window.lab().context.training().current();
    return training != nullptr && training->step_count() >= 3 && !training->checkpoint().isEmpty();
  });
}

inline bool shows_the_dialog(MainWindow& window) {
  if (!shows_a_run(window) || window.dialogs().finetune() == nullptr) return false;
  const PlanForm& form = window.dialogs().finetune()->form();
  return form.editor(QStringLiteral("max_steps"))->value() == 17 && lengths_field(form).text() == half_typed_lengths;
}

inline bool shows_the_draft(MainWindow& window) {
  return shows_a_run(window) && window.lab().context.what_ifs().draft().prefix == PrefixSource::Oracle;
}

struct WindowState {
  const char* name;
  bool (*reach)(Someone&);
  bool (*came_back)(MainWindow&);
  bool when_killed = true;  ///< else another state, or session_crash_test, shows no less
};

inline const std::vector<WindowState>& window_states() {
  static const std::vector<WindowState> states = {
      {"idle", [](Someone& someone) { return run_whole(someone); }, &shows_a_run, false},
      {"running", &run_on, &shows_what_was_done, false},
      {"paused", [](Someone& someone) { return open_and_wait(someone, 1500) && run_and_pause(someone); },
       &shows_two_segments},
      {"training", &train, &shows_the_training},
      {"training, paused", &train_and_pause, &shows_the_training},
      {"dialogs", &open_dialogs, &shows_the_dialog},
      {"audit", &audit, &shows_a_run},
      {"what-if", &ask_what_if, &shows_the_draft, false},
      {"sweep", &sweep, &shows_a_run},
      {"inspection", &inspect, &shows_a_run},
      {"elsewhere", &run_elsewhere, &shows_two_segments_from_elsewhere},
      {"engine lost", &lose_engine, &shows_two_segments_from_elsewhere},
      {"loading", &load_again, &shows_a_run},
      {"connecting", &connect, &shows_a_run}};
  return states;
}

inline const WindowState& window_state(const QString& name) {
  for (const WindowState& state : window_states())
    if (name == QLatin1String(state.name)) return state;
  qFatal("no state %s", qPrintable(name));
}

/// A new window with what the last one left, as the next start shows it. False where there is nothing.
inline bool bring_back(Someone& someone) {
  QSignalSpy opened(&someone.keeper, &SessionKeeper::session_opened);
  return someone.keeper.begin(true) && (opened.count() > 0 || opened.wait(patience_ms));
}

}  // namespace carryover::test
