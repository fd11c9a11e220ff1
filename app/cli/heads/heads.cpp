// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/heads/heads_by_gates.h"
#include "app/cli/heads/heads_by_pattern.h"
#include "app/cli/heads/heads_by_recall.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/model_argument.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/verbs.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/campaigns/campaign_engine.h"
#include "engine/checkpoints/model_source.h"
#include "engine/config/head_patterns.h"
#include "engine/data/text_source.h"
#include "engine/formats/output_file.h"
#include "engine/heads/choice/head_agreement.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

namespace {

constexpr const char* kGatesMethod = "duo";

struct HeadOptions {
  std::string model, adapter, from, against, grouping, tsv, scores, patterns, dtype = "auto", device = "auto";
  std::string measure = "attention", method = "retrieval";
  std::vector<std::string> kinds, texts;
  RecallHeadOptions recall;
  DuoHeadOptions duo;
  std::optional<std::int64_t> tokens;
  double most_keys = 0.5;
  std::int64_t probes = 3, needle = 32, layers = 0, heads = 0, seed = 1;
  int threads = 0;
  bool json = false, quiet = false;
};

ModelRequest model_request(const HeadOptions& options) {
  return {options.model,  parse_dtype(options.dtype), parse_device(options.device), options.threads, false,
          options.adapter};
}

HeadProfileRequest make_request(const HeadOptions& options) {
  HeadProfileRequest request;
  if (!options.texts.empty()) {
    const auto tokenizer = Tokenizer::load(options.model);
    request.text =
        std::make_shared<const std::vector<std::int32_t>>(tokenizer->encode(read_text(options.texts.front())));
    request.kinds.push_back(ProbeKind::Passage);
  }
  if (!options.kinds.empty()) request.kinds.clear();
  for (const std::string& kind : options.kinds) request.kinds.push_back(parse_probe_kind(kind));
  request.tokens = options.tokens.value_or(request.tokens);
  request.probes = options.probes;
  request.needle = options.needle;
  request.seed = options.seed;
  return request;
}

HeadScores profile(const HeadOptions& options) {
  RunControl control;
  const InterruptWatch interrupt(control);
  ProgressLine progress(options.quiet);
  HeadProfileRequest request = make_request(options);
  request.progress = [&](double, const std::string& what) { progress.status("looking at heads: " + what); };
  const auto session = open_session(model_request(options), progress, control);
  const HeadProfile found = session->profile_heads(request, control);
  progress.clear();
  return mean_scores(found, parse_head_measure(options.measure));
}

HeadScores read_scores(const std::string& path, const ModelConfig& model) {
  return scores_from_text(read_text(path), model, path);
}

nlohmann::json report(const HeadScores& scores, const Grouping& proposal, const ModelConfig& model) {
  nlohmann::json shares = {{"proposed", captured_share(scores, proposal)}};
  for (const GroupingPreset& preset : grouping_presets(model))
    shares[preset.name] = captured_share(scores, preset.grouping);
  return {{"scores", head_score_json(scores)}, {"proposed", proposal}, {"captured", shares}};
}

nlohmann::json agreement(const HeadScores& scores, const HeadScores& other, const Grouping& proposal) {
  const std::size_t count = std::max<std::size_t>(1, retrieving_heads(proposal).size());
  const auto correlation = rank_correlation(scores, other);
  return {{"rank_correlation", correlation ? nlohmann::json(*correlation) : nlohmann::json()},
          {"best", count},
          {"shared", top_overlap(scores, other, count)}};
}

std::string agreement_text(const nlohmann::json& agreement) {
  const nlohmann::json& correlation = agreement.at("rank_correlation");
  return "agreement  rank correlation " + (correlation.is_null() ? "none" : fixed_text(correlation.get<double>(), 3)) +
         "; of the " + agreement.at("best").dump() + " best heads, " +
         fixed_text(100 * agreement.at("shared").get<double>(), 1) + " % are the same\n";
}

std::string report_text(const HeadScores& scores, const nlohmann::json& report) {
  std::vector<HeadRef> order = ranked_heads(scores);
  order.resize(std::min<std::size_t>(order.size(), 12));
  std::string text = "retrieving heads, by what they give to the token that has to be copied\n";
  for (const auto& [layer, head] : order)
    text += "  layer " + std::to_string(layer) + ", head " + std::to_string(head) + "  " +
            fixed_text(scores.at(layer, head), 3) + "\n";
  text += "share of all scores that the retrieving heads of a grouping hold\n";
  for (const auto& [name, share] : report.at("captured").items()) {
    std::string padded = name;
    padded.resize(std::max<std::size_t>(padded.size(), 16), ' ');
    text += "  " + padded + fixed_text(100 * share.get<double>(), 1) + " %\n";
  }
  if (report.contains("agreement")) text += agreement_text(report.at("agreement"));
  return text + "proposed   " + report.at("proposed").dump() + "\n";
}

int recall_heads(const HeadOptions& options) {
  RecallHeadOptions recall = options.recall;
  recall.order.texts = options.texts;
  recall.grouping = options.grouping;
  recall.order.seed = options.seed;
  recall.json = options.json;
  recall.quiet = options.quiet;
  return find_recall_heads(recall, model_request(options));
}

/// Refuses flags that only another method reads or writes, because their missing files would go unnoticed.
void refuse_flags_of_others(const HeadOptions& options) {
  const bool patterns = options.method == kPatternPolicy, gates = options.method == kGatesMethod;
  if (!patterns && !options.patterns.empty())
    throw EngineError(Fault::Usage, "--patterns-out", "has no patterns to write", "Add --method minference.");
  if (!gates && !options.duo.out.empty())
    throw EngineError(Fault::Usage, "--gates-out", "has no gates to write", "Add --method duo.");
  const bool recall = options.recall.wanted, probes = !patterns && !gates && !recall;
  if (!gates && !recall && !options.recall.evidence.empty())
    throw EngineError(Fault::Usage, "--evidence", "has no evidence to keep", "Add --recall or --method duo.");
  if (probes) return;
  const std::string method = patterns || gates ? "--method " + options.method : "--recall";
  for (const auto& [flag, given] : {std::pair("--recall", recall && (patterns || gates)),
                                    {"--kinds", !options.kinds.empty()},
                                    {"--from", !options.from.empty()},
                                    {"--against", !options.against.empty()},
                                    {"--layers", options.layers > 0},
                                    {"--heads", options.heads > 0},
                                    {"--grouping-out", patterns && !options.grouping.empty()},
                                    {"--tsv-out", !options.tsv.empty()},
                                    {"--scores-out", !options.scores.empty()}})
    if (given) throw EngineError(Fault::Usage, flag, "is not for " + method, "Leave out one of them.");
}

int duo_heads(const HeadOptions& options) {
  DuoHeadOptions duo = options.duo;
  duo.texts = options.texts;
  duo.tokens = options.tokens;
  duo.seed = options.seed;
  duo.evidence = options.recall.evidence;
  duo.grouping = options.grouping;
  duo.json = options.json;
  duo.quiet = options.quiet;
  return find_duo_heads(duo, model_request(options));
}

int pattern_heads(const HeadOptions& options) {
  PatternHeadOptions patterns;
  if (!options.texts.empty()) patterns.text = options.texts.front();
  patterns.tokens = options.tokens;
  patterns.most_keys = options.most_keys;
  patterns.out = options.patterns;
  patterns.json = options.json;
  patterns.quiet = options.quiet;
  return find_patterns(patterns, model_request(options));
}

int heads(const HeadOptions& options) {
  refuse_flags_of_others(options);
  if (options.recall.wanted) return recall_heads(options);
  if (options.method == kGatesMethod) return duo_heads(options);
  if (options.texts.size() > 1)
    throw EngineError(Fault::Usage, "heads", "takes one text", "Name several with --recall or --method duo.");
  if (options.method == kPatternPolicy) return pattern_heads(options);
  const ModelConfig model = ModelSource::open(options.model)->config();
  const HeadScores scores = options.from.empty() ? profile(options) : read_scores(options.from, model);
  const Grouping usual = default_grouping(model);
  const std::int64_t layers = options.layers > 0 ? options.layers : std::ssize(usual.long_range_layers());
  const std::int64_t count = options.heads > 0 ? options.heads : std::ssize(usual.long_heads(0));
  const Grouping proposal = propose_grouping(scores, model, layers, count);
  nlohmann::json found = report(scores, proposal, model);
  if (!options.against.empty()) found["agreement"] = agreement(scores, read_scores(options.against, model), proposal);
  if (!options.grouping.empty()) write_file_atomically(options.grouping, nlohmann::json(proposal).dump(2) + "\n");
  if (!options.tsv.empty()) write_file_atomically(options.tsv, duo_tsv(scores, model));
  if (!options.scores.empty()) write_file_atomically(options.scores, head_score_json(scores).dump() + "\n");
  print(options.json ? found.dump(2) + "\n" : report_text(scores, found));
  return kExitOk;
}

}  // namespace

