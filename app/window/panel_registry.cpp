// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panel_registry.h"

#include <QDataStream>
#include <QIODevice>

#include "app/controllers/lab.h"
#include "app/window/lab_dialogs.h"
#include "app/window/panel_docks.h"
#include "widgets/campaigns/evaluations_panel.h"
#include "widgets/campaigns/experiments_panel.h"
#include "widgets/campaigns/prompts_form.h"
#include "widgets/campaigns/prompts_panel.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/heads/head_discovery_panel.h"
#include "widgets/heads/head_grid_panel.h"
#include "widgets/heads/head_probe_form.h"
#include "widgets/heads/recall_heads_form.h"
#include "widgets/heads/recall_heads_panel.h"
#include "widgets/inspection/attention_panel.h"
#include "widgets/inspection/attribution_panel.h"
#include "widgets/inspection/carry_panel.h"
#include "widgets/inspection/hits_panel.h"
#include "widgets/inspection/prefix_panel.h"
#include "widgets/inspection/recall_panel.h"
#include "widgets/inspection/retrieval_map_panel.h"
#include "widgets/inspection/sinks_panel.h"
#include "widgets/inspection/tensors_panel.h"
#include "widgets/inspection/why_panel.h"
#include "widgets/panels/log_panel.h"
#include "widgets/runs/config_panel.h"
#include "widgets/runs/distance_panel.h"
#include "widgets/runs/loss_panel.h"
#include "widgets/runs/memory_panel.h"
#include "widgets/runs/runs_panel.h"
#include "widgets/runs/time_panel.h"
#include "widgets/text/ask_panel.h"
#include "widgets/text/notes_panel.h"
#include "widgets/text/passages_panel.h"
#include "widgets/text/text_panel.h"
#include "widgets/text/tokens_panel.h"
#include "widgets/training/audit_panel.h"
#include "widgets/training/reach_panel.h"
#include "widgets/training/training_panel.h"
#include "widgets/training/training_runs_panel.h"
#include "widgets/what_if/sweep_panel.h"
#include "widgets/what_if/what_if_panel.h"

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

/// Brings the panel to the front whenever `sender` signals.
template <typename Sender, typename Signal>
void raise_upon(const Sender* sender, Signal signal, Panel* panel, const WindowParts& window) {
  QObject::connect(sender, signal, panel, [panel, &docks = window.docks] { docks.raise(panel->objectName()); });
}

void bind_training(TrainingPanel* panel, const WindowParts& window) {
  Lab& lab = window.lab;
  QObject::connect(panel, &TrainingPanel::pause_wanted, &lab.training, &TrainController::pause);
  QObject::connect(panel, &TrainingPanel::resume_wanted, &lab.training, &TrainController::resume);
  QObject::connect(panel, &TrainingPanel::stop_wanted, &lab.training, &TrainController::stop);
  raise_upon(&lab.context.training(), &TrainingRuns::added, panel, window);
}

void bind_training_runs(TrainingRunsPanel* panel, const WindowParts& window) {
  TrainController* training = &window.lab.training;
  QObject::connect(panel, &TrainingRunsPanel::finetune_wanted, &window.dialogs, &LabDialogs::open_finetune);
  QObject::connect(panel, &TrainingRunsPanel::open_wanted, training, &TrainController::open_folder);
  QObject::connect(panel, &TrainingRunsPanel::resume_wanted, training, &TrainController::resume_run);
}

void bind_compare(ComparePanel* panel, const WindowParts& window) {
  raise_upon(&window.lab.runs, &RunController::pair_opened, panel, window);
}

void bind_runs(RunsPanel* panel, const WindowParts& window) {
  Lab& lab = window.lab;
  LibraryController* library = &lab.library;
  QObject::connect(panel, &RunsPanel::open_wanted, library, &LibraryController::open);
  QObject::connect(panel, &RunsPanel::compare_wanted, library, &LibraryController::compare);
  QObject::connect(panel, &RunsPanel::resume_wanted, library, &LibraryController::resume);
  QObject::connect(panel, &RunsPanel::remove_wanted, library, &LibraryController::remove);
  QObject::connect(panel, &RunsPanel::take_back_wanted, library, &LibraryController::take_back);
  QObject::connect(library, &LibraryController::panel_wanted, panel,
                   [&docks = window.docks](const QString& id) { docks.raise(id); });
  const auto tell_shown = [&lab, panel] { panel->set_shown(lab.runs.place()); };
  QObject::connect(&lab.context.run(), &RunModel::reset, panel, tell_shown);
  for (const auto signal : {&RunController::run_kept, &RunController::run_shown})
    QObject::connect(&lab.runs, signal, panel, tell_shown);
}

