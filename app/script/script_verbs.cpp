// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/script/script_verbs.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/output.h"
#include "app/script/script_what_if.h"
#include "app/script/script_work.h"
#include "app/start/startup.h"
#include "app/window/bench_dialog.h"
#include "app/window/script_selection.h"
#include "engine/cost/policy_table.h"
#include "engine/runs/records/run_data.h"
#include "widgets/lab/panel.h"
#include "widgets/plot/plot_export.h"
#include "widgets/plot/plot_view.h"
#include "widgets/what_if/what_if_list.h"

namespace carryover {
namespace {

constexpr int any_number = 99;
constexpr int training_patience_ms = 10'000;

Pending until_loaded(Lab& lab) {
  return [&lab] { return !lab.loader.loading(); };
}

/// Its folder is read by a thread of its own, and may be one that no step has been written to yet.
Pending until_steps_are_read(MainWindow& window, const QString& path) {
  QElapsedTimer waited;
  waited.start();
  return [&window, waited, path] {
    const TrainingRuns& runs = window.lab().context.training();
    const int index = runs.index_of(QDir(path).absolutePath());
    if (index >= 0 && (runs.run(index).step_count() > 0 || runs.run(index).state() == TrainingState::Finished))
      return true;
    if (waited.elapsed() > training_patience_ms)
      refuse(path, tr("has no step of a training yet"), tr("Open it when there is one."));
    return false;
  };
}

Pending until_cells_are_read(Lab& lab) {
  return [&lab] {
    const ExperimentModel& experiment = lab.experiments.model();
    if (!experiment.has_news() && !experiment.problem().isEmpty())
      refuse(experiment.folder(), experiment.problem(), tr("Name the folder of an experiment."));
    return experiment.has_news();
  };
}

Pending until_evaluation_is_read(Lab& lab) {
  return [&lab] {
    const EvaluationModel& evaluation = lab.evaluations.model();
    if (!evaluation.has_news() && !evaluation.problem().isEmpty())
      refuse(evaluation.folder(), evaluation.problem(), tr("Name the folder of an evaluation."));
    return evaluation.has_news();
  };
}

/// Opens the folder of a prompt set and waits for its report.
Pending open_prompts(Lab& lab, const QString& path) {
  if (!QFileInfo::exists(path + QStringLiteral("/prompts.json")))
    refuse(path, tr("has no prompts.json"), tr("Name the folder of a prompt set."));
  struct Answer {
    bool read = false;
    QString problem;
  };
  const auto answer = std::make_shared<Answer>();
  PromptsController& prompts = lab.prompts;
  QObject::connect(
      &prompts, &PromptsController::reported, &prompts, [answer] { answer->read = true; }, Qt::SingleShotConnection);
  QObject::connect(
      &prompts, &PromptsController::unreadable, &prompts,
      [answer](const QString& problem) { answer->problem = problem; }, Qt::SingleShotConnection);
  prompts.open(path);
  return [answer, path] {
    if (!answer->problem.isEmpty()) refuse(path, answer->problem, tr("Name the folder of a prompt set."));
    return answer->read;
  };
}

Pending open(MainWindow& window, const QStringList& words) {
  const QString &what = words[0], path = words.value(1);
  Lab& lab = window.lab();
  if (what == QStringLiteral("demo")) {
    const QString demo = Startup::demo_directory();
    if (demo.isEmpty()) refuse(what, tr("the demo is not installed"), tr("Open a model and a text."));
    lab.loader.open_model(demo);
    lab.loader.open_text(demo + QStringLiteral("/text.txt"));
    return until_loaded(lab);
  }
  if (path.isEmpty()) refuse(what, tr("has no file name"), tr("Write the path of the file after it."));
  if (what == QStringLiteral("session")) return open_session_file(window, path);
  if (what == QStringLiteral("state")) return open_state_file(window, path);
  if (what == QStringLiteral("model")) {
    lab.loader.open_model(path, words.value(2));
  } else if (what == QStringLiteral("text")) {
    lab.loader.open_text(path);
  } else if (what == QStringLiteral("run")) {
    lab.runs.open_run(path);
  } else if (what == QStringLiteral("training")) {
    lab.training.open_folder(path);
    return until_steps_are_read(window, path);
  } else if (what == QStringLiteral("experiment")) {
    lab.experiments.open(path);
    return until_cells_are_read(lab);
  } else if (what == QStringLiteral("evaluation")) {
    lab.evaluations.open(path);
    return until_evaluation_is_read(lab);
  } else if (what == QStringLiteral("prompts")) {
    return open_prompts(lab, path);
  } else if (what == QStringLiteral("bench")) {
    window.dialogs().open_bench()->open_folder(path);
  } else {
    refuse(what, tr("can't be opened"),
           tr("Open demo, model, text, run, training, experiment, evaluation, prompts, bench, session or state."));
  }
  return until_loaded(lab);
}

Pending set(MainWindow& window, const QStringList& words) {
  LabContext& context = window.lab().context;
  const QString &field = words[0], &value = words[1];
  RunOptions options = context.run_options();
  if (field == QStringLiteral("policy")) {
    if (find_policy(value.toStdString()) == nullptr)
      refuse(field, tr("“%1” is not known").arg(value),
             tr("Use one of %1.").arg(QString::fromStdString(listed_policies(", "))));
    options.policy = value.toStdString();
  } else if (field == QStringLiteral("dtype")) {
    options.dtype = parse_dtype(value.toStdString());
  } else if (field == QStringLiteral("device")) {
    options.device = parse_device(value.toStdString());
  } else if (field == QStringLiteral("tokens")) {
    bool ok = false;
    options.token_limit = value.toLongLong(&ok);
    if (!ok || options.token_limit < 0)
      refuse(field, tr("“%1” is not a number").arg(value), tr("0 runs the whole text."));
    options.tokens_chosen = true;
  } else {
    if (!context.model()) refuse(field, tr("no model is open"), tr("Open one first."));
    SegmentConfig config = context.config();
    update_from_json(config, {{field.toStdString(), json_of_word(value)}}, "set");
    config.validate(*context.model(), "set");
    context.edit_config(config, field);
  }
  context.edit_run_options(options, field);  // another dtype or device loads the model again
  return until_loaded(window.lab());
}

Pending run(MainWindow& window, const QStringList&) {
  Lab& lab = window.lab();
  lab.context.settle_settings();
  if (!lab.runs.can_run())
    refuse(tr("run"), lab.runs.why_not_run(), tr("Open a model and a text first, and wait until the engine is idle."));
  lab.runs.run();
  return {};
}

Pending wait(MainWindow& window, const QStringList& words) {
  if (words.isEmpty()) return [&window] { return engine_is_idle(window.lab()); };
  bool ok = false;
  if (words[0] == QStringLiteral("segment")) {
    const int segment = words.value(1).toInt(&ok);
    if (!ok || segment < 0) refuse(tr("wait"), tr("“%1” is not a segment").arg(words.value(1)), tr("Count from 0."));
    return [&window, segment] {
      const int closed = window.lab().context.run().segment_count();
      if (closed <= segment && engine_is_idle(window.lab()))
        refuse(tr("wait"), tr("the run ended after %1 segments").arg(closed), tr("Wait for an earlier one."));
      return closed > segment;
    };
  }
  const double seconds = words[0].toDouble(&ok);
  if (!ok || seconds < 0) refuse(tr("wait"), tr("“%1” is not a number of seconds").arg(words[0]), tr("Such as 0.5."));
  QElapsedTimer timer;
  timer.start();
  return [timer, seconds] { return static_cast<double>(timer.elapsed()) >= 1000 * seconds; };
}

Pending select(MainWindow& window, const QStringList& words) {
  select_by_words(window.lab().context, words);
  return {};
}

/// Returns a panel by its name, or by that of one of its plots.
Panel& panel_of(MainWindow& window, const QString& name) {
  const QString id = current_panel_id(name);
  if (Panel* panel = window.docks().panel(id)) return *panel;
  QStringList ids;
  for (const QString& known : window.docks().ids()) {
    ids += known;
    for (const PlotView* plot : window.docks().panel(known)->plots())
      if (plot->id() == id) return *window.docks().panel(known);
  }
  refuse(id, tr("there is no such panel"), tr("The panels are %1.").arg(ids.join(QStringLiteral(", "))));
}

Pending show(MainWindow& window, const QStringList& words) {
  window.docks().raise(panel_of(window, words[0]).objectName());
  return {};
}

Pending choose(MainWindow& window, const QStringList& words) {
  Panel& panel = panel_of(window, words[0]);
  panel.catch_up();
  set_panel_control(panel, words[1], words[2]);
  return {};
}

Pending press(MainWindow& window, const QStringList& words) {
  Panel& panel = panel_of(window, words[0]);
  panel.catch_up();
  press_panel_button(panel, words[1]);
  return {};
}

Pending print_text(MainWindow& window, const QStringList& words) {
  if (words[0] == QStringLiteral("model")) {
    print((identity_text(window) + QLatin1Char('\n')).toStdString());
    return {};
  }
  Panel& panel = panel_of(window, words[0]);
  panel.catch_up();
  print((panel_text(panel) + QLatin1Char('\n')).toStdString());
  return {};
}

Pending what_if(MainWindow& window, const QStringList& words) {
  const WordedWhatIf wanted = what_if_of_words(window.lab().context, words);
  if (!engine_is_idle(window.lab()))
    refuse(QStringLiteral("what-if"), tr("the engine is busy"), tr("Wait until the engine is idle."));
  WhatIfs& what_ifs = window.lab().context.what_ifs();
  what_ifs.set_draft(wanted.plan.edits.front());
  what_ifs.ask_run(wanted.plan, wanted.name);
  return [&window] { return engine_is_idle(window.lab()); };
}

Pending pin(MainWindow& window, const QStringList& words) {
  LabContext& context = window.lab().context;
  if (words[0] == QStringLiteral("none")) {
    context.unpin_run();
  } else if (words[0] != QStringLiteral("run")) {
    refuse(words[0], tr("can't be pinned"), tr("Write: pin run, or pin none."));
  } else if (context.run().segment_count() == 0) {
    refuse(words[0], tr("there is none"), tr("Run a text first."));
  } else {
    context.pin_run();
  }
  return {};
}

Pending foil(MainWindow& window, const QStringList& words) {
  FoilToken& foil = window.lab().context.foil();
  foil.set_text(words.value(0));
  if (!foil.problem().isEmpty()) refuse(QStringLiteral("foil"), foil.problem(), tr("Quote a word with its space."));
  return {};
}

Pending zoom(MainWindow& window, const QStringList& words) {
  std::vector<double> edges;
  for (const QString& word : words.mid(1)) {
    bool ok = false;
    edges.push_back(word.toDouble(&ok));
    if (!ok) refuse(tr("zoom"), tr("“%1” is not a number").arg(word), tr("Give x0 x1 y0 y1."));
  }
  window.docks().plot(current_panel_id(words[0])).zoom_to(edges[0], edges[1], edges[2], edges[3]);
  return {};
}

Pending export_figure(MainWindow& window, const QStringList& words) {
  QSizeF size(120, 75);
  int dpi = 300;
  FigureStyle style = figure_style(QStringLiteral("screen"));
  for (int i = 3; i + 1 < words.size(); i += 2) {
    const QString &option = words[i], &value = words[i + 1];
    bool ok = true;
    if (option == QStringLiteral("size")) {
      size = parse_figure_size(value);
    } else if (option == QStringLiteral("style")) {
      style = figure_style(value);
    } else if (option == QStringLiteral("dpi")) {
      dpi = value.toInt(&ok);
    } else {
      ok = false;
    }
    if (!ok || dpi < 50 || dpi > 1200)
      refuse(option, tr("can't be “%1”").arg(value), tr("Give size WxHmm, style NAME, dpi from 50 to 1200."));
  }
  window.docks().plot(current_panel_id(words[1])).export_to(words[2], PlotView::format_of(words[2]), size, dpi, style);
  return {};
}

Pending export_something(MainWindow& window, const QStringList& words) {
  const QString& what = words[0];
  if (what == QStringLiteral("figure") && words.size() >= 3 && words.size() % 2 == 1)
    return export_figure(window, words);
  if (what == QStringLiteral("data") && words.size() == 3) {
    write_run_data(window.lab().runs.run_contents(), words[1].toStdString(), words[2].toStdString());
  } else if (what == QStringLiteral("what-ifs") && words.size() == 2) {
    export_what_ifs(window.lab().context, words[1]);
  } else if (what == QStringLiteral("report") && words.size() == 2) {
    window.exports().write_report(words[1]);
  } else if (what == QStringLiteral("plots") && words.size() == 2) {
    window.exports().write_plots(words[1]);
  } else {
    refuse(what, tr("can't be exported"),
           tr("Write export figure NAME FILE, data KIND FILE, what-ifs FILE, report FILE or plots FOLDER."));
  }
  return {};
}

Pending save(MainWindow& window, const QStringList& words) {
  if (words.size() == 2) {
    if (words[0] == QStringLiteral("state")) return save_state_file(window, words[1]);
    if (words[0] != QStringLiteral("session"))
      refuse(words[0], tr("can't be saved"), tr("Write: save [session | state] PATH."));
    return save_session_file(window, words[1]);
  }
  Lab& lab = window.lab();
  if (!window.lab().context.run().finished())
    refuse(tr("save"), tr("no run has ended"), tr("Run a text and wait first."));
  const auto written = std::make_shared<bool>(false);
  QObject::connect(
      &lab.runs, &RunController::saved, &window, [written] { *written = true; }, Qt::SingleShotConnection);
  lab.runs.save_run(words[0]);
  return [written] { return *written; };
}

Pending screenshot(MainWindow& window, const QStringList& words) {
  QWidget* widget = &window;
  if (words.size() == 2 && words[0] == QStringLiteral("bench") && window.dialogs().bench()) {
    widget = window.dialogs().bench();
  } else if (words.size() == 2) {
    widget = &panel_of(window, words[0]);
    window.docks().raise(widget->objectName());
  }
  QElapsedTimer settle;  // a refresh and a replot are queued
  settle.start();
  return [widget, settle, path = words.last()] {
    if (settle.elapsed() < 250) return false;
    write_picture(*widget, path);
    return true;
  };
}

Pending theme(MainWindow& window, const QStringList& words) {
  const bool dark = words[0] == QStringLiteral("dark");
  if (!dark && words[0] != QStringLiteral("light")) refuse(words[0], tr("is not a theme"), tr("Use light or dark."));
  if (dark != (current_theme().kind == ThemeKind::Dark)) window.toggle_theme();
  return {};
}

Pending undo(MainWindow& window, const QStringList&) {
  window.lab().context.undo_stack().undo();
  return {};
}

Pending stop(MainWindow& window, const QStringList&) {
  window.lab().runs.stop();
  return [&window] { return engine_is_idle(window.lab()); };
}

}  // namespace

bool engine_is_idle(Lab& lab) {
  return lab.runs.why_engine_is_busy().isEmpty() && !lab.training.active() && !lab.audits.active() &&
         !lab.context.inspections().next();
}

const std::vector<ScriptVerb>& script_verbs() {
  static const std::vector<ScriptVerb> verbs = {
      {QStringLiteral("open"),
       tr("demo | model PATH [ADAPTER] | text FILE | run FOLDER | training FOLDER | experiment FOLDER | evaluation "
          "FOLDER | prompts FOLDER | bench FOLDER | session FILE | state FILE"),
       1, 3, open},
      {QStringLiteral("set"), tr("FIELD VALUE"), 2, 2, set},
      {QStringLiteral("run"), {}, 0, 0, run},
      {QStringLiteral("wait"), tr("[SECONDS | segment N]"), 0, 2, wait},
      {QStringLiteral("stop"), {}, 0, 0, stop},
      {QStringLiteral("select"), tr("[segment N|first|last|most-anchors] [layer N] [head N|first] [token N|top-hit]"),
       0, 8, select},
      {QStringLiteral("show"), tr("PANEL"), 1, 1, show},
      {QStringLiteral("choose"), tr("PANEL SWITCH VALUE"), 3, 3, choose},
      {QStringLiteral("press"), tr("PANEL BUTTON"), 2, 2, press},
      {QStringLiteral("print"), tr("PANEL | model"), 1, 1, print_text},
      {QStringLiteral("what-if"),
       tr("[no-carry] [no-sinks] [prefix SOURCE] [drop|add top-hit|selected|TOKEN] "
          "[ban|drop-tokens FIRST LAST] [patch carry|head|layer] [zero head|layer] [FIELD VALUE] [name TEXT]"),
       1, any_number, what_if},
      {QStringLiteral("ask"), tr("TEXT | without N | alone N"), 1, 2, ask_by_words},
      {QStringLiteral("finetune"), tr("PRESET FOLDER [FIELD VALUE] …"), 2, any_number, finetune_by_words},
      {QStringLiteral("pin"), tr("run | none"), 1, 1, pin},
      {QStringLiteral("foil"), tr("[TEXT]"), 0, 1, foil},
      {QStringLiteral("zoom"), tr("PLOT X0 X1 Y0 Y1"), 5, 5, zoom},
      {QStringLiteral("undo"), {}, 0, 0, undo},
      {QStringLiteral("export"),
       tr("figure NAME FILE [size WxHmm] [style NAME] [dpi N] | data KIND FILE | what-ifs FILE | report FILE | plots "
          "FOLDER"),
       2, any_number, export_something},
      {QStringLiteral("save"), tr("FOLDER | session FILE | state FILE"), 1, 2, save},
      {QStringLiteral("screenshot"), tr("[PANEL | bench] FILE"), 1, 2, screenshot},
      {QStringLiteral("theme"), tr("light | dark"), 1, 1, theme},
      {QStringLiteral("quit"), {}, 0, 0, {}},
  };
  return verbs;
}

const ScriptVerb& verb_of(const Statement& statement) {
  const QString& word = statement.words[0];
  const auto count = static_cast<int>(statement.words.size()) - 1;
  QStringList names;
  for (const ScriptVerb& verb : script_verbs()) {
    names += verb.name;
    if (verb.name != word) continue;
    if (count >= verb.least && count <= verb.most) return verb;
    refuse(word, tr("has %1 arguments, which is too few or too many").arg(count),
           tr("Write: %1 %2").arg(verb.name, verb.usage));
  }
  refuse(word, tr("is an unknown script command"), tr("The commands are %1.").arg(names.join(QStringLiteral(", "))));
}

}  // namespace carryover