VerbAction add_heads(CLI::App& app) {
  const auto options = std::make_shared<HeadOptions>();
  const auto positive = [&app](const char* name, auto& value, const char* type, const char* help) {
    app.add_option(name, value, help)->check(CLI::PositiveNumber)->type_name(type);
  };
  add_model(app, options->model)->required();
  app.add_option("TEXT", options->texts,
                 "text whose passages are probes, in addition to random tokens; with --recall the novels into which "
                 "needles are inserted; with --method minference the text (default: the demo's); with --method duo "
                 "files and folders into which passkeys are inserted (default: generated sentences)")
      ->type_name("");
  app.add_option("--adapter", options->adapter, "PEFT folder (LoRA) that is merged into the model's weights")
      ->type_name("DIR");
  app.add_option("--method", options->method,
                 "what to find: retrieval (default), the heads that copy; minference, each head's pattern for that "
                 "policy; duo, the KV heads that need the whole text, by DuoAttention's gates")
      ->check(CLI::IsMember({"retrieval", "minference", kGatesMethod}))
      ->type_name("NAME");
  app.add_option("--kinds", options->kinds,
                 "kinds of probes: copy (random tokens again), needle (a key's value), passage (of TEXT)")
      ->delimiter(',')
      ->check(CLI::IsMember({"copy", "needle", "passage"}))
      ->type_name("LIST");
  app.add_option("--measure", options->measure,
                 "score of a head: attention (default) on the token to be copied, or copies, how often that token gets "
                 "the most attention")
      ->check(CLI::IsMember({"attention", "copies"}))
      ->type_name("NAME");
  positive("--tokens", options->tokens, "N",
           "length of each probe (512); of --method minference: of the text (the model's context, at most 8192); of "
           "--method duo: of the longest text (1024)");
  positive("--probes", options->probes, "N", "probes of each kind (3)");
  positive("--needle", options->needle, "N", "tokens of a needle, and of a passage of TEXT (32)");
  positive("--layers", options->layers, "N", "layers to propose (as many as the model's default)");
  positive("--heads", options->heads, "N", "heads to propose in each (as many as the model's default)");
  positive("--seed", options->seed, "N", "seed of the random tokens (1)");
  app.add_option("--from", options->from, "take scores from a DuoAttention .tsv or a retrieval-head .json instead")
      ->type_name("FILE");
  app.add_option("--against", options->against, "report how well the scores agree with those of such a file")
      ->type_name("FILE");
  app.add_option("--grouping-out", options->grouping, "write the proposed grouping, for --config")->type_name("FILE");
  app.add_option("--tsv-out", options->tsv, "write the scores as DuoAttention's full_attention_heads.tsv")
      ->type_name("FILE");
  app.add_option("--scores-out", options->scores, "write the scores as retrieval-head JSON")->type_name("FILE");
  app.add_option("--patterns-out", options->patterns,
                 "write the patterns of --method minference as MInference's JSON, for --head-patterns")
      ->type_name("FILE");
  app.add_option("--most-keys", options->most_keys,
                 "share of full attention's keys that a pattern of --method minference may see (0.5)")
      ->type_name("SHARE");
  app.add_option("--dtype", options->dtype, "auto (default: the faster), fp32, bf16, fp64 or q8")->type_name("TYPE");
  app.add_option("--device", options->device, "auto (default: a GPU if there is one), cpu or cuda")->type_name("NAME");
  app.add_option("--threads", options->threads, "CPU threads; 0 (default): all, or one for a very small model")
      ->type_name("N");
  app.add_flag("--json", options->json, "print everything as JSON");
  app.add_flag("--quiet", options->quiet, "no progress on standard error");
  options->recall.add_to(app);
  options->duo.add_to(app);
  app.footer(
      R"(Runs probes under full attention: random tokens that are repeated, needles in a haystack whose values the
end asks for, and passages of TEXT that are repeated after it. A head's score is its attention to the token that has to
be copied next. Examples:
  carryover heads smollm2.gguf novel.txt --grouping-out heads.json
  carryover run smollm2.gguf novel.txt --config heads.json
With --method minference: runs one text under full attention; each head gets the pattern whose output is closest to
its full output, by MInference's search. Example:
  carryover heads smollm2.gguf novel.txt --method minference --patterns-out patterns.json
  carryover run smollm2.gguf novel.txt --policy minference --head-patterns patterns.json
With --method duo: learns for each KV head a gate between full attention and sinks with a window, on texts with
passkeys; the weights do not change. Each step has its own text; a stopped run continues from --evidence. Example:
  carryover heads smollm2.gguf novel.txt --method duo --evidence gates.json --gates-out duo --grouping-out heads.json
  carryover run smollm2.gguf novel.txt --policy duo --config heads.json --sink-length 128 --attention-window 256
With --recall: finds the heads whose search finds a needle, and those that have to read it, on sentences inserted into
novels. Takes minutes for a small model; a stopped run continues from --evidence. Example:
  carryover heads smollm2.gguf novel.txt another.txt --recall --evidence found.json --grouping-out heads.json
  carryover generate smollm2.gguf --preset recall --config heads.json --prompt-file book.txt --question "Who came?")");
  return [options] { return heads(*options); };
}

}  // namespace carryover
