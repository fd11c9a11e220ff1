// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/heads/heads_by_gates.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/heads/evidence_file.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/campaigns/campaign_engine.h"
#include "engine/data/corpus.h"
#include "engine/families/family.h"
#include "engine/formats/fingerprint.h"
#include "engine/formats/make_folder.h"
#include "engine/formats/output_file.h"
#include "engine/heads/choice/duo_gates.h"
#include "engine/heads/choice/passkey_parts.h"
#include "engine/tasks/base/made_text.h"
#include "engine/tokenizers/token_checks.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::int64_t kDefaultTokens = 1024;             // of a text: what a processor learns on in minutes
constexpr std::int64_t kMostHay = std::int64_t{1} << 20;  // tokens that are kept of the texts
constexpr std::int64_t kMostTextTokens = std::int64_t{1} << 20;

/// Sentences for four texts: each begins anywhere in them.
std::vector<std::int32_t> made_hay(const Tokenizer& tokenizer, std::int64_t tokens, std::int64_t seed) {
  SplitMix draw = sample_draw(static_cast<std::uint64_t>(seed), 0);
  std::vector<std::int32_t> hay;
  while (std::ssize(hay) < 4 * tokens)
    for (const std::int32_t id : tokenizer.encode(filler_sentence(draw))) hay.push_back(id);
  return hay;
}

std::vector<std::int32_t> read_hay(const std::vector<std::string>& texts, const Tokenizer& tokenizer,
                                   RunControl& control) {
  CorpusRequest request;
  request.data = texts;
  std::vector<std::int32_t> hay;
  for (const Document& document : read_corpus(request, tokenizer, {}, control).train) {
    const std::int64_t more = std::min<std::int64_t>(std::ssize(document.ids), kMostHay - std::ssize(hay));
    hay.insert(hay.end(), document.ids.begin(), document.ids.begin() + more);
  }
  return hay;
}

DuoGatesRequest make_gates_request(const DuoHeadOptions& options, const ModelInfo& model, RunControl& control) {
  const std::int64_t context = model.config.context,
                     usual = context > 0 ? std::min(context, kDefaultTokens) : kDefaultTokens;
  DuoGatesRequest request;
  request.plan.longest = options.tokens.value_or(usual);
  request.plan.shortest = options.shortest.value_or(request.plan.longest);
  if (request.plan.longest > kMostTextTokens)
    throw EngineError(Fault::Usage, "--tokens", "is more than 2^20", "Learn gates on shorter texts.");
  const auto tokenizer = Tokenizer::load(model.path);
  request.parts = make_passkey_parts(options.texts.empty() ? made_hay(*tokenizer, request.plan.longest, options.seed)
                                                           : read_hay(options.texts, *tokenizer, control),
                                     *tokenizer, options.seed);
  if (family_of(model.config).starts_with_bos) put_any_bos_first(request.parts.opening, *tokenizer);
  request.plan.words = options.words;
  request.plan.seed = options.seed;
  request.plan.passkeys = options.passkeys.value_or(
      std::max<std::int64_t>(1, passkeys_that_fit(request.parts, options.words, request.plan.shortest)));
  request.sinks = options.sinks;
  request.recent = options.recent;
  request.steps = options.steps;
  request.rate = options.rate;
  request.l1 = options.l1;
  check_gates_request(request, model.config);
  return request;
}

/// Returns a fingerprint of the inputs that gates are learned from: learning can't continue from the gates of other
/// inputs.
std::string inputs_of(const DuoGatesRequest& request, const ModelInfo& model) {
  const PasskeyParts& parts = request.parts;
  Fingerprint inputs;
  inputs.add(json{model.weights_hash, std::string(dtype_name(model.dtype)), duo_config_json(request), parts.opening,
                  parts.closing, parts.statements, parts.questions, parts.ending, parts.words}
                 .dump());
  inputs.add(std::as_bytes(std::span(*parts.hay)));
  return inputs.hex();
}

