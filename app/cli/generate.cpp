// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/cli/commands.h"
#include "app/cli/config_options.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/model_argument.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/verbs.h"
#include "engine/base/byte_size.h"
#include "engine/base/error.h"
#include "engine/base/terminal_text.h"
#include "engine/base/text_parts.h"
#include "engine/campaigns/campaign_engine.h"
#include "engine/checkpoints/model_source.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/config/head_reads.h"
#include "engine/data/text_source.h"
#include "engine/formats/json_file.h"
#include "engine/runs/records/state_header.h"
#include "engine/tokenizers/end_tokens.h"
#include "engine/tokenizers/noted_tokenizer.h"
#include "engine/tokenizers/token_checks.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

namespace {

struct GenerateOptions {
  std::string model, adapter, prompt_file, input_ids, save_state, load_state;
  std::vector<std::string> questions;
  std::int64_t max_new_tokens = 128;
  double temperature = 0, top_p = 1;
  bool parse_special = false, ignore_eos = false, logprobs = false, json = false, quiet = false;
};

void check_options(const GenerateOptions& options) {
  const auto refuse = [](const char* flag, const char* problem, const char* advice) {
    throw EngineError(Fault::Usage, flag, problem, advice);
  };
  const bool loads = !options.load_state.empty(), prompts = !options.prompt_file.empty(),
             ids = !options.input_ids.empty();
  if (loads && (prompts || ids)) refuse("--load-state", "can't be combined with another document", "Leave one out.");
  if (prompts && ids) refuse("--input-ids", "can't be combined with --prompt-file", "Leave one out.");
  if (!loads && !prompts && !ids)
    refuse("--prompt-file", "is missing", "Name a text, - for standard input, or a state with --load-state.");
  if (ids && (!options.json || !options.questions.empty()))
    refuse("--input-ids", "reads and writes token ids only", "Add --json, and leave out --question.");
  if (options.logprobs && !options.json) refuse("--logprobs", "needs --json", "Add --json.");
  if (loads && !options.save_state.empty())
    refuse("--save-state", "would write what --load-state reads", "Copy the file, or leave one out.");
  if (std::ranges::count(options.questions, std::string()) > 0) refuse("--question", "is empty", "Write one.");
  if (loads && options.questions.empty()) refuse("--load-state", "needs a question", "Add --question TEXT.");
}

/// Returns the byte at which the last paragraph of a text begins, or its last chat turn where it has one.
std::size_t question_start(std::string_view text) {
  for (const std::string_view turn : {"<|im_start|>user", "<|start_header_id|>user", "[INST]"})
    if (const std::size_t start = text.rfind(turn); start != std::string_view::npos) return start;
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  const std::size_t blank = text.substr(0, end == std::string_view::npos ? 0 : end).rfind("\n\n");
  return blank == std::string_view::npos ? 0 : blank + 2;
}

/// Returns the number of tokens of the question that is the text's own last part. A token may lie across the question's
/// beginning: the question begins with the first token that differs from those of the text before it alone.
std::int64_t own_question_length(const GenerateOptions& options, const std::string& text, const Tokenizer& tokenizer,
                                 const std::vector<std::int32_t>& ids) {
  const std::vector<std::int32_t> before =
      tokenizer.encode(text.substr(0, question_start(text)), options.parse_special);
  return ids.end() - std::ranges::mismatch(before, ids).in2;
}

/// Reads the prompt, or the document before --question.
void read_prompt(GenerateRequest& request, const GenerateOptions& options, const ModelConfig& model,
                 const Tokenizer* own) {
  if (own == nullptr) {
    request.prompt = read_ids(options.input_ids, model.vocabulary);
    return;
  }
  const Tokenizer& tokenizer = *own;
  const std::string text = read_text(options.prompt_file);
  request.prompt = tokenizer.encode(text, options.parse_special);
  require_rows(request.prompt, model.vocabulary, tokenizer);
  if (request.config.question_pass && options.questions.empty() && options.save_state.empty())
    request.question_length = own_question_length(options, text, tokenizer, request.prompt);
  if (request.config.bos) put_bos_first(request.prompt, tokenizer, options.model);
}

/// Everything but the prompt.
GenerateRequest make_request(const GenerateOptions& options, const RunSettings& settings, const Tokenizer* tokenizer) {
  GenerateRequest request;
  if (!options.ignore_eos)
    request.stop_ids = tokenizer != nullptr ? tokenizer->end_ids() : model_end_tokens(options.model);
  request.max_new_tokens = options.max_new_tokens;
  request.policy = settings.policy;
  request.config = settings.config;
  request.sampling = {options.temperature, options.top_p, settings.seed};
  request.logprobs = options.logprobs;
  return request;
}

/// Flags over what the state was saved under, which they may not change but for how a question is read.
RunSettings settings_of_state(const std::string& path, const ConfigOptions& config_options, const ModelConfig& model) {
  const StateHeader saved = read_state_header(path);
  RunSettings start;
  start.policy = saved.policy;
  start.config = saved.config;
  start.dtype = saved.dtype;
  RunSettings settings = config_options.resolve(model, start);
  std::string others = settings.policy == saved.policy ? "" : "policy";
  const nlohmann::json was = as_read(saved.config), is = as_read(settings.config);
  for (const auto& [key, value] : is.items())
    if (was.at(key) != value) others += (others.empty() ? "" : ", ") + key;
  if (!others.empty())
    throw EngineError(Fault::BadInput, path, "was read under other settings than the flags say: " + others,
                      "Leave these flags out, or read the document again.");
  return settings;
}

void report(const GenerateRequest& request, const GenerateResult& result, bool loaded) {
  const auto rate = [](std::size_t tokens, double seconds) {
    return seconds > 0 ? fixed_text(static_cast<double>(tokens) / seconds, 1) + " tokens/s" : std::string("-");
  };
  const std::size_t read = loaded ? static_cast<std::size_t>(request.question_length) : request.prompt.size();
  print_error_line(std::string(loaded ? "question " : "prompt ") + std::to_string(read) + " tokens, " +
                   rate(read, result.prompt_seconds) + "; answer " + std::to_string(result.ids.size()) + " tokens, " +
                   rate(result.ids.size(), result.decode_seconds));
}

/// Generates, to standard output as it comes or into `answers`. Returns whether it was not stopped.
class Answering {
 public:
  Answering(Session& session, const GenerateOptions& options, std::shared_ptr<const Tokenizer> tokenizer,
            RunControl& control)
      : session_(session), options_(options), tokenizer_(std::move(tokenizer)), control_(control) {}

