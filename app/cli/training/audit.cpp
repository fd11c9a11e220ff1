// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/model_argument.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/verbs.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/campaigns/campaign_engine.h"
#include "engine/checkpoints/model_source.h"
#include "engine/data/text_source.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

namespace {

struct AuditOptions {
  std::string model, text, input_ids, gradients;
  std::int64_t lora_rank = 0;
  std::optional<std::int64_t> segments;
  bool no_checks = false, json = false, quiet = false;
};

/// Short segments by default: the checks run the model hundreds of times.
SegmentConfig audit_defaults(const ModelConfig& model) {
  SegmentConfig config = SegmentConfig::defaults_for(model);
  config.segment_length = std::min<std::int64_t>(config.segment_length, 32);
  config.carry_length = config.retrieval_length = std::min<std::int64_t>(config.carry_length, 8);
  return config;
}

/// Random tokens of the vocabulary where no text was given; the gradient does not mind.
std::vector<std::int32_t> draw_ids(std::int64_t count, std::int64_t vocabulary, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> ids;
  for (std::int64_t i = 0; i < count; ++i)
    ids.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(vocabulary)));
  return ids;
}

std::vector<std::int32_t> audited_ids(const AuditOptions& options, const RunSettings& settings,
                                      const ModelConfig& model) {
  const std::int64_t segments = options.segments.value_or(settings.config.truncation_depth + 3);
  const std::int64_t most = segments * settings.config.segment_length;
  std::vector<std::int32_t> ids;
  if (!options.input_ids.empty()) {
    ids = read_ids(options.input_ids, model.vocabulary);
    if (!options.segments) return ids;
  } else if (!options.text.empty()) {
    ids = Tokenizer::load(options.model)->encode(read_text(options.text));
  } else {
    return draw_ids(most, model.vocabulary, settings.seed);
  }
  if (std::ssize(ids) > most) ids.resize(static_cast<std::size_t>(most));
  return ids;
}

nlohmann::json report_json(const AuditReport& report) {
  nlohmann::json checks = nlohmann::json::array();
  for (const AuditCheck& check : report.checks)
    checks.push_back({{"name", check.name},
                      {"measure", check.measure},
                      {"difference", check.difference},
                      {"bound", check.bound},
                      {"margin", check.margin > 0 ? nlohmann::json(check.margin) : nlohmann::json()},
                      {"passed", check.passed()}});
  return {{"segments", report.segments},
          {"truncation_depth", report.truncation_depth},
          {"loss", report.loss},
          {"passed", report.passed()},
          {"checks", std::move(checks)}};
}

/// Columns that a name takes on a terminal: its characters, not its bytes.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string report_text(const AuditReport& report, const AuditOptions& options) {
  std::string text = std::to_string(report.segments) + " segments, K " + std::to_string(report.truncation_depth) +
                     ", loss " + fixed_text(report.loss, 6) + " nats\n";
  std::size_t width = 0;
  for (const AuditCheck& check : report.checks) width = std::max(width, columns(check.name));
  for (const AuditCheck& check : report.checks) {
    char numbers[80], margin[24] = "";
    if (check.margin > 0) std::snprintf(margin, sizeof margin, "margin %7.1e", check.margin);
    std::snprintf(numbers, sizeof numbers, "  %9.2e  (bound %7.1e)  %-14s  ", check.difference, check.bound, margin);
    text += (check.passed() ? "pass  " : "FAIL  ") + check.name + std::string(width - columns(check.name), ' ') +
            numbers + check.measure + "\n";
  }
  if (!options.gradients.empty()) text += "written    " + options.gradients + "\n";
  return text;
}

int audit(const AuditOptions& options, const ConfigOptions& config_options) {
  if (!options.text.empty() && !options.input_ids.empty())
    throw EngineError(Fault::Usage, "audit", "takes TEXT or --input-ids, not both", "Leave one out.");
  if (options.no_checks && options.gradients.empty())
    throw EngineError(Fault::Usage, "--no-checks", "leaves nothing to do", "Add --gradients FILE.");
  const ModelConfig model = ModelSource::open(options.model)->config();
  RunSettings settings = config_options.resolve(model, audit_defaults(model));
  if (settings.dtype == DType::Auto) settings.dtype = DType::Float64;
  if (settings.device == Device::Auto && settings.dtype == DType::Float64) settings.device = Device::Cpu;
  AuditRequest request;
  request.ids = std::make_shared<const std::vector<std::int32_t>>(audited_ids(options, settings, model));
  request.policy = settings.policy;
  request.config = settings.config;
  request.lora_rank = options.lora_rank;
  request.gradients_path = options.gradients;
  request.checks = !options.no_checks;

  RunControl control;
  const InterruptWatch interrupt(control);
  ProgressLine progress(options.quiet);
  const auto session =
      open_session({options.model, settings.dtype, settings.device, settings.threads, false, {}}, progress, control);
  request.progress = [&](double share, const std::string& what) {
    progress.status("auditing the gradient of " + std::to_string(request.ids->size()) + " tokens  " +
                    fixed_text(100 * share, 0) + " %  " + what);
  };
  const AuditReport report = session->audit(request, control);
  progress.clear();
  print(options.json ? report_json(report).dump(2) + "\n" : report_text(report, options));
  return report.passed() ? kExitOk : kExitFailure;
}

}  // namespace

VerbAction add_audit(CLI::App& app) {
  const auto options = std::make_shared<AuditOptions>();
  add_model(app, options->model)->required();
  app.add_option("TEXT", options->text, "text file, or - for standard input; random tokens by default")->type_name("");
  app.add_option("--input-ids", options->input_ids,
                 "JSON array of token ids, or a .npy file of integers, instead of TEXT")
      ->type_name("FILE");
  app.add_option("--segments", options->segments, "read this many segments (K + 3; all of --input-ids)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  app.add_option("--lora-rank", options->lora_rank, "audit an adapter of this rank on all modules")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  app.add_option("--gradients", options->gradients,
                 "write the gradient of the loss, summed over targets, by parameter name (safetensors)")
      ->type_name("FILE");
  app.add_flag("--no-checks", options->no_checks, "write --gradients and check nothing");
  app.add_flag("--json", options->json, "print the report as JSON");
  app.add_flag("--quiet", options->quiet, "no progress on standard error");
  const auto config = std::make_shared<ConfigOptions>(app);
  app.footer(R"(Compares the trainer's gradient with that of the truncated loss written out term by term and with finite
differences, by default in fp64 (--dtype) and with segments of 32 tokens (--segment-length); and runs of the text in
chunks and token by token with whole segments. "margin" is the distance between the gradients of K and of another K on
this model and text: bounds are well below it. The audited objective does not include distillation.
Exit code 0: every check passed; 1: a check failed, or the dtype cannot tell K from K - 1 and K + 1.

Examples:
  carryover audit tiny-model --truncation-depth 2 --segments 5
  carryover audit tiny-model --input-ids ids.json --gradients gradient.safetensors)");
  return [options, config] { return audit(*options, *config); };
}

}  // namespace carryover
