// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/model_argument.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/verbs.h"
#include "engine/api/engine_library.h"
#include "engine/base/error.h"
#include "engine/runs/records/run_data.h"
#include "engine/runs/records/run_reader.h"

namespace carryover {

namespace {

struct ExportOptions {
  std::string adapter, data, dtype = "fp32";
  bool report = false, quiet = false;
  FigureRequest figure;  ///< its folder and output are those of every use
};

void export_model(const ExportOptions& options) {
  const std::string& output = options.figure.output;
  if (std::filesystem::exists(output))
    throw EngineError(Fault::Usage, output, "already exists", "Choose a folder that does not exist.");
  const DType dtype = parse_dtype(options.dtype);
  if (dtype != DType::Float32 && dtype != DType::BFloat16)
    throw EngineError(Fault::Usage, "--dtype", "is '" + options.dtype + "'", "Use fp32 or bf16.");
  ProgressLine progress(options.quiet);
  const ModelRequest request{
      path_of_model(options.figure.folder, options.quiet), dtype, Device::Cpu, 0, false, options.adapter};
  const auto session =
      load_session(request, [&](double fraction, const std::string& what) { progress.loading(fraction, what); });
  session->save(output);
  progress.clear();
}

void make_figure(const FigureRequest& request) {
  if (!figure_maker())
    throw EngineError(Fault::Unsupported, request.figure.empty() ? "--report" : "--figure",
                      "carryover-cli is built without Qt, and draws nothing",
                      "Use `carryover export`, which needs no display; --data works here too.");
  figure_maker()(request);
}

int run_export(const ExportOptions& options) {
  const bool is_figure = !options.figure.figure.empty();
  if (is_figure + options.report + !options.data.empty() > 1)
    throw EngineError(Fault::Usage, "export", "has more than one of --figure, --data and --report", "Ask for one.");
  if (is_figure || options.report) {
    make_figure(options.figure);
  } else if (!options.data.empty()) {
    write_run_data(reopen_run(options.figure.folder), options.data, options.figure.output);
  } else if (is_run_folder(options.figure.folder)) {
    throw EngineError(Fault::Usage, options.figure.folder, "is a run's folder", "Add --figure, --data or --report.");
  } else {
    export_model(options);
  }
  if (!options.quiet) print("written    " + options.figure.output + "\n");
  return kExitOk;
}

void add_figure_options(CLI::App& app, const std::shared_ptr<ExportOptions>& options) {
  FigureRequest& figure = options->figure;
  const char* group = "Figures of a run";
  const auto add = [&](const char* flag, auto& target, const char* type, const char* help) {
    return app.add_option(flag, target, help)->type_name(type)->group(group);
  };
  add("--figure", figure.figure, "NAME",
      "a plot of the run: retrieval_map, loss, memory, carry, attention, attribution, sinks, …; of an evaluation's "
      "folder: evaluation, evaluation_slices or evaluation_frontier; of a bench's: prefill-scaling or latency-memory; "
      "of an experiment: loss-by-position, frontier, comparisons or lost-sinks");
  add("--size", figure.size, "WxHmm", "the figure's size in millimetres (85x60mm, a column)");
  add("--style", figure.style, "NAME", "paper (default: 8 pt, no title), screen or slide");
  add("--dpi", figure.dpi, "N", "dots per inch of a PNG (300)")->check(CLI::Range(50, 1200));
  add("--segment", figure.segment, "N", "select this segment, counted from 0");
  add("--layer", figure.layer, "N", "select this layer");
  add("--head", figure.head, "N", "select this query head");
  add("--token", figure.token, "N", "select the token at this position");
  add("--foil", figure.foil, "TEXT", "compare the token's logit with that of this token");
  add("--choose", figure.choices, "SWITCH=VALUE", "set a switch of the figure's panel; may be given several times")
      ->allow_extra_args(false);
  add("--view", figure.view, "X0,X1,Y0,Y1", "show this part of the plot")->delimiter(',')->expected(4);
  app.add_flag("--report", options->report, "the whole run as one .html or .pdf, with pictures, settings and numbers")
      ->group(group);
}

}  // namespace

VerbAction add_export(CLI::App& app) {
  const auto options = std::make_shared<ExportOptions>();
  app.add_option(
         "SOURCE", options->figure.folder,
         "folder of a run, a training, an evaluation, a bench or an experiment, or an experiment's results.json; "
         "or a model: Hugging Face folder, GGUF file or hub name")
      ->type_name("")
      ->required();
  app.add_option(
         "-o,--output", options->figure.output,
         "file to write; its suffix sets the format (.pdf, .svg, .png, .csv, .npy, .html). For a model: a new folder")
      ->required()
      ->type_name("PATH");
  app.add_flag("--quiet", options->quiet, "print nothing");
  add_figure_options(app, options);
  app.add_option("--data", options->data, "data of the run: hits, nll, segments, carry_maps or sinks, as .csv or .npy")
      ->type_name("KIND")
      ->group("Data of a run");
  app.add_option("--adapter", options->adapter, "PEFT folder (LoRA) that is merged into the model's weights")
      ->type_name("DIR")
      ->group("A model");
  app.add_option("--dtype", options->dtype, "fp32 (default) or bf16")->type_name("TYPE")->group("A model");
  app.footer(R"(Examples:
  carryover export run1 --figure retrieval_map --segment 7 --size 85x60mm -o map.pdf
  carryover export eval1 --figure evaluation_frontier --choose "Task=ruler/vt" -o frontier.pdf
  carryover export run1 --data hits -o hits.npy
  carryover export run1 --report -o run1.html
  carryover export model.gguf --adapter run1/final --output merged --dtype bf16)");
  return [options] { return run_export(*options); };
}

}  // namespace carryover