void bind_experiments(ExperimentsPanel* panel, const WindowParts& window) {
  ExperimentController* experiments = &window.lab.experiments;
  LabDialogs& dialogs = window.dialogs;
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
  raise_upon(experiments, &ExperimentController::started, panel, window);
}

void bind_evaluations(EvaluationsPanel* panel, const WindowParts& window) {
  EvaluationController* evaluations = &window.lab.evaluations;
  LabDialogs& dialogs = window.dialogs;
  panel->set_model(evaluations->model());
  QObject::connect(panel, &EvaluationsPanel::open_wanted, evaluations, &EvaluationController::open);
  QObject::connect(panel, &EvaluationsPanel::stop_wanted, evaluations, &EvaluationController::stop);
  QObject::connect(panel, &EvaluationsPanel::continue_wanted, evaluations, &EvaluationController::go_on);
  QObject::connect(panel, &EvaluationsPanel::sample_wanted, evaluations, &EvaluationController::open_sample);
  QObject::connect(panel, &EvaluationsPanel::references_wanted, evaluations, &EvaluationController::make_references);
  QObject::connect(panel, &EvaluationsPanel::run_wanted, &dialogs, &LabDialogs::open_evaluation);
  QObject::connect(evaluations, &EvaluationController::request_wanted, &dialogs, &LabDialogs::show_evaluation);
  raise_upon(evaluations, &EvaluationController::started, panel, window);
}

