// SPDX-License-Identifier: GPL-3.0-or-later
// The part of SessionKeeper that looks at the window: what is to be kept of it.
#include <QFileInfo>
#include <algorithm>

#include "app/saved_window/session_keeper.h"
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

}  // namespace

SessionState SessionKeeper::capture() {
  SessionState state = state_;
  capture_opened(state);
  capture_views(state);
  capture_runs(state);
  capture_training(state);
  state.experiment = lab_.experiments.model().folder();
  state.evaluation = lab_.evaluations.model().folder();
  capture_prompts(state);
  state.unsaved = !state.file.isEmpty() && !state.same_work(saved_);
  state.untouched = is_untouched(state);
  return state;
}

void SessionKeeper::capture_prompts(SessionState& state) {
  state.prompts = lab_.prompts.folder();
  state.prompt_order = window_.docks().find<PromptsPanel>().form().order();
  for (QString* path : {&state.prompt_order.prompts, &state.prompt_order.out})
    if (!path->isEmpty()) *path = QFileInfo(*path).absoluteFilePath();
}

// Captures the open model and text. Where no model is open, the last known one stays: it may only be out of reach, or
// still loading.
void SessionKeeper::capture_opened(SessionState& state) {
  if (lab_.loader.loading()) return;
  if (!engine_is_declined() && state.engine != lab_.engine.command()) {  // which has models of its own
    state.engine = lab_.engine.command();
    state.model.clear();
    state.adapter.clear();
    state.weights.clear();
    state.dtype = DType::Auto;
    state.document.clear();
  }
  if (const auto& model = lab_.loader.model()) {
    state.model = QString::fromStdString(model->info.path);
    state.adapter = QString::fromStdString(model->info.adapter);
    state.weights = model->info.weights_hash;
    state.dtype = model->info.dtype;
    state.document = lab_.context.document().file();
  }
  if (const auto& text = lab_.loader.text()) {
    state.text = text->contents ? text_ : text->name;
    state.text_name = text->contents ? text->name : QString();
  }
}

void SessionKeeper::capture_views(SessionState& state) {
  LabContext& context = lab_.context;
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
  state.geometry = window_.saveGeometry();
  state.layout = window_.saveState();
}

// Captures the runs. A run on show without a file is a training's step, or a run before its first segment: then the run
// before it comes back, unless it was removed from the list.
void SessionKeeper::capture_runs(SessionState& state) {
  const RunLibrary& library = lab_.context.library();
  state.runs.clear();
  for (int i = 0; i < library.count(); ++i) state.runs.push_back(library.run(i));
  if (const QString& place = lab_.runs.place(); !place.isEmpty()) {
    state.run_folder = QString::fromStdString(lab_.context.run().origin().folder);
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
void SessionKeeper::capture_training(SessionState& state) {
  const TrainingRuns& runs = lab_.context.training();
  const TrainingModel* started = lab_.training.training();
  const bool here = lab_.engine.command().isEmpty();
  const bool planned = here && started != nullptr && !QFileInfo::exists(started->directory());
  state.trainings.clear();
  for (int i = 0; i < runs.count(); ++i)
    if (!planned || &runs.run(i) != started) state.trainings += runs.run(i).directory();
  if (FinetuneDialog* dialog = window_.dialogs().finetune()) {
    fill_in(state.finetune, dialog->form());
  } else {
    state.finetune = planned ? plan_json(started->plan()) : nlohmann::json();
  }
  state.typed = FormMemory::typed(window_);
}

}  // namespace carryover
