// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDialog>
#include <functional>
#include <memory>
#include <vector>

#include "app/saved_window/engine_question.h"
#include "app/start/guide.h"
#include "app/window/bench_dialog.h"
#include "app/window/continue_dialog.h"
#include "app/window/engine_dialog.h"
#include "app/window/evaluation_dialog.h"
#include "app/window/experiment_dialog.h"
#include "app/window/model_dialog.h"
#include "widgets/controls/command_palette.h"
#include "widgets/heads/pattern_dialog.h"
#include "widgets/plot/export_dialog.h"
#include "widgets/plot/plot_view.h"
#include "widgets/training/finetune_dialog.h"

namespace carryover::test {

/// A dialog of the program by the name of its class, filled in with something of the demo.
struct NamedDialog {
  const char* name;
  std::function<std::unique_ptr<QDialog>()> make;
};

inline TrainingPlan demo_training(const std::string& folder) {
  TrainingPlan plan;
  plan.model = CARRYOVER_SOURCE_DIR "/resources/demo";
  plan.data = {plan.model + "/text.txt"};
  plan.output_dir = folder;
  return plan;
}

/// Every dialog of the program; `plot` is what ExportDialog is about. tests/widgets/wheel_test.cpp compares the names
/// with the sources.
inline std::vector<NamedDialog> all_dialogs(PlotView& plot, const std::string& folder) {
  using Made = std::unique_ptr<QDialog>;
  return {
      {"BenchDialog", [] { return Made(new BenchDialog); }},
      {"CommandPalette",
       [] {
         return Made(new CommandPalette(
             {}, [](const QString&) { return std::vector<Command>(); }, nullptr));
       }},
      {"ContinueDialog", [] { return Made(new ContinueDialog(ExperimentRequest())); }},
      {"EngineDialog", [] { return Made(new EngineDialog(QStringLiteral("ssh there carryover-cli engine"))); }},
      {"EngineQuestion",
       [] {
         return Made(new EngineQuestion({"ssh", "there"}));
       }},
      {"EvaluationDialog", [] { return Made(new EvaluationDialog); }},
      {"ExperimentDialog", [] { return Made(new ExperimentDialog); }},
      {"ExportDialog", [&plot] { return Made(new ExportDialog(plot)); }},
      {"FinetuneDialog", [folder] { return Made(new FinetuneDialog(demo_training(folder))); }},
      {"GuideWindow", [] { return Made(new GuideWindow); }},
      {"ModelDialog", [] { return Made(new ModelDialog(ModelRequest(), {}, {})); }},
      {"PatternDialog", [] { return Made(new PatternDialog(HeadPattern(), QStringLiteral("Pattern"), nullptr)); }},
  };
}

}  // namespace carryover::test
