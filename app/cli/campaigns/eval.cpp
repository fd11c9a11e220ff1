// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/model_argument.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/verbs.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/campaigns/evaluation_campaign.h"
#include "engine/campaigns/evaluation_forecast.h"
#include "engine/campaigns/evaluations/evaluated_samples.h"
#include "engine/campaigns/evaluations/evaluation_table.h"
#include "engine/campaigns/evaluations/policy_variant.h"
#include "engine/campaigns/evaluations/sample_lines.h"
#include "engine/campaigns/evaluations/task_kinds.h"
#include "engine/checkpoints/model_source.h"
#include "engine/checkpoints/random_model.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/cost/policy_table.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/json_file.h"
#include "engine/formats/make_folder.h"
#include "engine/formats/output_file.h"
#include "engine/tasks/task_table.h"

namespace carryover {

namespace {

using nlohmann::json;

struct EvalOptions {
  std::string model, adapter, out, question, samples_folder, render, format = "md";
  std::vector<std::string> tasks, policies, data;
  std::vector<std::int64_t> lengths;
  std::int64_t samples = 0, limit = 0;
  bool chat = false, dry_run = false, list = false, json = false, quiet = false;
};

/// "file:PATH" with the path as it is from any folder.
std::string absolute_task(const std::string& name) {
  const std::size_t colon = name.find(':');
  return colon == std::string::npos ? name : name.substr(0, colon + 1) + absolute_path(name.substr(colon + 1));
}

/// "ruler=squad/": by family.
std::map<std::string, std::string> data_paths(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> data;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw EngineError(Fault::Usage, "--data", "'" + text + "' is not FAMILY=PATH",
                        "`carryover eval --list` has the families.");
    const std::string family = task_family(text.substr(0, equals)).name;
    if (!data.emplace(family, absolute_path(text.substr(equals + 1))).second)
      throw EngineError(Fault::Usage, "--data", "names " + family + " twice", "Give each family once.");
  }
  return data;
}

/// Refuses those fields of a --config file that apply to one run only.
void refuse_of_one_run(const RunSettings& settings) {
  if (settings.tokens || !settings.force_hits.empty() || settings.prefix != "search")
    throw EngineError(Fault::Usage, "--config", "has tokens, force_hits or prefix, which apply to one text only",
                      "Leave them out.");
}

/// Returns each policy's own name, with its settings in one order, so that no policy is evaluated twice.
std::vector<std::string> planned_policies(const std::vector<std::string>& lists, const std::string& usual) {
  if (lists.empty()) return {usual};
  std::vector<std::string> names;
  for (const std::string& list : lists)
    for (const std::string& name : variant_names(list)) names.push_back(policy_variant(name).name());
  return names;
}

EvaluationPlan plan_of(const EvalOptions& options, const ConfigOptions& config_options, int& threads) {
  const ModelConfig model = ModelSource::open(options.model)->config();
  const RunSettings settings = config_options.resolve(model, initial_config(model, options.model, options.adapter));
  refuse_of_one_run(settings);
  threads = settings.threads;
  EvaluationPlan plan;
  plan.model = absolute_path(options.model);
  plan.adapter = absolute_path(options.adapter);
  for (const std::string& task : expand_tasks(options.tasks)) plan.tasks.push_back(absolute_task(task));
  plan.lengths = options.lengths.empty() ? std::vector<std::int64_t>{0} : options.lengths;
  plan.policies = planned_policies(options.policies, settings.policy);
  plan.samples = options.samples;
  plan.limit = options.limit;
  if (config_options.fields(model).contains("seed")) plan.seed = settings.seed;
  plan.data = data_paths(options.data);
  plan.chat = options.chat;
  plan.config = settings.config;
  plan.question = !options.question.empty()       ? question_place(options.question)
                  : settings.config.question_pass ? QuestionPlace::Outside
                                                  : QuestionPlace::Inside;
  plan.dtype = dtype_name(settings.dtype);
  plan.device = device_name(settings.device);
  check_plan(plan);
  check_policies(plan, model, kFlagsName);
  return plan;
}

int list_tasks(bool as_json) {
  json families = json::array();
  std::string text;
  for (const TaskFamily& family : task_families()) {
    text += family.name + ": " + family.description + "\n";
    if (!family.data.empty()) text += "  --data " + family.name + "=PATH: " + family.data + "\n";
    json tasks = json::array();
    for (const std::string& name : family.tasks()) {
      const TaskInfo info = make_task(name)->info();
      text += "  " + name + ": " + task_kind_name(info.kind) + ", " + info.metric +
              (info.needs_data ? ", needs data" : "") + "\n";
      tasks.push_back({{"name", name},
                       {"kind", task_kind_name(info.kind)},
                       {"metric", info.metric},
                       {"needs_data", info.needs_data},
                       {"convention", info.convention},
                       {"source", info.source}});
    }
    families.push_back({{"name", family.name},
                        {"description", family.description},
                        {"data", family.data},
                        {"tasks", std::move(tasks)}});
  }
  print(as_json ? json_text(families, 2) + "\n" : text);
  return kExitOk;
}

int render(const EvalOptions& options) {
  print(evaluation_table(read_results(options.render), table_format(options.format)));
  return kExitOk;
}

/// Writes each task's samples in the task's official format, a file for each length.
int write_samples(const EvaluationPlan& plan, const std::string& folder, ProgressLine& progress) {
  make_folder(folder);
  const std::shared_ptr<const Tokenizer> tokenizer = Tokenizer::load(plan.model);
  for (const std::string& name : plan.tasks)
    for (const std::int64_t length : plan.lengths) {
      progress.status("making samples of " + cell_title(name, length));
      const std::vector<TaskSample> samples = make_task(name)->samples(sample_request(plan, name, length, tokenizer));
      const std::string path = path_in(folder, cell_key(name, length) + ".jsonl");
      write_atomically(path, [&](OutputFile& file) {
        for (std::size_t i = 0; i < samples_to_run(plan, samples.size()); ++i)
          file.append(json_text(sample_document(samples[i])) + "\n");
      });
      progress.clear();
      print("written    " + path + "\n");
    }
  return kExitOk;
}

int report(const EvaluationCampaign& campaign, const std::string& out, bool stopped, bool as_json) {
  if (as_json) {
    print(json_text(json{{"out", out},
                         {"samples", campaign.samples()},
                         {"failures", campaign.failures()},
                         {"results", campaign.results()},
                         {"stopped", stopped}},
                    2) +
          "\n");
  } else {
    if (!campaign.results().empty()) print(evaluation_table(read_results(out), TableFormat::Markdown));
    if (campaign.failures() > 0)
      print(std::to_string(campaign.failures()) + " samples failed; the results list them.\n");
    print(stopped ? "stopped; run the same command again to continue\n" : "written    " + out + "\n");
  }
  if (stopped) return kExitStopped;
  return campaign.failures() > 0 ? kExitFailure : kExitOk;
}

int eval(const EvalOptions& options, const ConfigOptions& config_options) {
  if (options.list) return list_tasks(options.json);
  if (!options.render.empty()) return render(options);
  if (options.model.empty() || options.tasks.empty())
    throw EngineError(Fault::Usage, "eval", "needs a MODEL and --tasks, or --list, or --render FILE",
                      "See `carryover eval --help`.");
  int threads = 0;
  const EvaluationPlan plan = plan_of(options, config_options, threads);
  ProgressLine progress(options.quiet);
  if (!options.samples_folder.empty()) return write_samples(plan, options.samples_folder, progress);
  EvaluationChat chat = plan.chat ? model_chat(plan.model) : EvaluationChat();
  if (options.dry_run) {
    print(evaluation_forecast(plan, threads, chat.text, options.json, progress));
    return kExitOk;
  }
  const std::string out = options.out.empty() ? "runs/evaluations/" + evaluated_name(plan.model) : options.out;
  EvaluationCampaign campaign(plan, out, threads, std::move(chat), progress);
  RunControl control;
  const InterruptWatch interrupt(control);  // from before the engine starts threads
  const bool stopped = !campaign.run(control);
  progress.clear();
  return report(campaign, out, stopped, options.json);
}

}  // namespace

