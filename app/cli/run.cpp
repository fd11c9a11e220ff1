// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/model_argument.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/verbs.h"
#include "engine/base/byte_size.h"
#include "engine/base/duration_text.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/campaigns/campaign_engine.h"
#include "engine/campaigns/prompt_campaign.h"
#include "engine/checkpoints/measured_memory.h"
#include "engine/checkpoints/model_source.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/config/window_settings.h"
#include "engine/cost/policy_table.h"
#include "engine/data/text_source.h"
#include "engine/formats/json_file.h"
#include "engine/runs/records/run_folder.h"
#include "engine/runs/values/prefix_control.h"
#include "engine/tokenizers/noted_tokenizer.h"
#include "engine/tokenizers/token_checks.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

namespace {

struct RunOptions {
  std::string model, adapter, text, input_ids, prompts, against, force_hits, prefix, out;
  std::optional<std::int64_t> tokens;
  std::vector<std::string> no_capture;
  bool parse_special = false, overwrite = false, carry_maps = false, json = false, quiet = false;
};

/// The text's first `settings.tokens` ids, behind BOS where asked for: one, also if the text itself begins with it.
std::vector<std::int32_t> read_input(const RunOptions& options, const RunSettings& settings, const ModelConfig& model) {
  std::vector<std::int32_t> ids;
  std::optional<std::int64_t> bos = model.bos_id;
  if (!options.input_ids.empty()) {
    ids = read_ids(options.input_ids, model.vocabulary);
  } else {
    const std::string text = read_text(options.text);
    const auto tokenizer = load_tokenizer(options.model);
    ids = tokenizer->encode(text, options.parse_special);
    require_rows(ids, model.vocabulary, *tokenizer);
    bos = tokenizer->bos();
  }
  if (!settings.config.bos) bos.reset();
  if (settings.config.bos && !bos)
    throw EngineError(Fault::BadInput, options.model, "has no BOS token", "Leave out --bos.");
  if (bos && !ids.empty() && ids.front() == *bos) ids.erase(ids.begin());
  if (settings.tokens && *settings.tokens < std::ssize(ids)) ids.resize(static_cast<std::size_t>(*settings.tokens));
  if (bos) ids.insert(ids.begin(), static_cast<std::int32_t>(*bos));
  return ids;
}

/// The parts' shares, the largest first; nothing is said of those under half a percent.
std::string time_text(const SegmentTime& time) {
  auto parts = kTimeParts;
  std::sort(parts.begin(), parts.end(),
            [&](const TimePart& a, const TimePart& b) { return time.*a.seconds > time.*b.seconds; });
  std::string text;
  for (const TimePart& part : parts) {
    const double share = time.*part.seconds / time.sum();
    if (share < 0.005) break;
    std::string name = part.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    text += (text.empty() ? "" : ", ") + name + " " + fixed_text(100 * share, 0) + " %";
  }
  return text;
}

std::string plain_summary(const RunSummary& summary, const RunDescription& description) {
  const ModelInfo& model = description.model;
  const SegmentConfig& config = description.request.config;
  const auto count = [](std::int64_t value) { return std::to_string(value); };
  std::string text = "model      " + model.config.name + ", " + std::string(dtype_name(model.dtype)) + " on " +
                     std::string(device_name(model.device)) + ", " + count(model.threads) + " threads\n";
  if (!model.adapter.empty()) text += "adapter    " + model.adapter + "\n";
  text += "weights    " + model.weights_hash + "\n";
  if (const auto measured = measured_memory(model.weights_hash))
    text += "measured   " + measured_text(*measured) + "\n";
  const std::string& policy = description.request.policy;
  text += "policy     " + policy + ", S " + count(config.segment_length);
  for (const auto& [field, name, value] :
       {std::tuple("carry_length", "M", config.carry_length),
        {"retrieval_length", "R", config.retrieval_length},
        {"truncation_depth", "K", config.truncation_depth},
        {"attention_window", "window", config.of<WindowSettings>().attention_window}})
    if (policy_reads(policy, field)) text += std::string(", ") + name + " " + count(value);
  if (policy_reads(policy, "sink_length") && config.sink_length > 0) text += ", sinks " + count(config.sink_length);
  if (policy_reads(policy, "pool_keys") && config.pool_keys != PoolKeys::Model)
    text += ", pool keys " + std::string(kPoolKeysNames[static_cast<std::size_t>(config.pool_keys)]);
  text += "\n";
  text += "text       " + count(summary.tokens) + " tokens, " + count(summary.targets) + " targets, " +
          count(summary.segments) + " segments" + (summary.cancelled ? " (stopped)" : "") + "\n";
  text += summary.ppl() ? "loss       " + fixed_text(*summary.nll_mean(), 4) + " nats a target, perplexity " +
                              fixed_text(*summary.ppl(), 4) + "\n"
                        : std::string("loss       none: one token has nothing to predict it\n");
  const double rate = summary.seconds > 0 ? static_cast<double>(summary.tokens) / summary.seconds : 0;
  text += "time       " + human_duration(summary.seconds) + ", " + fixed_text(rate, 1) + " tokens/s\n";
  if (summary.time.sum() > 0) text += "of it      " + time_text(summary.time) + "\n";
  text += "memory     peak " + size_text(static_cast<double>(summary.peak_memory_bytes)) + ", pool " +
          size_text(static_cast<double>(summary.memory.pool)) + ", carry " +
          size_text(static_cast<double>(summary.memory.carry)) + "\n";
  if (summary.sinks_lost && config.carry_length > 0 && !runs_in_chunks(policy)) {
    text += "sinks      attention sink lost in " + count(*summary.sinks_lost) + " of " + count(summary.segments) +
            " segments";
    const bool helps = *summary.sinks_lost > 0 && config.sink_length < kSinkTokens;
    text += helps ? ": try --sink-length " + count(kSinkTokens) + "\n" : "\n";
  }
  if (summary.near_ties > 0) {
    text += "near-ties  " + count(summary.near_ties) + " at the retrieval cutoff, within rounding\n";
  }
  return text;
}

RunDescription describe(const RunOptions& options, const RunSettings& settings, const ModelConfig& model) {
  RunDescription description = describe_run(settings, read_input(options, settings, model),
                                            options.input_ids.empty() ? options.text : options.input_ids, model);
  description.command_line = command_line();
  const auto wanted = [&](const char* kind) {
    return !options.out.empty() &&
           std::find(options.no_capture.begin(), options.no_capture.end(), kind) == options.no_capture.end();
  };
  description.request.capture = {.hits = wanted("hits"),
                                 .target_nll = wanted("nll"),
                                 .carry_maps = options.carry_maps && !options.out.empty(),
                                 .sinks = wanted("sinks")};
  return description;
}

PromptRequest prompt_request(const RunOptions& options) {
  if (!options.no_capture.empty())
    throw EngineError(Fault::Usage, "--prompts", "measures hits and losses", "Leave out --no-capture.");
  return {options.model,         options.adapter,   options.prompts,    options.against, options.out,
          options.parse_special, options.overwrite, options.carry_maps, command_line()};
}

int run_prompts(const RunOptions& options, const RunSettings& settings) {
  const PromptRequest request = prompt_request(options);
  ProgressLine progress(options.quiet);
  PromptCampaign campaign(request, settings, progress);
  RunControl control;
  const InterruptWatch interrupt(control);
  const bool complete = campaign.run(control);
  const nlohmann::json results = campaign.results();
  print(options.json ? json_text(results, 2) + "\n" : prompt_table(results) + "written    " + options.out + "\n");
  return !complete ? kExitStopped : campaign.failed() ? kExitFailure : kExitOk;
}

int run(const RunOptions& options, const ConfigOptions& config_options) {
  if (!options.text.empty() + !options.input_ids.empty() + !options.prompts.empty() != 1) {
    throw EngineError(Fault::Usage, "run", "needs one of TEXT, --input-ids FILE and --prompts FILE",
                      "See `carryover run --help`.");
  }
  const ModelConfig model = ModelSource::open(options.model)->config();
  RunSettings settings = config_options.resolve(model, initial_config(model, options.model, options.adapter));
  if (options.tokens) settings.tokens = options.tokens;
  if (!options.force_hits.empty()) settings.force_hits = options.force_hits;
  if (!options.prefix.empty()) settings.prefix = options.prefix;
  if (settings.prefix == "off") settings.config.retrieval_length = 0;
  if (!options.prompts.empty()) return run_prompts(options, settings);
  RunDescription description = describe(options, settings, model);

  RunControl control;
  const InterruptWatch interrupt(control);
  ProgressLine progress(options.quiet);
  const auto session = open_session(
      {options.model, settings.dtype, settings.device, settings.threads, false, options.adapter}, progress, control);
  description.model = session->model();
  progress.note("dtype " + std::string(dtype_name(description.model.dtype)) + ": " + description.model.dtype_reason);
  std::unique_ptr<RunFolder> folder;
  if (!options.out.empty()) folder = std::make_unique<RunFolder>(options.out, description, options.overwrite);
  const RunSummary summary = run_recorded(*session, description, folder.get(), progress, control);
  if (folder) folder->finish(summary);
  print(options.json ? json_text(summary_json(summary, description), 2) + "\n"
                     : plain_summary(summary, description) + (folder ? "written    " + options.out + "\n" : ""));
  return summary.cancelled ? kExitStopped : kExitOk;
}

}  // namespace

