// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/bench/bench_folder.h"
#include "app/cli/bench/bench_gpu.h"
#include "app/cli/bench/bench_peers.h"
#include "app/cli/bench/bench_report.h"
#include "app/cli/bench/bench_session.h"
#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/model_argument.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/verbs.h"
#include "engine/api/engine_library.h"
#include "engine/base/error.h"
#include "engine/bench/bench_command.h"
#include "engine/campaigns/campaign_engine.h"
#include "engine/checkpoints/model_source.h"
#include "engine/checkpoints/random_model.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/cost/policy_table.h"

namespace carryover {

namespace {

constexpr std::int64_t kLimitRows = 1024;  ///< of the matmuls that measure the machine's limit

struct BenchOptions : BenchSettings {
  bool overwrite = false, json = false, quiet = false, gpu = false;
};

/// MODEL, or the random weights' name. `seed` is theirs.
std::string model_path(const BenchOptions& options, std::uint64_t seed) {
  if (options.model.empty() == options.shape.empty())
    throw EngineError(Fault::Usage, "bench", "needs either MODEL or --shape NAME", "See `carryover bench --help`.");
  if (options.shape.empty()) return options.model;
  return std::string(random_model_prefix) + options.shape + ":" + std::to_string(seed);
}

BenchPlan make_plan(const BenchOptions& options) {
  BenchPlan plan;
  plan.contexts = options.contexts;
  std::sort(plan.contexts.begin(), plan.contexts.end());
  plan.contexts.erase(std::unique(plan.contexts.begin(), plan.contexts.end()), plan.contexts.end());
  plan.repeats = options.repeats;
  for (const BenchKind kind : bench_kinds)
    if (std::find(options.kinds.begin(), options.kinds.end(), bench_kind_name(kind)) != options.kinds.end())
      plan.kinds.push_back(kind);
  return plan;
}

/// The longest context, or the training sample.
std::int64_t longest_text(const BenchPlan& plan, const BenchInput& input) {
  if (std::find(plan.kinds.begin(), plan.kinds.end(), BenchKind::Train) == plan.kinds.end())
    return plan.contexts.back();
  if (input.config.segment_length > bench_most_tokens || input.config.truncation_depth >= bench_most_tokens ||
      input.sample_tokens() > bench_most_tokens)
    throw EngineError(Fault::Usage, "bench",
                      "would train on a sample of more than " + std::to_string(bench_most_tokens) + " tokens",
                      "Give a smaller --segment-length or --truncation-depth, or leave train out of --what.");
  return std::max(plan.contexts.back(), input.sample_tokens());
}

/// Ours by policy, and the peers that are here; of the others, why they are not.
struct Subjects {
  std::vector<std::unique_ptr<BenchSubject>> all;
  std::vector<BenchGap> gaps;