void bind_audit(AuditPanel* audit, const WindowParts& window) {
  Lab& lab = window.lab;
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

void bind_head_discovery(HeadDiscoveryPanel* heads, const WindowParts& window) {
  Lab& lab = window.lab;
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

void bind_recall_heads(RecallHeadsPanel* panel, const WindowParts& window) {
  Lab& lab = window.lab;
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

void bind_sweep(SweepPanel* panel, const WindowParts& window) {
  Lab& lab = window.lab;
  QObject::connect(panel, &SweepPanel::run_wanted, &lab.sweeps, &SweepController::start);
  QObject::connect(panel, &SweepPanel::cancel_wanted, &lab.sweeps, &SweepController::cancel);
  QObject::connect(&lab.sweeps, &SweepController::began, panel, &SweepPanel::begin);
  QObject::connect(&lab.sweeps, &SweepController::base_known, panel, &SweepPanel::set_base);
  QObject::connect(&lab.sweeps, &SweepController::cells_done, panel, &SweepPanel::add_cells);
  QObject::connect(&lab.sweeps, &SweepController::ended, panel, &SweepPanel::end);
  tell_of_engine(lab, panel, [&lab, panel] { panel->set_engine_busy(why_not_now(lab)); });
}

void bind_prompts(PromptsPanel* panel, const WindowParts& window) {
  Lab& lab = window.lab;
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

void bind_text(TextPanel* text, const WindowParts& window) {
  QObject::connect(text, &TextPanel::why_wanted, text, [&docks = window.docks] { docks.raise(QStringLiteral("why")); });
}

void bind_hits(HitsPanel* hits, const WindowParts& window) {
  QObject::connect(hits, &HitsPanel::what_if_wanted, hits,
                   [&docks = window.docks] { docks.raise(QStringLiteral("what_if")); });
}

void bind_log(LogPanel* log, const WindowParts& window) {
  QObject::connect(&window.lab.context, &LabContext::noted, log, [log](const QString& text, bool is_error) {
    log->append_line(is_error ? LogLevel::Error : LogLevel::Info, text);
  });
}

/// A row of the registry as it is written: what it leaves out is as here.
template <typename T>
struct PanelRow {
  const char* id;
  PanelArea area;
  PanelGroup group = PanelGroup::Inspect;
  const char* guide = nullptr;
  void (*bind)(T*, const WindowParts&) = nullptr;
  const char* former_id = "";

  operator PanelEntry() const {
    const QString name = QString::fromLatin1(id);
    return {name,
            area,
            group,
            guide ? QString::fromUtf8(guide) : QString(name).replace(u'_', u' '),
            QString::fromLatin1(former_id),
            [](LabContext& context, QWidget* parent) -> Panel* { return new T(context, parent); },
            [bind = bind](Panel* panel, const WindowParts& window) {
              if (bind) bind(static_cast<T*>(panel), window);
            }};
  }
};

/// Returns a dock's name as QMainWindow::saveState() writes it.
QByteArray streamed(const QString& text) {
  QByteArray bytes;
  QDataStream stream(&bytes, QIODevice::WriteOnly);
  stream << text;
  return bytes;
}

}  // namespace

// The first panel of an area is the tab in front.
const std::vector<PanelEntry>& panel_registry() {
  using enum PanelArea;
  using enum PanelGroup;
  static const std::vector<PanelEntry> rows = {
      PanelRow<HeadGridPanel>{.id = "grid", .area = Left, .guide = "Heads × layers"},
      PanelRow<RunsPanel>{.id = "runs", .area = Left, .bind = bind_runs},
      PanelRow<TextPanel>{.id = "text", .area = Centre, .bind = bind_text},
      PanelRow<RetrievalMapPanel>{.id = "retrieval_map", .area = Centre},
      PanelRow<PrefixPanel>{.id = "prefix", .area = Centre},
      PanelRow<AttentionPanel>{.id = "attention", .area = Centre},
      PanelRow<CarryPanel>{.id = "carry", .area = Centre, .guide = "Carried tail"},
      PanelRow<SinksPanel>{.id = "sinks", .area = Centre},
      PanelRow<HeadDiscoveryPanel>{.id = "head_discovery",
                                   .area = Centre,
                                   .group = Measure,
                                   .guide = "Head scores",
                                   .bind = bind_head_discovery},
      PanelRow<RecallHeadsPanel>{
          .id = "recall_heads", .area = Centre, .group = Measure, .guide = "Find heads", .bind = bind_recall_heads},
      PanelRow<ComparePanel>{.id = "compare", .area = Centre, .bind = bind_compare},
      PanelRow<HitsPanel>{.id = "hits", .area = Right, .bind = bind_hits},
      PanelRow<PassagesPanel>{.id = "passages", .area = Right, .guide = "Retrieved passages"},
      PanelRow<WhatIfPanel>{.id = "what_if", .area = Right, .guide = "What-if"},
      PanelRow<ConfigPanel>{.id = "config", .area = Right, .guide = "Settings"},
      PanelRow<LossPanel>{.id = "loss", .area = Bottom},
      PanelRow<TokensPanel>{.id = "tokens", .area = Bottom, .guide = "Tokens by loss"},
      PanelRow<AskPanel>{.id = "ask", .area = Bottom},
      PanelRow<MemoryPanel>{.id = "memory", .area = Bottom},
      PanelRow<TimePanel>{.id = "time", .area = Bottom},
      PanelRow<DistancePanel>{.id = "distances", .area = Bottom, .guide = "Hit distances"},
      PanelRow<RecallPanel>{.id = "retrieval_recall", .area = Bottom, .former_id = "misses"},
      PanelRow<WhyPanel>{.id = "why", .area = Bottom, .guide = "Why this token?"},
      PanelRow<SweepPanel>{.id = "sweep", .area = Bottom, .guide = "Sweeps", .bind = bind_sweep},
      PanelRow<TensorsPanel>{.id = "tensors", .area = Bottom},
      PanelRow<AttributionPanel>{.id = "attribution", .area = Bottom, .guide = "Direct logit attribution"},
      PanelRow<TrainingPanel>{.id = "training",
                              .area = Bottom,
                              .group = Train,
                              .guide = "Fine-tuning in the window",
                              .bind = bind_training},
      PanelRow<ReachPanel>{.id = "reach", .area = Bottom, .group = Train, .guide = "Fine-tuning in the window"},
      PanelRow<TrainingRunsPanel>{.id = "training_runs",
                                  .area = Bottom,
                                  .group = Train,
                                  .guide = "Fine-tuning in the window",
                                  .bind = bind_training_runs},
      PanelRow<ExperimentsPanel>{.id = "experiments",
                                 .area = Bottom,
                                 .group = Measure,
                                 .guide = "Experiments in the window",
                                 .bind = bind_experiments},
      PanelRow<EvaluationsPanel>{.id = "evaluations",
                                 .area = Bottom,
                                 .group = Measure,
                                 .guide = "Evaluations in the window",
                                 .bind = bind_evaluations},
      PanelRow<PromptsPanel>{.id = "prompts",
                             .area = Bottom,
                             .group = Measure,
                             .guide = "Prompt sets in the window",
                             .bind = bind_prompts},
      PanelRow<AuditPanel>{.id = "audit", .area = Bottom, .group = Measure, .guide = "The audit", .bind = bind_audit},
      PanelRow<LogPanel>{.id = "log", .area = Bottom, .bind = bind_log},
      PanelRow<NotesPanel>{.id = "notes", .area = Bottom},
  };
  return rows;
}

QString current_panel_id(const QString& id) {
  for (const PanelEntry& entry : panel_registry())
    if (!id.isEmpty() && id == entry.former_id) return entry.id;
  return id;
}

QByteArray with_current_panel_ids(QByteArray layout) {
  for (const PanelEntry& entry : panel_registry())
    if (!entry.former_id.isEmpty()) layout.replace(streamed(entry.former_id), streamed(entry.id));
  return layout;
}

}  // namespace carryover