/// "3 min left", by the time that the share since the first call took.
class TimeLeft {
 public:
  std::string after(double share) {
    const auto now = Clock::now();
    if (!begun_) begun_ = {now, share};
    if (share <= begun_->second) return {};
    const double seconds = std::chrono::duration<double>(now - begun_->first).count();
    const double left = seconds * (1 - share) / (share - begun_->second);
    return ", " + (left < 90 ? fixed_text(left, 0) + " s" : fixed_text(left / 60, 0) + " min") + " left";
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<std::pair<Clock::time_point, double>> begun_;
};

std::string cost_text(const DuoGatesRequest& request) {
  const PasskeyPlan& plan = request.plan;
  const std::string lengths =
      (plan.shortest < plan.longest ? std::to_string(plan.shortest) + " to " : "") + std::to_string(plan.longest);
  return "learning gates: " + std::to_string(request.steps) + " steps, each on a text of " + lengths +
         " tokens (passkeys: " + std::to_string(plan.passkeys) + "), read forward three times and backward once";
}

void write_duo_folder(const std::string& folder, const DuoGates& gates, const DuoGatesRequest& request) {
  make_folder(folder);
  write_file_atomically((fs::path(folder) / "full_attention_heads.tsv").string(), gates_tsv(gates));
  write_file_atomically((fs::path(folder) / "config.json").string(), duo_config_json(request).dump(2) + "\n");
}

/// Gates as in the table, a list for each layer.
json gate_rows(const DuoGates& gates) {
  json rows = json::array();
  for (auto row = gates.gates.begin(); row != gates.gates.end(); row += gates.kv_heads)
    rows.push_back(std::vector<double>(row, row + gates.kv_heads));
  return rows;
}

}  // namespace

void DuoHeadOptions::add_to(CLI::App& app) {
  constexpr const char* kGroup = "For duo";
  const auto count = [&](const char* name, auto& value, const char* help) {
    app.add_option(name, value, help)->check(CLI::PositiveNumber)->type_name("N")->group(kGroup);
  };
  const auto real = [&](const char* name, auto& value, const char* help) {
    app.add_option(name, value, help)->check(CLI::NonNegativeNumber)->type_name("X")->group(kGroup);
  };
  count("--steps", steps, "steps, each on a text of its own (200; DuoAttention's are 2000)");
  count("--shortest", shortest, "texts have from N to --tokens tokens (--tokens; DuoAttention's 1000 to 32000)");
  count("--passkeys", passkeys, "passkeys in a text (as many as fit into half of it, at most 10)");
  count("--passkey-words", words, "words of a passkey (32)");
  app.add_option("--sinks", sinks, "the text's first tokens, which a streaming head sees (128)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N")
      ->group(kGroup);
  count("--recent", recent, "the last tokens, which a streaming head sees (256)");
  real("--gate-rate", rate, "learning rate (0.02)");
  real("--l1", l1, "weight of the mean gate in the loss (0.05)");
  real("--sparsity", sparsity, "share of KV heads that stream in the proposal (0.5; 0.75 where none are shared)");
  app.add_option("--gates-out", out, "write DuoAttention's full_attention_heads.tsv and config.json into this folder")
      ->type_name("DIR")
      ->group(kGroup);
}

int find_duo_heads(const DuoHeadOptions& options, const ModelRequest& model) {
  RunControl control;
  const InterruptWatch interrupt(control);
  ProgressLine progress(options.quiet);
  const auto session = open_session(model, progress, control);
  const ModelInfo& info = session->model();
  const double sparsity = options.sparsity.value_or(default_sparsity(info.config));
  propose_duo_grouping(open_gates(info.config), info.config, sparsity);  // which refuses before anything is learned
  DuoGatesRequest request = make_gates_request(options, info, control);
  const EvidenceFile evidence(options.evidence, options.evidence.empty() ? "" : inputs_of(request, info), info);
  if (const auto kept = evidence.read("gates"))
    request.known = duo_gates_from_json(*kept, info.config, options.evidence);
  progress.note(cost_text(request));
  TimeLeft time;
  request.progress = [&](double share, const std::string& what) {
    progress.status("learning gates: " + what + time.after(share));
  };
  request.keep = [&](const DuoGates& so_far) { evidence.write({{"gates", so_far}}); };
  const DuoGates gates = session->learn_gates(request, control);
  progress.clear();
  const Grouping proposal = propose_duo_grouping(gates, info.config, sparsity);
  if (!options.grouping.empty()) write_file_atomically(options.grouping, json(proposal).dump(2) + "\n");
  if (!options.out.empty()) write_duo_folder(options.out, gates, request);
  const json report{{"gates", gate_rows(gates)},      {"distances", gates.distances},
                    {"mean_gate", gates.mean_gate()}, {"settings", duo_config_json(request)},
                    {"sparsity", sparsity},           {"proposed", proposal}};
  print(options.json ? report.dump(2) + "\n"
                     : duo_gates_text(gates, proposal, info.config) + "proposed   " + json(proposal).dump() + "\n");
  return kExitOk;
}

}  // namespace carryover