VerbAction add_run(CLI::App& app) {
  const auto options = std::make_shared<RunOptions>();
  add_model(app, options->model)->required();
  app.add_option("TEXT", options->text, "text file, or - for standard input")->type_name("");
  app.add_option("--adapter", options->adapter, "PEFT folder (LoRA) that is merged into the model's weights")
      ->type_name("DIR");
  app.add_option("--input-ids", options->input_ids,
                 "JSON array of token ids, or a .npy file of integers, instead of TEXT")
      ->type_name("FILE");
  CLI::Option* prompts =
      app.add_option(
             "--prompts", options->prompts,
             "prompt set instead of TEXT: a .jsonl file with a \"text\" on each line and, optionally, \"name\", "
             "\"answer\", \"target\" and \"tags\"; runs each into a folder under --out, and writes tables")
          ->type_name("FILE");
  app.add_option(
         "--against", options->against,
         "also run each example of --prompts under this control, for Δ loss: off, random, recent, constant, sinks")
      ->needs(prompts)
      ->check(CLI::IsMember({"off", "random", "recent", "constant", "sinks"}))
      ->type_name("KIND");
  app.add_option("--tokens", options->tokens, "read the first N tokens only")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  app.add_option("--out", options->out,
                 "folder for the record: config.json, summary.json, segments.jsonl, hits.jsonl, nll.json, ids.npy, "
                 "sinks.npy")
      ->type_name("DIR");
  app.add_flag("--overwrite", options->overwrite, "replace an earlier run in --out");
  app.add_option("--force-hits", options->force_hits, "read an earlier run's hits.jsonl instead of searching")
      ->type_name("FILE");
  app.add_option("--prefix", options->prefix,
                 "what long-range heads read: search (default), or a control: off, random, recent, constant, sinks")
      ->check(CLI::IsMember(run_prefix_names()))
      ->type_name("KIND");
  app.add_option(
         "--no-capture", options->no_capture,
         "leave hits, nll or sinks (or several: hits,nll) out of the run folder; sinks are then not measured either")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"hits", "nll", "sinks"}))
      ->type_name("KINDS");
  app.add_flag("--carry-maps", options->carry_maps,
               "also record norms and drift of each carried tail (carry_maps.npy)");
  app.add_flag("--parse-special", options->parse_special, "parse special tokens in the text");
  app.add_flag("--json", options->json, "print the summary as JSON");
  app.add_flag("--quiet", options->quiet, "no progress on standard error");
  const auto config = std::make_shared<ConfigOptions>(app);
  config->add_preset(app);
  app.footer(R"(The model reads the text in segments: local heads see a carried tail of the previous segment, long-range
heads a prefix retrieved from all earlier ones. Defaults depend on the model; `carryover info MODEL` prints them.
Ctrl-C stops, writes what is done, and exits with 130; a second Ctrl-C exits at once.

Examples:
  carryover run model.gguf book.txt --out run1
  carryover run model.gguf book.txt --segment-length 2048 --carry-length 256 --retrieval-length 0
  carryover run model.gguf book.txt --policy full --dtype fp32 --tokens 2048 --json
  carryover run model.gguf book.txt --config run1/config.json --out run2      repeat a run
  carryover run model.gguf book.txt --force-hits run1/hits.jsonl --dtype bf16  the same retrieval, other numbers
  carryover run model.gguf --prompts questions.jsonl --against off --out set1   many texts, one table)");
  return [options, config] { return run(*options, *config); };
}

}  // namespace carryover
