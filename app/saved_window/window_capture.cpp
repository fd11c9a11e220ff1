// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/window_capture.h"

#include <QFileInfo>
#include <algorithm>

#include "app/saved_window/kept_what_ifs.h"
#include "engine/base/error.h"
#include "engine/training/records/training_plan.h"
#include "widgets/campaigns/prompts_form.h"
#include "widgets/campaigns/prompts_panel.h"
#include "widgets/look/form_memory.h"
#include "widgets/training/finetune_dialog.h"
#include "widgets/training/plan_form.h"

namespace carryover {
namespace {

/// A field that holds half a number stays as it was before.
void fill_in(nlohmann::json& fields, const PlanForm& form) {
  if (!fields.is_object()) fields = nlohmann::json::object();
  for (const PlanGroup& group : plan_groups())
    for (const PlanField& field : group.fields)
      if (const PlanFieldEditor* editor = form.editor(QLatin1String(field.key)))
        attempt([&] { fields[field.key] = editor->value(); });
}

void capture_prompts(MainWindow& window, SessionState& state) {
  state.prompts = window.lab().prompts.folder();
  state.prompt_order = window.docks().find<PromptsPanel>().form().order();
  for (QString* path : {&state.prompt_order.prompts, &state.prompt_order.out})
    if (!path->isEmpty()) *path = QFileInfo(*path).absoluteFilePath();
}

// Captures the open model and text. Where no model is open, the last known one stays: it may only be out of reach, or
// still loading.
void capture_opened(Lab& lab, const QString& own_text, SessionState& state) {
  if (lab.loader.loading()) return;
  if (!engine_is_declined(state, lab) && state.engine != lab.engine.command()) {  // which has models of its own
    state.engine = lab.engine.command();
    state.model.clear();
    state.adapter.clear();
    state.weights.clear();
    state.dtype = DType::Auto;
    state.document.clear();
  }
  if (const auto& model = lab.loader.model()) {
    state.model = QString::fromStdString(model->info.path);
    state.adapter = QString::fromStdString(model->info.adapter);
    state.weights = model->info.weights_hash;
    state.dtype = model->info.dtype;
    state.document = lab.context.document().file();
  }
  if (const auto& text = lab.loader.text()) {
    state.text = text->contents ? own_text : text->name;
    state.text_name = text->contents ? text->name : QString();
  }
}

void capture_views(MainWindow& window, SessionState& state) {
  LabContext& context = window.lab().context;
  if (context.model()) state.config = context.config();
  state.options = context.run_options();
  state.selection = context.selected();
  state.pinned = context.pinned();
  state.range = context.range();
  state.draft = context.what_ifs().draft();
  state.foil = context.foil().text();
  const int left_out = static_cast<int>(context.what_ifs().results().size()) - most_kept_what_ifs;
  state.shown_what_if = std::max(-1, context.what_ifs().shown() - std::max(0, left_out));
  state.notes = context.notebook().text();
  state.bookmarks = context.notebook().bookmarks();
  state.geometry = window.saveGeometry();
  state.layout = window.saveState();
}

// Captures the runs. A run on show without a file is a training's step, or a run before its first segment: then the run
// before it comes back, unless it was removed from the list.
void capture_runs(Lab& lab, SessionState& state) {
  const RunLibrary& library = lab.context.library();
  state.runs.clear();
  for (int i = 0; i < library.count(); ++i) state.runs.push_back(library.run(i));
  if (const QString& place = lab.runs.place(); !place.isEmpty()) {
    state.run_folder = QString::fromStdString(lab.context.run().origin().folder);
    state.run = place == state.run_folder ? QString() : place;
  }
  if (library.index_of(state.run.isEmpty() ? state.run_folder : state.run) < 0) {
    state.run.clear();
    state.run_folder.clear();
  }
  if (library.index_of(state.pinned_run) >= 0) return;
  state.pinned_run.clear();
  state.pinned_segments = 0;
}

// A training that has no folder yet is a plan: it comes back as the dialog.
void capture_training(MainWindow& window, SessionState& state) {
  Lab& lab = window.lab();
  const TrainingRuns& runs = lab.context.training();
  const TrainingModel* started = lab.training.training();
  const bool here = lab.engine.command().isEmpty();
  const bool planned = here && started != nullptr && !QFileInfo::exists(started->directory());
  state.trainings.clear();
  for (int i = 0; i < runs.count(); ++i)
    if (!planned || &runs.run(i) != started) state.trainings += runs.run(i).directory();
  if (FinetuneDialog* dialog = window.dialogs().finetune()) {
    fill_in(state.finetune, dialog->form());
  } else {
    state.finetune = planned ? plan_json(started->plan()) : nlohmann::json();
  }
  state.typed = FormMemory::typed(window);
}

}  // namespace

bool engine_is_declined(const SessionState& state, const Lab& lab) {
  return !state.engine.isEmpty() && lab.engine.command().isEmpty() && !lab.loader.model();
}

SessionState captured(MainWindow& window, SessionState state, const QString& own_text) {
  Lab& lab = window.lab();
  capture_opened(lab, own_text, state);
  capture_views(window, state);
  capture_runs(lab, state);
  capture_training(window, state);
  state.experiment = lab.experiments.model().folder();
  state.evaluation = lab.evaluations.model().folder();
  capture_prompts(window, state);
  return state;
}

}  // namespace carryover
