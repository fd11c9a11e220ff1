// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/session_restorer.h"

#include <QFileInfo>
#include <QPointer>
#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "widgets/campaigns/prompts_form.h"
#include "widgets/campaigns/prompts_panel.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/form_memory.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/training/finetune_dialog.h"
#include "widgets/training/plan_form.h"

namespace carryover {

SessionRestorer::SessionRestorer(MainWindow& window, const SessionState& state, AskEngine ask_engine, QObject* parent)
    : QObject(parent), window_(window), lab_(window.lab()), state_(state), ask_engine_(std::move(ask_engine)) {}

void SessionRestorer::start() {
  LabContext& context = lab_.context;
  lab_.runs.stop();
  lab_.documents.close();
  lab_.set_options_of_next_model(opening_options());
  context.unpin_run();
  context.questions().clear();
  context.library().restore(state_.runs);
  context.notebook().restore(state_.notes, state_.bookmarks);
  context.undo_stack().clear();  // an edit holds all bookmarks or settings, which would take the place of these
  if (!state_.geometry.isEmpty()) window_.restoreGeometry(state_.geometry);
  if (!state_.layout.isEmpty()) window_.restore_layout(state_.layout);
  for (const QString& folder : state_.trainings) {
    if (QFileInfo::exists(folder)) {
      lab_.training.open_folder(folder);
    } else {
      context.add_note(tr("The training run %1 is not on this machine, or no longer").arg(folder), true);
    }
  }
  if (!state_.experiment.isEmpty() && !lab_.experiments.process().running()) lab_.experiments.open(state_.experiment);
  if (!state_.evaluation.isEmpty() && !lab_.evaluations.process().running()) lab_.evaluations.open(state_.evaluation);
  if (!lab_.prompts.process().running()) {
    window_.docks().find<PromptsPanel>().form().set_order(state_.prompt_order);
    if (!state_.prompts.isEmpty()) lab_.prompts.open(state_.prompts);
  }
  choose_engine();
}

/// The session's own, but that the model is loaded in the dtype that its numbers were made in, also where that was left
/// to the program.
RunOptions SessionRestorer::opening_options() const {
  RunOptions options = state_.options;
  if (options.dtype == DType::Auto) options.dtype = state_.dtype;
  return options;
}

/// The file may be anybody's: a command that it names is started only where the user allows it. One that the window
/// uses already was allowed.
void SessionRestorer::choose_engine() {
  if (state_.engine == lab_.engine.command()) return start_loading();
  const auto answer = [this, alive = QPointer(this)](bool start) {
    if (!alive) return;
    lab_.engine.use(start ? state_.engine : QString());  // the open model goes in both cases
    if (!start) state_.model.clear();                    // its path is of the engine's machine
    start_loading();
  };
  if (state_.engine.isEmpty()) return answer(true);
  if (!ask_engine_) return answer(false);
  ask_engine_(state_.engine, answer);
}

void SessionRestorer::start_loading() {
  const auto& open = lab_.loader.model();
  const RunOptions wanted = opening_options();
  const bool same = open && open->info.path == state_.model.toStdString() &&
                    open->info.adapter == state_.adapter.toStdString() &&
                    (state_.weights.empty() || open->info.weights_hash == state_.weights) &&
                    (wanted.dtype == DType::Auto || open->info.dtype == wanted.dtype) &&
                    (wanted.device == Device::Auto || open->info.device == wanted.device) && !lab_.loader.loading();
  loading_ = true;
  connect(&lab_.runs, &RunController::state_changed, this, &SessionRestorer::go_on);
  if (!same && !state_.model.isEmpty()) lab_.loader.open_model(state_.model, state_.adapter);
  if (!state_.text.isEmpty()) lab_.loader.open_text(state_.text, state_.text_name);
  if (!lab_.loader.loading()) go_on();
}

// Called at each change of the engine's state: continues once everything is loaded, or could not be.
void SessionRestorer::go_on() {
  if (!loading_ || lab_.loader.loading() || lab_.runs.state() != RunController::State::Idle) return;
  loading_ = false;
  // The options are set as the user chose them, even if a new model has changed them. The model stays as it was loaded.
  lab_.set_options_of_next_model(state_.options);
  compare_weights();
  Q_EMIT files_wanted(lab_.loader.model() ? lab_.loader.model()->info.weights_hash : std::string());
}

/// Files may have changed since: what was recorded is shown, and nothing is computed for it under other weights.
void SessionRestorer::compare_weights() {
  const auto& open = lab_.loader.model();
  if (!open || state_.weights.empty() || state_.model.isEmpty() || open->info.weights_hash == state_.weights) return;
  say(tr("the session was saved with the weights %1, and these are %2")
          .arg(QString::fromStdString(state_.weights), QString::fromStdString(open->info.weights_hash)),
      tr("The recorded results are shown. Restore the files that it was saved with, or run the text again."));
}

void SessionRestorer::say(const QString& problem, const QString& advice) {
  const QString where = state_.adapter.isEmpty() ? state_.model : state_.model + QStringLiteral(" + ") + state_.adapter;
  window_.show_error({Fault::BadInput, where, problem, advice});
}

void SessionRestorer::go_on_with(const std::shared_ptr<const KeptFiles>& files) {
  forget_other_runs();
  show_pinned(files->pinned);
  if (files->run) show_run(*files->run);
  apply_config();
  if (files->run) select();
  show_what_ifs(files->what_ifs, files->run.has_value());
  lab_.context.questions().restore(files->questions);
  open_dialog();
  open_document();
}

/// Another session's, which this one's settings and notes are not of. Not before here: a run had to stop first.
void SessionRestorer::forget_other_runs() {
  RunDigests& digests = lab_.context.digests();
  lab_.runs.close_run();
  while (digests.count() > 0) digests.remove(digests.count() - 1);
}

void SessionRestorer::show(const KeptRun& kept) {
  const auto& model = lab_.loader.model();
  const RunContents& run = kept.run.contents;
  const bool fits = model && model->info.weights_hash == run.description.model.weights_hash;
  lab_.runs.show_run(kept.place, run, fits ? model->tokenizer : kept.tokenizer);
}

void SessionRestorer::show_pinned(const std::optional<KeptRun>& kept) {
  if (!kept) return;
  KeptRun pinned = *kept;
  pinned.run.contents.outline->cut(state_.pinned_segments);
  show(pinned);
  lab_.context.pin_run();
}

void SessionRestorer::show_run(const KeptRun& kept) {
  LabContext& context = lab_.context;
  const auto& model = lab_.loader.model();
  show(kept);
  if (model && model->info.weights_hash != kept.run.contents.description.model.weights_hash)
    context.add_note(tr("The session's run was made with the weights %1, and the open model has %2; run the text again")
                         .arg(QString::fromStdString(kept.run.contents.description.model.weights_hash),
                              QString::fromStdString(model->info.weights_hash)),
                     true);
  if (!kept.run.whole)
    context.add_note(filled(tr("The run was interrupted after %1 of %2 segments. Run repeats it."),
                            context.run().segment_count(), context.run().expected_segments()));
}

void SessionRestorer::apply_config() {
  LabContext& context = lab_.context;
  if (!context.model() || !state_.config.is_object()) return;
  try {
    SegmentConfig config = context.config();
    update_from_json(config, state_.config, "session");
    config.validate(*context.model(), "session");
    context.set_config(config);
  } catch (const EngineError& error) {
    context.add_note(tr("The session's settings don't fit the model: %1").arg(QString::fromUtf8(error.what())), true);
  }
}

/// Returns true if everything that the edit names is in the run.
bool SessionRestorer::fits(const SegmentEdit& edit) const {
  const RunModel& run = lab_.context.run();
  const ModelConfig& model = run.model().config;
  const auto has_slot = [&](const SlotRef& slot) {
    return slot.layer < model.layers && slot.head < model.heads && slot.position < run.token_count();
  };
  const auto has_head = [&](const HeadRef& head) { return head.layer < model.layers && head.head < model.heads; };
  const auto has_range = [&](const TokenRange& range) { return range.last <= run.token_count(); };
  return std::all_of(edit.dropped.begin(), edit.dropped.end(), has_slot) &&
         std::all_of(edit.added.begin(), edit.added.end(), has_slot) &&
         std::all_of(edit.banned.begin(), edit.banned.end(), has_range) &&
         std::all_of(edit.patched_heads.begin(), edit.patched_heads.end(), has_head);
}

void SessionRestorer::select() {
  LabContext& context = lab_.context;
  if (state_.selection.segment < context.run().segment_count()) context.select(state_.selection);
  if (state_.pinned.segment < context.run().segment_count()) context.pin(state_.pinned);
  if (state_.range.last < context.run().expected_segments()) context.set_range(state_.range);
  context.foil().set_text(state_.foil);
  if (fits(state_.draft)) return context.what_ifs().set_draft(state_.draft);
  context.add_note(tr("The session's what-if names positions that the run does not have; it was left out"), true);
}

void SessionRestorer::show_what_ifs(const std::vector<KeptWhatIf>& kept, bool run_shown) {
  std::vector<WhatIfResult> results;
  std::vector<bool> in_run;
  for (const KeptWhatIf& what_if : kept) {
    results.push_back(what_if.result);
    const RunModel& run = lab_.context.run();
    const bool of_its_weights =
        run_shown && what_if.result.provenance.contains(QString::fromStdString(run.model().weights_hash));
    in_run.push_back(of_its_weights && what_if.in_run && what_if.result.segment < lab_.context.run().segment_count());
  }
  WhatIfs& what_ifs = lab_.context.what_ifs();
  what_ifs.restore(std::move(results), in_run, state_.shown_what_if);
  // They may have been kept while another run was on show.
  if (run_shown) what_ifs.link(run_provenance(lab_.context.run()), lab_.context.run().segment_count());
}

void SessionRestorer::open_dialog() {
  FormMemory::restore(window_, state_.typed);
  if (!state_.finetune.is_object()) return;
  PlanForm& form = window_.dialogs().open_finetune()->form();
  form.set_fields(state_.finetune);  // read_session() has checked them
  Q_EMIT form.changed();
}

/// The last step, which takes a while.
void SessionRestorer::open_document() {
  if (state_.document.isEmpty() || !lab_.loader.model()) return Q_EMIT done();
  connect(&lab_.documents, &DocumentController::opened, this, &SessionRestorer::done);
  connect(&lab_.documents, &DocumentController::ended, this, &SessionRestorer::done);
  lab_.documents.open_again(state_.document);
}

}  // namespace carryover
