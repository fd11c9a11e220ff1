// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/script/script_work.h"

#include <QDir>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/saved_window/session_keeper.h"
#include "app/window/identity_bar.h"
#include "engine/base/error.h"
#include "engine/training/records/training_plan.h"
#include "widgets/runs/state/model_label.h"
#include "widgets/text/state/passages.h"
#include "widgets/text/state/questions.h"
#include "widgets/training/finetune_dialog.h"
#include "widgets/training/plan_form.h"

namespace carryover {
namespace {

void check_preset(const QString& name) {
  QStringList names;
  for (const TrainingPreset& preset : training_presets()) names += QString::fromStdString(preset.name);
  if (!names.contains(name))
    refuse(name, tr("is not a preset"), tr("The presets are %1.").arg(names.join(QStringLiteral(", "))));
}

SessionKeeper& keeper_of(MainWindow& window) {
  if (auto* keeper = window.findChild<SessionKeeper*>()) return *keeper;
  refuse(tr("session"), tr("this window has no session file"), tr("Run the script in the program's own window."));
}

/// Done when `signal` comes; what goes wrong before is thrown.
template <typename Signal>
Pending until(SessionKeeper& keeper, Signal signal) {
  struct State {
    bool done = false;
    std::optional<ErrorReport> problem;
    QObject guard;  ///< ends the connections with the waiting
  };
  const auto state = std::make_shared<State>();
  QObject::connect(&keeper, signal, &state->guard, [raw = state.get()] { raw->done = true; });
  QObject::connect(&keeper, &SessionKeeper::failed, &state->guard,
                   [raw = state.get()](const ErrorReport& report) { raw->problem = report; });
  return [state] {
    if (state->problem)
      throw EngineError(state->problem->fault, state->problem->where.toStdString(),
                        state->problem->problem.toStdString(), state->problem->advice.toStdString());
    return state->done;
  };
}

/// Its failure ends the script by Lab::failed().
Pending until_free(const EngineJob& job) {
  return [&job] { return !job.active(); };
}

}  // namespace

Pending finetune_by_words(MainWindow& window, const QStringList& words) {
  if (words.size() % 2 != 0) refuse(words.last(), tr("has no value"), tr("Write the value after the name."));
  check_preset(words[0]);
  if (!engine_is_idle(window.lab()))
    refuse(QStringLiteral("finetune"), tr("the engine is busy"), tr("Wait until the engine is idle."));
  FinetuneDialog& dialog = *window.dialogs().open_finetune();
  dialog.apply_preset(words[0]);
  nlohmann::json fields = dialog.form().fields();
  fields["output_dir"] = QDir::current().absoluteFilePath(words[1]).toStdString();
  for (int i = 2; i + 1 < words.size(); i += 2) fields[words[i].toStdString()] = json_of_word(words[i + 1]);
  dialog.set_plan(plan_from_json(fields, "finetune"));
  if (!dialog.problem().isEmpty()) refuse(QStringLiteral("finetune"), dialog.problem(), tr("Correct that field."));
  dialog.start();
  return [&window] { return engine_is_idle(window.lab()); };
}

Pending ask_by_words(MainWindow& window, const QStringList& words) {
  Questions& questions = window.lab().context.questions();
  if (!questions.unavailable().isEmpty())
    refuse(QStringLiteral("ask"), questions.unavailable(), tr("Run a text first, and wait."));
  const Pending answered = [&questions, &window] { return !questions.running() && engine_is_idle(window.lab()); };
  if (words.size() == 1) {
    questions.ask(words[0]);
    return answered;
  }
  const std::vector<Passage> all = questions.all().empty() || questions.all().back().hits.empty()
                                       ? std::vector<Passage>()
                                       : passages_of(questions.all().back().hits.front());
  const bool without = words[0] == QStringLiteral("without");
  const int number = words[1].toInt();
  if ((!without && words[0] != QStringLiteral("alone")) || number < 1 || number > static_cast<int>(all.size()))
    refuse(QStringLiteral("ask"), tr("the last question has no passage “%1”").arg(words[1]),
           tr("Write: ask without N, or ask alone N."));
  const auto row = static_cast<std::size_t>(number - 1);
  questions.ask_without(without ? positions_of(all[row]) : positions_of_others(all, row));
  return answered;
}

Pending open_session_file(MainWindow& window, const QString& path) {
  SessionKeeper& keeper = keeper_of(window);
  Pending opened = until(keeper, &SessionKeeper::session_opened);
  keeper.open_session(path);
  return opened;
}

Pending save_session_file(MainWindow& window, const QString& path) {
  SessionKeeper& keeper = keeper_of(window);
  Pending saved = until(keeper, &SessionKeeper::session_saved);
  keeper.save_session(path);
  return saved;
}

Pending open_state_file(MainWindow& window, const QString& path) {
  DocumentController& documents = window.lab().documents;
  documents.open(path);
  return until_free(documents);
}

Pending save_state_file(MainWindow& window, const QString& path) {
  DocumentController& documents = window.lab().documents;
  documents.save(path);
  return until_free(documents);
}

QString identity_text(MainWindow& window) {
  const auto& model = window.lab().loader.model();
  QStringList lines{window.identity().chip()};
  if (model) lines += model_details(model->info);
  if (!window.identity().badge().isEmpty()) lines += window.identity().badge();
  if (const OpenDocument& document = window.lab().context.document(); document.is_open()) lines += document.details();
  return lines.join(u'\n');
}

}  // namespace carryover
