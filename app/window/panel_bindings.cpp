// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panel_bindings.h"

#include "app/window/lab_dialogs.h"
#include "app/window/panel_docks.h"
#include "widgets/campaigns/evaluations_panel.h"
#include "widgets/campaigns/experiments_panel.h"
#include "widgets/campaigns/prompts_form.h"
#include "widgets/campaigns/prompts_panel.h"
#include "widgets/heads/head_discovery_panel.h"
#include "widgets/heads/head_probe_form.h"
#include "widgets/heads/recall_heads_form.h"
#include "widgets/heads/recall_heads_panel.h"
#include "widgets/panels/log_panel.h"
#include "widgets/runs/runs_panel.h"
#include "widgets/training/audit_panel.h"
#include "widgets/training/training_panel.h"
#include "widgets/training/training_runs_panel.h"

namespace carryover {
namespace {

/// Calls `tell` now, and whenever the open text or what keeps the engine busy may be another one.
template <typename Tell>
void tell_of_engine(Lab& lab, QObject* listener, Tell tell) {
  QObject::connect(&lab.runs, &RunController::state_changed, listener, tell);
  QObject::connect(&lab.loader, &ModelLoader::model_changed, listener, tell);
  QObject::connect(&lab.loader, &ModelLoader::text_opened, listener, tell);
  tell();
}

/// Returns the reason why the engine can't be asked for anything now; empty: it can. If a run is shown without its
/// model, the LabContext keeps the shape of that model.
QString why_not_now(const Lab& lab) {
  const QString busy = lab.runs.why_engine_is_busy();
  return busy.isEmpty() && !lab.loader.model() ? RunController::tr("no model is open") : busy;
}

void bind_training(Lab& lab, PanelDocks& docks, LabDialogs& dialogs) {
  auto* live = static_cast<TrainingPanel*>(docks.panel("training"));
  QObject::connect(live, &TrainingPanel::pause_wanted, &lab.training, &TrainController::pause);
  QObject::connect(live, &TrainingPanel::resume_wanted, &lab.training, &TrainController::resume);
  QObject::connect(live, &TrainingPanel::stop_wanted, &lab.training, &TrainController::stop);
  QObject::connect(&lab.context.training(), &TrainingRuns::added, live, [&docks] { docks.raise("training"); });
  auto* runs = static_cast<TrainingRunsPanel*>(docks.panel("training_runs"));
  QObject::connect(runs, &TrainingRunsPanel::finetune_wanted, &dialogs, &LabDialogs::open_finetune);
  QObject::connect(runs, &TrainingRunsPanel::open_wanted, &lab.training, &TrainController::open_folder);
  QObject::connect(runs, &TrainingRunsPanel::resume_wanted, &lab.training, &TrainController::resume_run);
}

void bind_runs(Lab& lab, PanelDocks& docks) {
  auto* panel = static_cast<RunsPanel*>(docks.panel("runs"));
  LibraryController* library = &lab.library;
  QObject::connect(panel, &RunsPanel::open_wanted, library, &LibraryController::open);
  QObject::connect(panel, &RunsPanel::compare_wanted, library, &LibraryController::compare);
  QObject::connect(panel, &RunsPanel::resume_wanted, library, &LibraryController::resume);
  QObject::connect(panel, &RunsPanel::remove_wanted, library, &LibraryController::remove);
  QObject::connect(panel, &RunsPanel::take_back_wanted, library, &LibraryController::take_back);
  QObject::connect(library, &LibraryController::panel_wanted, panel, [&docks](const QString& id) { docks.raise(id); });
  QObject::connect(&lab.runs, &RunController::pair_opened, panel, [&docks] { docks.raise("compare"); });
  const auto tell_shown = [&lab, panel] { panel->set_shown(lab.runs.place()); };
  QObject::connect(&lab.context.run(), &RunModel::reset, panel, tell_shown);
  for (const auto signal : {&RunController::run_kept, &RunController::run_shown})
    QObject::connect(&lab.runs, signal, panel, tell_shown);
}

void bind_experiments(Lab& lab, PanelDocks& docks, LabDialogs& dialogs) {
  auto* panel = static_cast<ExperimentsPanel*>(docks.panel("experiments"));
  ExperimentController* experiments = &lab.experiments;
  panel->set_model(experiments->model());
  QObject::connect(panel, &ExperimentsPanel::open_wanted, experiments, &ExperimentController::open);
  QObject::connect(panel, &ExperimentsPanel::stop_wanted, experiments, &ExperimentController::stop);
  QObject::connect(panel, &ExperimentsPanel::continue_wanted, experiments, &ExperimentController::go_on);
  QObject::connect(panel, &ExperimentsPanel::cell_wanted, experiments, &ExperimentController::open_cell);
  QObject::connect(panel, &ExperimentsPanel::pin_wanted, experiments, &ExperimentController::pin_cell);
  QObject::connect(panel, &ExperimentsPanel::compare_wanted, experiments, &ExperimentController::compare_cells);
  QObject::connect(panel, &ExperimentsPanel::run_wanted, &dialogs, [&dialogs] { dialogs.open_experiment({}); });
  QObject::connect(experiments, &ExperimentController::request_wanted, &dialogs, &LabDialogs::open_experiment);
  QObject::connect(experiments, &ExperimentController::continue_wanted, &dialogs, &LabDialogs::ask_to_continue);
  QObject::connect(experiments, &ExperimentController::started, panel, [&docks] { docks.raise("experiments"); });
}

void bind_evaluations(Lab& lab, PanelDocks& docks, LabDialogs& dialogs) {
  auto* panel = static_cast<EvaluationsPanel*>(docks.panel("evaluations"));
  EvaluationController* evaluations = &lab.evaluations;
  panel->set_model(evaluations->model());
  QObject::connect(panel, &EvaluationsPanel::open_wanted, evaluations, &EvaluationController::open);
  QObject::connect(panel, &EvaluationsPanel::stop_wanted, evaluations, &EvaluationController::stop);
  QObject::connect(panel, &EvaluationsPanel::continue_wanted, evaluations, &EvaluationController::go_on);
  QObject::connect(panel, &EvaluationsPanel::sample_wanted, evaluations, &EvaluationController::open_sample);
  QObject::connect(panel, &EvaluationsPanel::references_wanted, evaluations, &EvaluationController::make_references);
  QObject::connect(panel, &EvaluationsPanel::run_wanted, &dialogs, &LabDialogs::open_evaluation);
  QObject::connect(evaluations, &EvaluationController::request_wanted, &dialogs, &LabDialogs::show_evaluation);
  QObject::connect(evaluations, &EvaluationController::started, panel, [&docks] { docks.raise("evaluations"); });
}

void bind_audits(Lab& lab, AuditPanel* audit) {
  QObject::connect(audit, &AuditPanel::audit_wanted, &lab.audits, &AuditController::start);
  QObject::connect(audit, &AuditPanel::cancel_wanted, &lab.audits, &AuditController::cancel);
  QObject::connect(&lab.audits, &AuditController::started, audit, &AuditPanel::begin);
  QObject::connect(&lab.audits, &AuditController::progressed, audit, &AuditPanel::set_progress);
  QObject::connect(&lab.audits, &AuditController::done, audit, &AuditPanel::show_report);
  QObject::connect(&lab.audits, &AuditController::ended, audit, &AuditPanel::end);
  QObject::connect(&lab.memory, &DeviceMemory::changed, audit,
                   [&lab, audit] { audit->set_free_memory(lab.memory.free_bytes()); });
  tell_of_engine(lab, audit, [&lab, audit] {
    const auto& text = lab.loader.text();
    audit->set_has_model(lab.loader.model().has_value());
    audit->set_text(text ? text->name : QString(), text ? std::ssize(*text->ids) : 0);
    const QString busy = lab.runs.why_engine_is_busy();
    audit->set_engine_busy(busy.isEmpty() ? lab.context.settings_problem() : busy);
  });
}

void bind_head_discovery(Lab& lab, HeadDiscoveryPanel* heads) {
  HeadProbeForm* form = &heads->form();
  QObject::connect(form, &HeadProbeForm::profile_wanted, &lab.head_profiles, &HeadProfileController::start);
  QObject::connect(form, &HeadProbeForm::cancel_wanted, &lab.head_profiles, &HeadProfileController::cancel);
  QObject::connect(&lab.head_profiles, &HeadProfileController::started, heads, &HeadDiscoveryPanel::begin);
  QObject::connect(&lab.head_profiles, &HeadProfileController::progressed, form, &HeadProbeForm::set_progress);
  QObject::connect(&lab.head_profiles, &HeadProfileController::done, heads, &HeadDiscoveryPanel::show_profile);
  QObject::connect(&lab.head_profiles, &HeadProfileController::ended, heads, &HeadDiscoveryPanel::end);
  QObject::connect(heads, &HeadDiscoveryPanel::failed, &lab,
                   [&lab](const EngineError& error) { Q_EMIT lab.failed(report_of(error)); });
  tell_of_engine(lab, form, [&lab, form] {
    const auto& text = lab.loader.text();
    form->set_text_tokens(text ? std::ssize(*text->ids) : 0);
    form->set_engine_busy(why_not_now(lab));
  });
}

void bind_recall_heads(Lab& lab, RecallHeadsPanel* panel) {
  RecallHeadsForm* form = &panel->form();
  const auto tell_unfinished = [&lab, form] { form->set_unfinished(lab.recall_heads.has_unfinished(form->order())); };
  QObject::connect(form, &RecallHeadsForm::search_wanted, &lab.recall_heads, &RecallHeadsController::start);
  QObject::connect(form, &RecallHeadsForm::cancel_wanted, &lab.recall_heads, &RecallHeadsController::cancel);
  QObject::connect(form, &RecallHeadsForm::order_changed, &lab.recall_heads, tell_unfinished);
  QObject::connect(&lab.recall_heads, &RecallHeadsController::started, form, &RecallHeadsForm::begin);
  QObject::connect(&lab.recall_heads, &RecallHeadsController::progressed, form, &RecallHeadsForm::set_progress);
  QObject::connect(&lab.recall_heads, &RecallHeadsController::found, panel, &RecallHeadsPanel::show_heads);
  QObject::connect(&lab.recall_heads, &RecallHeadsController::ended, form, [form, tell_unfinished] {
    form->end();
    tell_unfinished();
  });
  tell_of_engine(lab, form, [&lab, form, tell_unfinished] {
    const auto& text = lab.loader.text();
    form->set_open_text(text && !text->contents ? text->name : QString());
    form->set_engine_busy(why_not_now(lab));
    tell_unfinished();  // of another model, or of another open text
  });
}

void bind_prompts(Lab& lab, const PanelDocks& docks) {
  auto* panel = static_cast<PromptsPanel*>(docks.panel("prompts"));
  PromptsController* prompts = &lab.prompts;
  PromptsForm* form = &panel->form();
  QObject::connect(form, &PromptsForm::run_wanted, prompts, &PromptsController::start);
  QObject::connect(form, &PromptsForm::stop_wanted, prompts, &PromptsController::stop);
  QObject::connect(panel, &PromptsPanel::open_wanted, prompts, &PromptsController::open);
  QObject::connect(panel, &PromptsPanel::example_wanted, &lab.runs, &RunController::open_run);
  QObject::connect(panel, &PromptsPanel::pair_wanted, &lab.runs, &RunController::open_pair);
  QObject::connect(prompts, &PromptsController::opened, panel,
                   [panel](const QString& folder) { panel->set_report(folder, nullptr); });
  QObject::connect(prompts, &PromptsController::reported, panel, &PromptsPanel::set_report);
  QObject::connect(prompts, &PromptsController::unreadable, panel, &PromptsPanel::set_problem);
  QObject::connect(prompts, &PromptsController::progressed, panel, &PromptsPanel::set_progress);
  const auto tell = [prompts, form] { form->set_unavailable(prompts->unavailable()); };
  QObject::connect(&lab.loader, &ModelLoader::model_changed, form, tell);
  QObject::connect(&lab.engine, &EngineConnection::changed, form, tell);
  QObject::connect(&lab.context, &LabContext::settings_problem_changed, form, tell);
  tell();
}

void bind_log(LabContext& context, LogPanel* log) {
  QObject::connect(&context, &LabContext::noted, log, [log](const QString& text, bool is_error) {
    log->append_line(is_error ? LogLevel::Error : LogLevel::Info, text);
  });
}

}  // namespace

void bind_panels(Lab& lab, PanelDocks& docks, LabDialogs& dialogs) {
  bind_log(lab.context, static_cast<LogPanel*>(docks.panel("log")));
  bind_training(lab, docks, dialogs);
  bind_runs(lab, docks);
  bind_experiments(lab, docks, dialogs);
  bind_evaluations(lab, docks, dialogs);
  bind_prompts(lab, docks);
  bind_audits(lab, static_cast<AuditPanel*>(docks.panel("audit")));
  bind_head_discovery(lab, static_cast<HeadDiscoveryPanel*>(docks.panel("head_discovery")));
  bind_recall_heads(lab, static_cast<RecallHeadsPanel*>(docks.panel("recall_heads")));
}

}  // namespace carryover
