// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>

#include "app/controllers/ask_controller.h"
#include "app/controllers/audit_controller.h"
#include "app/controllers/device_memory.h"
#include "app/controllers/document_controller.h"
#include "app/controllers/evaluation_controller.h"
#include "app/controllers/experiment_controller.h"
#include "app/controllers/head_profile_controller.h"
#include "app/controllers/inspect_controller.h"
#include "app/controllers/library_controller.h"
#include "app/controllers/prompts_controller.h"
#include "app/controllers/recall_heads_controller.h"
#include "app/controllers/sweep_controller.h"
#include "app/controllers/train_controller.h"
#include "app/controllers/what_if_controller.h"

namespace carryover {

/// The lab without its window: what is on show, the engine, and all that ask it for something, each after what it
/// needs; and what follows from several of them. GUI thread; its destructor waits for the engine's.
class Lab : public QObject {
  Q_OBJECT
 public:
  Lab();

  LabContext context;
  EngineConnection engine{context};
  ModelLoader loader{context, engine};
  RunController runs{context, engine, loader};
  DeviceMemory memory{runs};
  TrainController training{context, runs};
  ExperimentController experiments{context, runs, training};
  PromptsController prompts{context, engine, loader};
  EvaluationController evaluations{context, engine, loader, runs};
  LibraryController library{context, runs, training, experiments, evaluations, prompts};
  AuditController audits{context, runs};
  HeadProfileController head_profiles{context, runs};
  RecallHeadsController recall_heads{context, runs};
  InspectController inspections{context, runs};
  WhatIfController what_ifs{context, runs};
  SweepController sweeps{context, runs};
  AskController questions{context, runs};
  DocumentController documents{context, runs, questions};

  /// Then runs the text. The request's dtype and device become those of the next run.
  void open_model(const ModelRequest& request);
  void load_model(const ModelRequest& request);  ///< the same, and nothing is run
  void open_text(const QString& path);           ///< once it is read, stops a run, and runs this text
  void open_pasted_text(const QString& text);    ///< as open_text
  /// Does not load the open model again where dtype or device change: another model is opened next.
  void set_options_of_next_model(const RunOptions& options);
  void pause_or_resume();  ///< the training, or else the run
  std::array<EngineJob*, 7> jobs() {
    return {&audits, &head_profiles, &recall_heads, &what_ifs, &sweeps, &questions, &documents};
  }
  void stop_engine();  ///< whichever job uses it
  TrainingPlan suggested_plan() const;
  EvaluationPlan suggested_evaluation() const;  ///< the open model and the settings of the next run, without tasks
  QString why_no_evaluation() const;            ///< why none can be run now; empty: it can

 Q_SIGNALS:
  void failed(const carryover::ErrorReport& report);  ///< any of them; reading the run on show too

 private:
  void connect_document();

  bool opening_ = false;  ///< a model is about to be opened: dtype and device are of that one
};

}  // namespace carryover
