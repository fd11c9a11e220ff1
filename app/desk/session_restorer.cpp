// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desk/session_restorer.h"

#include <QFileInfo>

#include "engine/core/error.h"
#include "widgets/finetune_dialog.h"
#include "widgets/plan_form.h"

namespace carryover {

SessionRestorer::SessionRestorer(MainWindow& window, const SessionState& state, QObject* parent)
    : QObject(parent), window_(window), state_(state) {}

void SessionRestorer::start() {
  LabContext& context = window_.context();
  window_.controller().stop();
  context.set_run_options(state_.options);
  context.notebook().restore(state_.notes, state_.bookmarks);
  if (!state_.geometry.isEmpty()) window_.restoreGeometry(state_.geometry);
  if (!state_.layout.isEmpty()) window_.restoreState(state_.layout);
  for (const QString& folder : state_.trainings) {
    if (QFileInfo::exists(folder)) {
      window_.training().open_folder(folder);
    } else {
      context.add_note(tr("The training run %1 is no longer there").arg(folder), true);
    }
  }
  start_loading();
}

void SessionRestorer::start_loading() {
  RunController& controller = window_.controller();
  const auto& open = controller.model();
  const bool same = open && open->info.path == state_.model.toStdString() &&
                    open->info.adapter == state_.adapter.toStdString() && !controller.loading();
  loading_ = true;
  connect(&controller, &RunController::state_changed, this, &SessionRestorer::go_on);
  if (!same && !state_.model.isEmpty()) controller.open_model(state_.model, state_.adapter);
  if (!state_.text.isEmpty()) controller.open_text(state_.text, state_.text_name);
  if (!controller.loading()) go_on();
}

// Called at each change of the engine's state: goes on once everything is loaded, or could not be.
void SessionRestorer::go_on() {
  const RunController& controller = window_.controller();
  if (!loading_ || controller.loading() || controller.state() != RunController::State::Idle) return;
  loading_ = false;
  apply_config();
  const bool model_is_there = controller.model() && controller.model()->info.path == state_.model.toStdString();
  if (model_is_there && !state_.run.isEmpty() && QFileInfo::exists(state_.run)) return Q_EMIT run_wanted(state_.run);
  finish(false);
}

void SessionRestorer::apply_config() {
  LabContext& context = window_.context();
  context.set_run_options(state_.options);  // again: what a new model changed in them
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

void SessionRestorer::show_run(const std::shared_ptr<const JournaledRun>& run) {
  const auto& model = window_.controller().model();
  const bool fits = run && model && run->weights_hash == model->info.weights_hash;
  if (run && !fits)
    window_.context().add_note(tr("The model's weights have changed since the session's run; run the text again"),
                               true);
  if (fits) {
    window_.controller().show(QString::fromStdString(run->text), run->request, run->outline, run->segments,
                              run->summary);
    const RunModel& shown = window_.context().run();
    if (!run->summary)
      window_.context().add_note(tr("The run was cut off after %1 of %2 segments; Run does it anew")
                                     .arg(shown.segment_count())
                                     .arg(shown.expected_segments()));
  }
  finish(fits);
}

void SessionRestorer::finish(bool run_shown) {
  LabContext& context = window_.context();
  if (run_shown && state_.selection.segment < context.run().segment_count()) context.select(state_.selection);
  if (state_.finetune.is_object()) {
    PlanForm& form = window_.open_finetune()->form();
    form.set_fields(state_.finetune);
    Q_EMIT form.changed();
  }
  Q_EMIT done(run_shown);
}

}  // namespace carryover