  bool answer(const GenerateRequest& request, const std::string& question, bool read_before) {
    if (tokenizer_ == nullptr) return answer_ids(request);
    StreamDecoder decoder(tokenizer_);
    std::string text;
    const auto emit = [&](const std::string& piece) {
      text += piece;
      if (!options_.json && !piece.empty()) print_exactly(piece);
    };
    const auto on_token = [&](const GeneratedToken& token) {
      emit(decoder.push(token.id));
      return true;
    };
    if (!options_.json && options_.questions.size() > 1) print_exactly(question + "\n");
    const GenerateResult result = session_.generate(request, on_token, control_);
    emit(decoder.finish());
    if (options_.json)
      add_json(request, result, question, text);
    else
      print("\n");
    if (!options_.quiet) report(request, result, read_before);
    return !result.cancelled;
  }

  /// One object, or a list of them where there are several questions.
  void finish() const {
    if (options_.json) print(json_text(options_.questions.size() > 1 ? answers_ : answers_.front(), 2) + "\n");
  }

 private:
  /// Generates an answer as ids only, for a model without a tokenizer, or where the text doesn't matter.
  bool answer_ids(const GenerateRequest& request) {
    const GenerateResult result = session_.generate(
        request, [](const GeneratedToken&) { return true; }, control_);
    add_json(request, result, {}, {});
    if (!options_.quiet) report(request, result, false);
    return !result.cancelled;
  }

  void add_json(const GenerateRequest& request, const GenerateResult& result, const std::string& question,
                const std::string& text) {
    answers_.push_back({{"prompt_tokens", request.prompt.size()},
                        {"ids", result.ids},
                        {"text", text},
                        {"question_tokens", request.question_length},
                        {"question_hits", result.question_hits},
                        {"prompt_seconds", result.prompt_seconds},
                        {"draft_seconds", result.draft_seconds},
                        {"decode_seconds", result.decode_seconds},
                        {"cancelled", result.cancelled}});
    if (options_.questions.size() > 1) answers_.back()["question"] = question;
    if (options_.logprobs) answers_.back()["logprobs"] = result.logprobs;
  }

