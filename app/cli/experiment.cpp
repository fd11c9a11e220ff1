// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/experiment_runner.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/verbs.h"
#include "engine/core/base/error.h"
#include "engine/experiments/experiment_report.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

using nlohmann::json;

struct ExperimentOptions {
  std::string plan, out, render, format = "md";
  std::vector<std::string> models;
  ExperimentOverrides overrides;
  bool dry_run = false, report = false, json = false, quiet = false;
};

PlanModel model_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw EngineError(Fault::Usage, "--model", "'" + text + "' is not NAME=PATH",
                      "NAME is a model of the plan: --model smollm2=model.gguf.");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

int render(const ExperimentOptions& options) {
  const json results = read_json_file(options.render);
  if (options.format == "report") {
    print(experiment_report(results, options.render));
    return kExitOk;
  }
  const TableFormat format = options.format == "csv"   ? TableFormat::Csv
                             : options.format == "tex" ? TableFormat::Latex
                                                       : TableFormat::Markdown;
  print(experiment_table(results, format, options.render));
  return kExitOk;
}

std::string label(const ExperimentCells& cells, const CellGroup& group) {
  return (cells.models.size() > 1 ? cells.models[group.model].name + ", " : "") + group.recipe +
         (group.seed ? ", seed " + std::to_string(*group.seed) : "");
}

int dry_run(const ExperimentPlan& plan, const ExperimentCells& cells, const std::string& out, bool as_json) {
  CellPace pace;
  const ExperimentState before = experiment_state(plan, cells);
  double total = 0;
  std::string text = plan.title + ": " + std::to_string(before.cells.size()) + " cells\n";
  json groups = json::array();
  for (const CellGroup& group : cells.groups) {
    const CellModel& model = cells.models[group.model];
    double seconds = 0;
    if (group.training) {
      const TrainingCell& cell = cells.trainings[*group.training];
      guess_pace(pace, true, model, cell.plan.dtype, plan.device, plan.threads);
      seconds = pace.seconds(true, cell.plan.dtype, cell.flops);
      text += "  " + label(cells, group) + ": training  " + cell.id + "  " + human_duration(seconds) + "\n";
    }
    double reading = 0;
    for (const std::size_t index : group.uses) {
      const EvaluationCell& cell = cells.evaluations[cells.uses[index].cell];
      guess_pace(pace, false, model, cell.settings.dtype, plan.device, plan.threads);
      reading += pace.seconds(false, cell.settings.dtype, cell.flops);
    }
    text += "  " + label(cells, group) + ": " + std::to_string(group.uses.size()) + " evaluations  " +
            human_duration(reading) + "\n";
    groups.push_back({{"label", label(cells, group)}, {"training_seconds", seconds}, {"reading_seconds", reading}});
    total += seconds + reading;
  }
  text += "about " + fixed(total / 3600, 2) + " hours, into " + out + "; nothing was run.\n";
  print(as_json ? json{{"groups", groups}, {"hours", total / 3600}, {"cells", before.cells.size()}}.dump(2) + "\n"
                : text);
  return kExitOk;
}

int experiment(const ExperimentOptions& options) {
  if (!options.render.empty()) return render(options);
  if (options.plan.empty())
    throw EngineError(Fault::Usage, "experiment", "needs a PLAN, or --render FILE",
                      "See `carryover experiment --help`.");
  ExperimentPlan plan = read_experiment_plan(options.plan);
  ExperimentOverrides overrides = options.overrides;
  for (const std::string& model : options.models) overrides.models.push_back(model_override(model));
  apply_overrides(plan, overrides);
  const std::string out = options.out.empty() ? "runs/experiments/" + plan.name : options.out;
  const ExperimentCells cells = experiment_cells(plan, out);
  if (options.dry_run) return dry_run(plan, cells, out, options.json);
  ProgressLine progress(options.quiet);
  ExperimentRunner runner(plan, cells, out, progress);
  bool stopped = false;
  if (options.report)
    runner.write_reports();
  else
    stopped = !runner.run();
  progress.clear();
  const ExperimentState& state = runner.state();
  if (options.json) {
    print(json{{"out", out},
               {"cells", state.cells.size()},
               {"done", state.count(CellStatus::Done)},
               {"failed", state.count(CellStatus::Failed)},
               {"stopped", stopped}}
              .dump(2) +
          "\n");
  } else {
    print(std::to_string(state.count(CellStatus::Done)) + " of " + std::to_string(state.cells.size()) +
          " cells are done" +
          (state.count(CellStatus::Failed) > 0 ? ", " + std::to_string(state.count(CellStatus::Failed)) + " failed"
                                               : std::string()) +
          ".\nwritten    " + out + "/table.md, table.csv, table.tex, report.md, results.json\n");
  }
  if (stopped) return kExitStopped;
  return state.count(CellStatus::Failed) > 0 ? kExitFailure : kExitOk;
}

}  // namespace

VerbAction add_experiment(CLI::App& app) {
  const auto options = std::make_shared<ExperimentOptions>();
  app.add_option("PLAN", options->plan, "JSON file: models, recipes, seeds, evaluations, texts")->type_name("");
  app.add_option("--model", options->models, "a model of the plan is this one; may be given several times")
      ->allow_extra_args(false)
      ->type_name("NAME=PATH");
  app.add_option("--data", options->overrides.data, "train on these texts or folders; may be given several times")
      ->allow_extra_args(false)
      ->type_name("PATH");
  app.add_option("--texts", options->overrides.texts,
                 "evaluate on these texts, or the plan's texts in this folder; may be given several times")
      ->allow_extra_args(false)
      ->type_name("PATH");
  app.add_option("--out", options->out, "folder of the experiment (runs/experiments/NAME)")->type_name("DIR");
  app.add_option("--only", options->overrides.only, "run this recipe alone; may be given several times")
      ->allow_extra_args(false)
      ->type_name("RECIPE");
  app.add_option("--threads", options->overrides.threads, "threads of the processor; 0: all")
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
  app.add_flag("--dry-run", options->dry_run, "check everything, print cells and hours, run nothing");
  app.add_flag("--report", options->report, "make the tables again from the cells that are done, run nothing");
  app.add_option("--render", options->render, "print a table of this results.json")->type_name("FILE");
  app.add_option("--format", options->format, "of --render: md, csv, tex, or report for all of it")
      ->check(CLI::IsMember({"md", "csv", "tex", "report"}))
      ->type_name("NAME");
  app.add_flag("--json", options->json, "print the result as JSON");
  app.add_flag("--quiet", options->quiet, "no progress on standard error");
  app.footer(
      R"(Trains each recipe for each seed, runs each evaluation on each text, and writes one table. Each training and each
run is an ordinary folder in DIR/cells, named by the hash of what it is made from: what is finished is never made again,
and the same command goes on after Ctrl-C or a crash.

Examples:
  carryover experiment examples/experiments/demo_k.json --dry-run
  carryover experiment plan.json --model smollm2=model.gguf --data train/ --texts test/ --out runs/mine
  carryover experiment --render docs/evaluations/experiment-held_out.json --format tex)");
  return [options] { return experiment(*options); };
}

}  // namespace carryover