VerbAction add_eval(CLI::App& app) {
  const auto options = std::make_shared<EvalOptions>();
  const auto list = [&](const char* flag, auto& values, const char* type, const std::string& help) {
    return app.add_option(flag, values, help)->delimiter(',')->allow_extra_args(false)->type_name(type);
  };
  add_model(app, options->model);
  app.add_option("--adapter", options->adapter, "PEFT folder (LoRA) that is merged into the model's weights")
      ->type_name("DIR");
  list("--tasks", options->tasks, "NAMES", "tasks or families of tasks, such as ruler/cwe,ppl; see --list");
  list("--lengths", options->lengths, "LIST",
       "maximum tokens of prompt and answer, such as 4096,8192 (default: each sample's own length)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 31));
  app.add_option("--policies", options->policies,
                 "run each: " + listed_policies(",") +
                     "; a policy may have its own settings, as a control: \"segmented,segmented[retrieval_length=0]\" "
                     "(default: --policy)")
      ->allow_extra_args(false)
      ->type_name("NAMES");
  app.add_option("--samples", options->samples, "samples of each generated task (default: the task's own number)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 31))
      ->type_name("N");
  app.add_option("--limit", options->limit, "run the first N samples of each task and length only")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 31))
      ->type_name("N");
  app.add_option("--data", options->data, "a family's file or folder; may be given several times")
      ->allow_extra_args(false)
      ->type_name("FAMILY=PATH");
  app.add_flag("--chat", options->chat, "format prompts with the model's chat template");
  app.add_option("--question", options->question,
                 "inside: the question is part of what a policy compresses (default); outside: the context is read "
                 "alone first (default with --question-pass)")
      ->check(CLI::IsMember(question_place_names()))
      ->type_name("PLACE");
  app.add_option("--out", options->out, "folder of the evaluation (runs/evaluations/NAME)")->type_name("DIR");
  app.add_flag("--dry-run", options->dry_run, "print samples, tokens and hours, run nothing");
  app.add_option("--write-samples", options->samples_folder, "write the tasks' samples as JSON lines, run nothing")
      ->type_name("DIR");
  app.add_flag("--list", options->list, "list the tasks, run nothing");
  app.add_option("--render", options->render, "print the table of an evaluation's folder, or of a results file")
      ->type_name("FILE");
  app.add_option("--format", options->format, "format of --render: md (default), csv or tex")
      ->check(CLI::IsMember({"md", "csv", "tex"}))
      ->type_name("NAME");
  app.add_flag("--json", options->json, "print the result as JSON");
  app.add_flag("--quiet", options->quiet, "no progress on standard error");
  const auto config = std::make_shared<ConfigOptions>(app);
  config->add_preset(app);
  app.footer(R"(Answers each sample under each policy and writes each answer at once: the same command continues after
Ctrl-C or a crash, with the same results. Results and samples are files in the format of lm-evaluation-harness.
--seed (42) is the seed of generated samples.

Examples:
  carryover eval --list
  carryover eval model.gguf --tasks ruler/cwe --lengths 4096,8192 --policies segmented,full --samples 200 --dry-run
  carryover eval model.gguf --tasks ruler/cwe --lengths 4096,8192 --policies segmented,full --samples 200 --out eval1
  carryover eval model.gguf --tasks ruler/vt --lengths 4096 --policies "segmented,segmented[retrieval_length=0],full"
  carryover eval --render eval1 --format tex)");
  return [options, config] { return eval(*options, *config); };
}

}  // namespace carryover