  Session& session_;
  const GenerateOptions& options_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  RunControl& control_;
  nlohmann::json answers_ = nlohmann::json::array();
};

void save_document(Session& session, const GenerateOptions& options, const GenerateRequest& request,
                   ProgressLine& progress, RunControl& control) {
  RunRequest document;
  document.ids = std::make_shared<const std::vector<std::int32_t>>(request.prompt);
  document.policy = request.policy;
  document.config = request.config;
  const StateInfo info = session.read_document(
      document,
      [&](double fraction, const std::string& what) {
        progress.status(what + "  " + fixed_text(100 * fraction, 0) + " %");
      },
      control);
  session.save_state(options.save_state);
  progress.note(std::to_string(request.prompt.size()) + " tokens read; their state, " +
                size_text(static_cast<double>(info.bytes)) + ", is in " + options.save_state);
}

int generate(const GenerateOptions& options, const ConfigOptions& config_options) {
  check_options(options);
  const bool loads = !options.load_state.empty(), saves = !options.save_state.empty();
  const ModelConfig model = ModelSource::open(options.model)->config();
  const RunSettings settings =
      loads ? settings_of_state(options.load_state, config_options, model)
            : config_options.resolve(model, initial_config(model, options.model, options.adapter));
  const std::shared_ptr<const Tokenizer> tokenizer =
      options.input_ids.empty() ? load_tokenizer(options.model) : nullptr;
  GenerateRequest request = make_request(options, settings, tokenizer.get());
  if (!loads) read_prompt(request, options, model, tokenizer.get());

  RunControl control;
  const InterruptWatch interrupt(control);
  ProgressLine progress(options.quiet);
  const auto session = open_session(
      {options.model, settings.dtype, settings.device, settings.threads, true, options.adapter}, progress, control);
  if (!tokenizer && settings.config.question_pass && retrieves(settings.config, model))
    progress.note(
        "question_pass does not apply to token ids: each segment reads what the queries of the previous segment found");
  if (loads) request.prompt = *session->load_state(options.load_state).ids;
  if (saves) save_document(*session, options, request, progress, control);
  progress.clear();
  if (saves && options.questions.empty()) return kExitOk;

  Answering answering(*session, options, tokenizer, control);
  bool finished = true;
  if (options.questions.empty()) finished = answering.answer(request, {}, false);
  const std::vector<std::int32_t> document = request.prompt;
  for (std::size_t i = 0; i < options.questions.size() && finished; ++i) {
    const std::vector<std::int32_t> question = tokenizer->encode(options.questions[i], options.parse_special);
    require_rows(question, model.vocabulary, *tokenizer);
    request.prompt = document;
    request.prompt.insert(request.prompt.end(), question.begin(), question.end());
    request.question_length = std::ssize(question);
    finished = answering.answer(request, options.questions[i], loads || saves || i > 0);
  }
  answering.finish();
  return finished ? kExitOk : kExitStopped;
}

}  // namespace

VerbAction add_generate(CLI::App& app) {
  const auto options = std::make_shared<GenerateOptions>();
  add_model(app, options->model)->required();
  app.add_option("--prompt-file", options->prompt_file, "text to continue, or - for standard input")->type_name("FILE");
  app.add_option(
         "--input-ids", options->input_ids,
         "JSON array of token ids, or a .npy file of integers, instead of a text; needs --json, which holds the "
         "ids of the answer")
      ->type_name("FILE");
  app.add_option("--question", options->questions,
                 "question after the prompt; the prompt is read as a document whose last segment ends where the "
                 "question begins. May be given several times: each question is answered from the same state. Without "
                 "it, --question-pass takes the prompt's last paragraph or chat turn")
      ->allow_extra_args(false)
      ->type_name("TEXT");
  app.add_option("--save-state", options->save_state,
                 "read the prompt as a document and write the state after it; without --question, nothing is generated")
      ->type_name("FILE");
  app.add_option("--load-state", options->load_state,
                 "file of --save-state, instead of --prompt-file; the document is not read again. Policy, settings and "
                 "dtype come from the file")
      ->type_name("FILE");
  app.add_option("--adapter", options->adapter, "PEFT folder (LoRA) that is merged into the model's weights")
      ->type_name("DIR");
  app.add_option("--max-new-tokens", options->max_new_tokens, "maximum number of tokens to generate (128)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  app.add_option("--temperature", options->temperature,
                 "0 (default) takes the most likely token; higher values are more random")
      ->check(CLI::NonNegativeNumber)
      ->type_name("T");
  app.add_option("--top-p", options->top_p,
                 "sample from the most likely tokens that have this probability together (1)")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("P");
  app.add_flag("--parse-special", options->parse_special, "parse special tokens in the text");
  app.add_flag("--ignore-eos", options->ignore_eos, "continue past the model's end-of-text token");
  app.add_flag("--logprobs", options->logprobs, "add the log-probability of each token to --json");
  app.add_flag("--json", options->json, "print one JSON object at the end instead of streaming text");
  app.add_flag("--quiet", options->quiet, "no progress and no timing on standard error");
  const auto config = std::make_shared<ConfigOptions>(app);
  config->add_preset(app);
  app.footer(R"(Examples:
  carryover generate model.gguf --prompt-file question.txt --max-new-tokens 200
  echo 'Once upon a time' | carryover generate model.gguf --prompt-file - --temperature 0.8 --top-p 0.95 --seed 7
  carryover generate model.gguf --prompt-file long.txt --boundary-at-prompt-end
  carryover generate model.gguf --preset recall --prompt-file book.txt --question "Who wrote the letter?"
  carryover generate model.gguf --preset recall --prompt-file book.txt --save-state book.state
  carryover generate model.gguf --load-state book.state --question "Who wrote it?" --question "To whom?")");
  return [options, config] { return generate(*options, *config); };
}

}  // namespace carryover
