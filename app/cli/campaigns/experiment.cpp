// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/model_argument.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/training/training_watch.h"
#include "app/cli/verbs.h"
#include "engine/base/error.h"
#include "engine/base/terminal_text.h"
#include "engine/campaigns/experiment_campaign.h"
#include "engine/campaigns/experiment_forecast.h"
#include "engine/campaigns/experiments/compared_losses.h"
#include "engine/campaigns/experiments/experiment_frontier.h"
#include "engine/campaigns/experiments/experiment_report.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

using nlohmann::json;

struct ExperimentOptions {
  std::string plan, out, earlier, render, format = "md";
  std::vector<std::string> models;
  ExperimentOverrides overrides;
  bool dry_run = false, report = false, json = false, quiet = false;
};

PlanModel model_override(const std::string& text, bool quiet) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw EngineError(Fault::Usage, "--model", "'" + text + "' is not NAME=PATH",
                      "NAME is a model of the plan: --model smollm2=model.gguf.");
  return {text.substr(0, equals), path_of_model(text.substr(equals + 1), quiet)};
}

int render(const ExperimentOptions& options) {
  const json results = read_json_file(options.render, JsonKind::Results);
  if (options.format == "report" || options.format == "section") {
    print(experiment_report(results, options.render, options.format == "report" ? 1 : 2));
    return kExitOk;
  }
  print(experiment_table(results, table_format(options.format), options.render));
  return kExitOk;
}

/// Returns the figures for which the results have data.
std::vector<std::string> figures_of(const std::string& file) {
  const ResultsView results = results_view(read_json_file(file, JsonKind::Results), file);
  if (!is_drawable(results)) return {};
  std::vector<std::string> figures;
  const std::string model = results.first_model();
  if (!experiment_frontier(results, model, results.common_length(model)).conditions.empty())
    figures.emplace_back("frontier");
  if (!compared_losses(results).empty()) figures.emplace_back("comparisons");
  return figures;
}

/// Draws figures with the program that has the window; the command line alone draws none. Returns the files' names,
/// each behind a comma. The experiment is done whether or not a figure can be drawn.
std::string draw_figures(const std::string& out) {
  const std::string file = out + "/results.json";
  if (!figure_maker() || !std::filesystem::exists(file)) return {};
  std::string written;
  for (const std::string& figure : figures_of(file)) {
    FigureRequest request;
    request.folder = out;
    request.figure = figure;
    request.output = out + "/" + figure + ".pdf";
    request.size = "170x110mm";
    request.style = "screen";
    try {
      figure_maker()(request);
      written += ", " + figure + ".pdf";
    } catch (const EngineError& error) {
      print_error_line(request.output + " was not drawn: " + error.what());
    }
  }
  return written;
}

/// Trains a cell, and shows its steps.
void train(const TrainingCell& cell, ProgressLine& progress, RunControl& control) {
  const auto plan = std::make_shared<const TrainingPlan>(cell.plan);
  const auto corpus = read_training_data(*plan, progress, control);
  const auto session =
      open_session({plan->model, plan->dtype, plan->device, plan->threads, false, {}}, progress, control);
  TrainingWatch watch(*plan, progress, control);
  std::error_code ignored;
  const bool resume = std::filesystem::exists(path_in(plan->output_dir, "config.json"), ignored);
  const TrainingSummary summary = session->train({plan, corpus, resume, false}, watch, control);
  watch.ended(summary);
  if (watch.ended_by_alert())
    throw EngineError(Fault::BadInput, cell.recipe, "ended by an alert at " + watch.alert(),
                      "Give the recipe a lower learning_rate, or on_alert \"skip\".");
  if (summary.stopped) throw_stopped(cell.recipe);
}

int experiment(const ExperimentOptions& options) {
  if (!options.render.empty()) return render(options);
  if (options.plan.empty())
    throw EngineError(Fault::Usage, "experiment", "needs a PLAN, or --render FILE",
                      "See `carryover experiment --help`.");
  ExperimentPlan plan = read_experiment_plan(options.plan);
  ExperimentOverrides overrides = options.overrides;
  for (const std::string& model : options.models) overrides.models.push_back(model_override(model, options.quiet));
  apply_overrides(plan, overrides);
  const std::string out = options.out.empty() ? "runs/experiments/" + plan.name : options.out;
  const ExperimentCells cells = experiment_cells(plan, out);
  ProgressLine progress(options.quiet);
  if (options.dry_run) {
    print(experiment_forecast(plan, cells, out, options.earlier, options.json, progress));
    return kExitOk;
  }
  const auto interrupts = [](RunControl& control) { return std::make_shared<const InterruptWatch>(control); };
  const auto train_cell = [&](const TrainingCell& cell, RunControl& control) { train(cell, progress, control); };
  ExperimentCampaign campaign(plan, cells, {options.plan, out, overrides}, options.earlier,
                              {progress, interrupts, train_cell});
  bool stopped = false;
  if (options.report)
    campaign.write_reports();
  else
    stopped = !campaign.run();
  progress.clear();
  const std::string figures = draw_figures(out);
  const ExperimentState& state = campaign.state();
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
          ".\nwritten    " + out + "/table.md, table.csv, table.tex, report.md, results.json" + figures + "\n");
  }
  if (stopped) return kExitStopped;
  return state.count(CellStatus::Failed) > 0 ? kExitFailure : kExitOk;
}

}  // namespace

VerbAction add_experiment(CLI::App& app) {
  const auto options = std::make_shared<ExperimentOptions>();
  app.add_option("PLAN", options->plan, "JSON file: models, recipes, seeds, evaluations, texts")->type_name("");
  app.add_option("--model", options->models, "path or hub name of a model of the plan; may be given several times")
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
  app.add_option("--from", options->earlier,
                 "take the cells of this results.json instead of running them; DIR keeps them")
      ->type_name("FILE");
  app.add_option("--threads", options->overrides.threads, "CPU threads; 0: all")
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
  app.add_flag("--dry-run", options->dry_run, "check everything, print cells and hours, run nothing");
  app.add_flag("--report", options->report, "make the tables again from the cells that are done, run nothing");
  app.add_option("--render", options->render, "print a table of this results.json")->type_name("FILE");
  app.add_option("--format", options->format,
                 "format of --render: md (default), csv or tex; report: all tables; section: a part of a larger page")
      ->check(CLI::IsMember({"md", "csv", "tex", "report", "section"}))
      ->type_name("NAME");
  app.add_flag("--json", options->json, "print the result as JSON");
  app.add_flag("--quiet", options->quiet, "no progress on standard error");
  app.footer(
      R"(Trains each recipe for each seed, runs each evaluation on each text, and writes one table. Each training and
each run is an ordinary folder in DIR/cells, named by the hash of its inputs. Finished cells are never run again, and
the same command continues after Ctrl-C or a crash.

Examples:
  carryover experiment examples/experiments/demo_k.json --dry-run
  carryover experiment plan.json --model smollm2=model.gguf --data train/ --texts test/ --out runs/mine
  carryover experiment --render docs/evaluations/experiment-held_out.json --format tex)");
  return [options] { return experiment(*options); };
}

}  // namespace carryover