  void add(std::vector<std::unique_ptr<BenchSubject>> more) {
    std::move(more.begin(), more.end(), std::back_inserter(all));
  }
  std::vector<std::string> programs() const {
    std::vector<std::string> names;
    for (const auto& subject : all)
      if (std::find(names.begin(), names.end(), subject->program()) == names.end()) names.push_back(subject->program());
    return names;
  }
};

Subjects find_subjects(const BenchOptions& options, const BenchPlan& plan, const BenchInput& input, Session& session,
                       ProgressLine& progress, RunControl& control) {
  Subjects subjects;
  for (const std::string& policy : options.policies) {
    try {
      check_policy(policy, input.config, std::max(plan.contexts.back(), input.sample_tokens()), "configuration");
      subjects.all.push_back(session_subject(session, input, policy));
    } catch (const EngineError& error) {
      subjects.gaps.push_back({"everything", policy, error.what()});
    }
  }
  if (options.peer.empty()) {
    subjects.gaps.push_back({"everything", "transformers", "no --peer PYTHON was given"});
  } else {
    progress.status("starting transformers");
    const bool decoding = std::find(plan.kinds.begin(), plan.kinds.end(), BenchKind::Decode) != plan.kinds.end();
    subjects.add(transformers_subjects(options.peer, input, decoding, control));
  }
  std::string why_not;
  subjects.add(llama_bench_subjects(input, why_not));
  if (!why_not.empty()) subjects.gaps.push_back({"everything", "llama-bench", why_not});
  return subjects;
}

int bench(const BenchOptions& options, const ConfigOptions& config_options) {
  const ModelConfig model = ModelSource::open(model_path(options, 0))->config();
  const SegmentConfig usual =
      options.model.empty() ? SegmentConfig::defaults_for(model) : initial_config(model, options.model, {});
  const RunSettings settings = config_options.resolve(model, usual);
  const BenchPlan plan = make_plan(options);
  const BenchFolder folder(options.output, options.overwrite);
  BenchInput input;
  input.config = settings.config;
  input.new_tokens = options.new_tokens;
  input.ids = random_ids(longest_text(plan, input), model.vocabulary, settings.seed);

  RunControl control;
  const InterruptWatch interrupt(control);
  ProgressLine progress(options.quiet);
  const auto session =
      open_session({model_path(options, settings.seed), settings.dtype, settings.device, settings.threads, false, {}},
                   progress, control);
  input.model = session->model();
  progress.status("measuring what the machine can do");
  const std::int64_t rows = std::min(kLimitRows, input.config.segment_length);
  const MachineLimits limits = measure_limits(input.model, rows);
  const Subjects subjects = find_subjects(options, plan, input, *session, progress, control);
  const auto report = [&](BenchResult result) {
    result.gaps.insert(result.gaps.begin(), subjects.gaps.begin(), subjects.gaps.end());
    return bench_json(input, limits, subjects.programs(), result);
  };
  BenchResult result = run_bench(
      plan, input, subjects.all, control, [&](const std::string& text) { progress.status(text); },
      [&](const BenchResult& so_far) { folder.write(report(so_far)); });
  progress.status("measuring what the machine can do now");
  if (!result.interrupted) result.limits_after = measure_limits(input.model, rows);
  progress.clear();
  const nlohmann::json found = report(result);
  folder.write(found);
  print(options.json ? found.dump(1) + "\n" : bench_text(read_bench(found, "bench")));
  if (!options.output.empty() && !options.json) print("written    " + options.output + "\n");
  return result.interrupted ? kExitStopped : kExitOk;
}

/// Returns the options of --gpu, from the other flags that were given.
GpuBenchOptions gpu_options(const BenchOptions& options, const CLI::App& app) {
  GpuBenchOptions gpu;
  if (!options.shape.empty()) gpu.model = std::string(random_model_prefix) + options.shape;
  if (!options.model.empty()) gpu.model = options.model;
  gpu.random = options.model.empty();
  if (app.count("--contexts") > 0) gpu.contexts = make_plan(options).contexts;
  if (app.count("--new-tokens") > 0) gpu.new_tokens = options.new_tokens;
  gpu.repeats = options.repeats;
  gpu.output = options.output;
  gpu.overwrite = options.overwrite;
  gpu.json = options.json;
  gpu.quiet = options.quiet;
  return gpu;
}

}  // namespace

VerbAction add_bench(CLI::App& app) {
  const auto options = std::make_shared<BenchOptions>();
  const auto list = [&app](const char* flag, auto& target, const char* type, const std::string& help) {
    return app.add_option(flag, target, help)->delimiter(',')->allow_extra_args(false)->type_name(type);
  };
  add_model(app, options->model);
  app.add_option("--shape", options->shape,
                 "random weights of this shape instead: " + listed_random_shapes(", ") + "; --seed changes them")
      ->type_name("NAME");
  list("--contexts", options->contexts, "LIST", "lengths of texts, in tokens (512,1024,2048)")
      ->check(CLI::Range(std::int64_t{1}, bench_most_tokens));
  list("--policies", options->policies, "LIST", "policies to measure (all): " + listed_policies(", "))
      ->check(CLI::IsMember(policy_names()));
  list("--what", options->kinds, "LIST", "prefill, decode, train (all)")
      ->check(CLI::IsMember({"prefill", "decode", "train"}));
  app.add_option("--repeats", options->repeats,
                 "repetitions of each measurement (5 up to 2048 tokens, 3 up to 8192, 1 above)")
      ->check(CLI::Range(std::int64_t{1}, bench_most_repeats))
      ->type_name("N");
  app.add_option("--new-tokens", options->new_tokens, "tokens decoded after each text (32)")
      ->check(CLI::Range(std::int64_t{1}, bench_most_new_tokens))
      ->type_name("N");
  app.add_option("--peer", options->peer, "Python with transformers, which is measured in the same rounds")
      ->type_name("PYTHON");
  app.add_option("--output", options->output, "folder for bench.json and bench.csv")
      ->take_last()  // a script's own, which its caller may replace
      ->type_name("DIR");
  app.add_flag("--overwrite", options->overwrite, "replace an earlier bench in --output");
  app.add_flag("--gpu", options->gpu, "on a GPU, in bf16: check a 7B model (--shape llama2-7b) against its bounds");
  app.add_flag("--json", options->json, "print everything as JSON");
  app.add_flag("--quiet", options->quiet, "no progress on standard error");
  const auto config = std::make_shared<ConfigOptions>(app);
  for (const char* other : {"--policy", "--bos"}) app.remove_option(app.get_option(other));
  app.footer(
      R"(Time and memory of prefill and decoding by context, and of a training step of K + 1 segments, for each policy,
in alternating rounds, with the throughput of the machine's fastest matmul and memory. llama-bench is measured too if
it is on PATH and MODEL is a GGUF file. Ctrl-C keeps the results so far.

Examples:
  carryover bench model.gguf --output bench1
  carryover bench --shape llama2-7b --dtype bf16 --contexts 4096,16384 --what prefill
  carryover bench model.gguf --contexts 512 --what prefill,decode --peer venv/bin/python
  carryover bench --gpu --output bench-gpu)");
  return [options, config, &app] {
    return options->gpu ? bench_gpu(gpu_options(*options, app), *config) : bench(*options, *config);
  };
}

}  // namespace carryover
