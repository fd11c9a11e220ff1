// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/verbs.h"
#include "engine/api/engine_library.h"
#include "engine/core/base/error.h"
#include "engine/core/base/text_parts.h"
#include "engine/data/text_source.h"
#include "engine/formats/json_file.h"
#include "engine/models/model_source.h"
#include "engine/models/trained_under.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

namespace {

struct GenerateOptions {
  std::string model, adapter, prompt_file, question;
  std::int64_t max_new_tokens = 128;
  double temperature = 0, top_p = 1;
  bool parse_special = false, ignore_eos = false, json = false, quiet = false;
};

/// Where the last paragraph of a text begins, or its last chat turn where it has one.
std::size_t question_start(std::string_view text) {
  for (const std::string_view turn : {"<|im_start|>user", "<|start_header_id|>user", "[INST]"})
    if (const std::size_t start = text.rfind(turn); start != std::string_view::npos) return start;
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  const std::size_t blank = text.substr(0, end == std::string_view::npos ? 0 : end).rfind("\n\n");
  return blank == std::string_view::npos ? 0 : blank + 2;
}

/// --question, behind the prompt, or the prompt's own last part.
void add_question(GenerateRequest& request, const GenerateOptions& options, const std::string& text,
                  const Tokenizer& tokenizer) {
  const auto encode = [&](const std::string& part) { return tokenizer.encode(part, options.parse_special); };
  if (!options.question.empty()) {
    const std::vector<std::int32_t> question = encode(options.question);
    request.prompt.insert(request.prompt.end(), question.begin(), question.end());
    request.question_length = std::ssize(question);
    return;
  }
  // Tokens may lie across its beginning: it begins with the first one that differs.
  const std::vector<std::int32_t> before = encode(text.substr(0, question_start(text)));
  const auto first = std::ranges::mismatch(before, request.prompt).in2;
  request.question_length = request.prompt.end() - first;
}

GenerateRequest make_request(const GenerateOptions& options, const RunSettings& settings, const ModelConfig& model,
                             const Tokenizer& tokenizer) {
  GenerateRequest request;
  const std::string text = read_text(options.prompt_file);
  request.prompt = tokenizer.encode(text, options.parse_special);
  if (settings.config.question_pass) add_question(request, options, text, tokenizer);
  if (settings.config.bos) {
    if (!tokenizer.bos()) throw EngineError(Fault::BadInput, options.model, "has no BOS token", "Leave out --bos.");
    request.prompt.insert(request.prompt.begin(), *tokenizer.bos());
  }
  if (!options.ignore_eos) {
    if (tokenizer.eos()) request.stop_ids.push_back(*tokenizer.eos());
    if (model.eos_id) request.stop_ids.push_back(static_cast<std::int32_t>(*model.eos_id));
  }
  request.max_new_tokens = options.max_new_tokens;
  request.policy = settings.policy;
  request.config = settings.config;
  request.sampling = {options.temperature, options.top_p, settings.seed};
  return request;
}

void report(const GenerateRequest& request, const GenerateResult& result) {
  const auto rate = [](std::size_t tokens, double seconds) {
    return seconds > 0 ? fixed_text(static_cast<double>(tokens) / seconds, 1) + " tokens/s" : std::string("-");
  };
  std::fprintf(stderr, "prompt %zu tokens, %s; answer %zu tokens, %s\n", request.prompt.size(),
               rate(request.prompt.size(), result.prompt_seconds).c_str(), result.ids.size(),
               rate(result.ids.size(), result.decode_seconds).c_str());
}

int generate(const GenerateOptions& options, const ConfigOptions& config_options) {
  const ModelConfig model = ModelSource::open(options.model)->config();
  const RunSettings settings = config_options.resolve(model, initial_config(model, options.model, options.adapter));
  if (!options.question.empty() && !settings.config.question_pass)
    throw EngineError(Fault::Usage, "--question", "is for --question-pass, which is off",
                      "Add --question-pass or --preset recall, or write the question into the prompt.");
  const auto tokenizer = Tokenizer::load(options.model);
  const GenerateRequest request = make_request(options, settings, model, *tokenizer);

  RunControl control;
  const InterruptWatch interrupt(control);
  ProgressLine progress(options.quiet);
  const auto session =
      load_session({options.model, settings.dtype, settings.device, settings.threads, true, options.adapter},
                   [&](double fraction, const std::string& what) {
                     control.checkpoint();
                     progress.loading(fraction, what);
                   });
  progress.clear();
  StreamDecoder decoder(tokenizer);
  std::string text;
  const auto emit = [&](const std::string& piece) {
    text += piece;
    if (!options.json && !piece.empty()) print(piece);
  };
  const auto on_token = [&](std::int32_t id) {
    const bool stop = std::find(request.stop_ids.begin(), request.stop_ids.end(), id) != request.stop_ids.end();
    if (!stop) emit(decoder.push(id));
    return true;
  };
  const GenerateResult result = session->generate(request, on_token, control);
  emit(decoder.finish());
  if (options.json) {
    const nlohmann::json json{{"prompt_tokens", request.prompt.size()},
                              {"ids", result.ids},
                              {"text", text},
                              {"question_tokens", request.question_length},
                              {"question_hits", result.question_hits},
                              {"prompt_seconds", result.prompt_seconds},
                              {"draft_seconds", result.draft_seconds},
                              {"decode_seconds", result.decode_seconds},
                              {"cancelled", result.cancelled}};
    print(json_text(json, 2) + "\n");
  } else {
    print("\n");
  }
  if (!options.quiet) report(request, result);
  return result.cancelled ? kExitStopped : kExitOk;
}

}  // namespace

VerbAction add_generate(CLI::App& app) {
  const auto options = std::make_shared<GenerateOptions>();
  app.add_option("MODEL", options->model, "Hugging Face folder or GGUF file")->type_name("")->required();
  app.add_option("--prompt-file", options->prompt_file, "UTF-8 text to continue, or - for standard input")
      ->required()
      ->type_name("FILE");
  app.add_option("--question", options->question,
                 "text behind the prompt that --question-pass runs twice; without it the prompt's last paragraph or "
                 "chat turn")
      ->type_name("TEXT");
  app.add_option("--adapter", options->adapter, "PEFT folder (LoRA) that is merged into the model's weights")
      ->type_name("DIR");
  app.add_option("--max-new-tokens", options->max_new_tokens, "most tokens to add (128)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  app.add_option("--temperature", options->temperature, "0 (default) takes the likeliest token; more is more random")
      ->check(CLI::NonNegativeNumber)
      ->type_name("T");
  app.add_option("--top-p", options->top_p, "draw among the likeliest tokens that make up this share (1)")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("P");
  app.add_flag("--parse-special", options->parse_special, "text that spells a special token becomes that token");
  app.add_flag("--ignore-eos", options->ignore_eos, "go on past the model's end-of-text token");
  app.add_flag("--json", options->json, "one JSON object at the end instead of text as it comes");
  app.add_flag("--quiet", options->quiet, "no progress and no timing on standard error");
  const auto config = std::make_shared<ConfigOptions>(app);
  config->add_preset(app);
  app.footer(R"(Examples:
  carryover generate model.gguf --prompt-file question.txt --max-new-tokens 200
  echo 'Once upon a time' | carryover generate model.gguf --prompt-file - --temperature 0.8 --top-p 0.95 --seed 7
  carryover generate model.gguf --prompt-file long.txt --boundary-at-prompt-end
  carryover generate model.gguf --preset recall --prompt-file book.txt --question "Who wrote the letter?")");
  return [options, config] { return generate(*options, *config); };
}

}  // namespace carryover
