// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/sample_asker.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/base/error.h"
#include "engine/campaigns/evaluations/choice_scores.h"
#include "engine/campaigns/evaluations/stopped_text.h"
#include "engine/campaigns/kernel/campaign.h"
#include "engine/cost/policy_table.h"
#include "engine/formats/sha256.h"

namespace carryover {

namespace {

/// The losses of a run, by the position of the token that is predicted.
class LossCollector : public RunObserver {
 public:
  explicit LossCollector(std::size_t tokens) : losses_(tokens, std::nan("")) {}
  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override {
    const auto first = static_cast<std::size_t>(snapshot->record.first_token) + 1;
    CARRYOVER_CHECK(first + snapshot->target_nll.size() <= losses_.size());
    std::ranges::copy(snapshot->target_nll, losses_.begin() + static_cast<std::ptrdiff_t>(first));
  }
  /// NaN where a token is no target: the first one, and first ones of segments without cross_boundary_target.
  const std::vector<float>& losses() const { return losses_; }

 private:
  std::vector<float> losses_;
};

std::vector<float> losses_of(Session& session, const RunRequest& request, SampleEntry& entry, RunControl& control) {
  LossCollector collector(request.ids->size());
  const RunSummary summary = session.run(request, collector, control);
  if (summary.cancelled) throw_stopped("the evaluation");
  entry.prefill_seconds += summary.seconds;
  return collector.losses();
}

GenerateResult generated(Session& session, const GenerateRequest& request, const OnToken& on_token, SampleEntry& entry,
                         RunControl& control) {
  GenerateResult result = session.generate(request, on_token, control);
  if (result.cancelled) throw_stopped("the evaluation");
  entry.prefill_seconds += result.prompt_seconds;
  entry.decode_seconds += result.decode_seconds;
  return result;
}

bool goes_on(const GeneratedToken& /*token*/) {
  return true;
}

}  // namespace

SampleAsker::SampleAsker(const EvalAnswerSettings& settings, std::shared_ptr<const Tokenizer> tokenizer)
    : settings_(settings), tokenizer_(std::move(tokenizer)) {}

Encoding SampleAsker::encoding(const Task& task) const {
  return {*tokenizer_, settings_.chat && task.info().chat, settings_.config.bos};
}

AskedSample SampleAsker::asked(const Task& task, const TaskSample& sample) const {
  if (task.info().kind == TaskKind::Perplexity) return {"", sha256(nlohmann::json(sample.ids).dump()), 0};
  PromptText prompt = prompt_text(sample, task.info().chat ? settings_.chat : ChatText());
  std::string hash = sha256(prompt.text);
  return {std::move(prompt.text), std::move(hash), prompt.question};
}

PromptIds SampleAsker::prompt(const Task& task, const TaskSample& sample, const AskedSample& asked) const {
  if (task.info().kind != TaskKind::Perplexity) return prompt_ids({asked.text, asked.question}, encoding(task));
  PromptIds prompt{sample.ids, 0};
  if (settings_.config.bos) {
    if (!tokenizer_->bos()) throw EngineError(Fault::BadInput, "the model", "has no BOS token", "Leave out --bos.");
    prompt.ids.insert(prompt.ids.begin(), *tokenizer_->bos());
  }
  return prompt;
}

SampleEntry SampleAsker::answer(Session& session, const Task& task, const TaskSample& sample, const AskedSample& asked,
                                RunControl& control) const {
  const PromptIds prompt = this->prompt(task, sample, asked);
  SampleEntry entry;
  entry.id = sample.id;
  entry.slice = sample.slice;
  entry.prompt_hash = asked.hash;
  entry.tokens = std::ssize(prompt.ids);
  TaskAnswer answer;
  switch (task.info().kind) {
    case TaskKind::Generation:
      generate(session, task, prompt, answer, entry, control);
      break;
    case TaskKind::Choice:
      choose(session, task, sample, asked, prompt, answer, entry, control);
      break;
    case TaskKind::Perplexity:
      measure(session, prompt, std::max<std::int64_t>(1, sample.unscored) + (settings_.config.bos ? 1 : 0), answer,
              entry, control);
      break;
  }
  count_bytes(session.model(), task.info().kind == TaskKind::Generation, entry);
  entry.scores = task.score(sample, answer);
  entry.text = std::move(answer.text);
  entry.loglikelihoods = std::move(answer.loglikelihoods);
  entry.greedy = std::move(answer.greedy);
  return entry;
}

GenerateRequest SampleAsker::generate_request(const PromptIds& prompt) const {
  GenerateRequest request;
  request.prompt = prompt.ids;
  request.policy = settings_.policy;
  request.config = settings_.config;
  if (settings_.question == QuestionPlace::Outside) request.question_length = prompt.question;
  return request;
}

RunRequest SampleAsker::run_request(std::vector<std::int32_t> ids) const {
  RunRequest request;
  request.ids = std::make_shared<const std::vector<std::int32_t>>(std::move(ids));
  request.policy = settings_.policy;
  request.config = settings_.config;
  request.capture = CaptureOptions::nothing();
  request.capture.target_nll = true;
  return request;
}

void SampleAsker::generate(Session& session, const Task& task, const PromptIds& prompt, TaskAnswer& answer,
                           SampleEntry& entry, RunControl& control) const {
  GenerateRequest request = generate_request(prompt);
  request.max_new_tokens = task.info().max_new_tokens;
  request.stop_ids = tokenizer_->end_ids();
  StoppedText text(tokenizer_, task.info().stops);
  const GenerateResult result = generated(
      session, request, [&](const GeneratedToken& token) { return text.add(token.id); }, entry, control);
  entry.new_tokens = std::ssize(result.ids);
  answer.text = text.finish();
}

/// Returns true if the policy has to know where the prompt ends, which a text for Session::run doesn't say.
bool SampleAsker::reads_prompts_apart() const {
  return settings_.question == QuestionPlace::Outside || settings_.config.boundary_at_prompt_end ||
         ends_prompts(settings_.policy);
}

RunRequest SampleAsker::choice_request(const PromptIds& prompt, const std::vector<std::int32_t>& choice) const {
  std::vector<std::int32_t> ids = prompt.ids;
  ids.insert(ids.end(), choice.begin(), choice.end());
  RunRequest request = run_request(std::move(ids));
  request.config.cross_boundary_target = true;  // every token of a choice has a loss
  return request;
}

std::vector<double> SampleAsker::choice_losses(Session& session, const PromptIds& prompt,
                                               const std::vector<std::int32_t>& choice, SampleEntry& entry,
                                               RunControl& control) const {
  if (!reads_prompts_apart()) {
    const std::vector<float> losses = losses_of(session, choice_request(prompt, choice), entry, control);
    return {losses.begin() + std::ssize(prompt.ids), losses.end()};
  }
  GenerateRequest request = generate_request(prompt);
  request.answer = choice;
  request.max_new_tokens = std::ssize(choice);
  request.logprobs = true;
  std::vector<double> losses;
  for (const float value : generated(session, request, goes_on, entry, control).logprobs)
    losses.push_back(-static_cast<double>(value));
  return losses;
}

bool SampleAsker::is_greedy(Session& session, const PromptIds& prompt, const std::vector<std::int32_t>& choice,
                            SampleEntry& entry, RunControl& control) const {
  if (reads_prompts_apart()) {
    GenerateRequest request = generate_request(prompt);
    request.max_new_tokens = std::ssize(choice);
    return generated(session, request, goes_on, entry, control).ids == choice;
  }
  std::vector<std::int64_t> positions(choice.size());
  std::iota(positions.begin(), positions.end(), std::ssize(prompt.ids) - 1);
  return are_largest(session.logits(choice_request(prompt, choice), positions, control), choice);
}

void SampleAsker::choose(Session& session, const Task& task, const TaskSample& sample, const AskedSample& asked,
                         const PromptIds& whole, TaskAnswer& answer, SampleEntry& entry, RunControl& control) const {
  const std::int64_t question_start = std::ssize(whole.ids) - whole.question;
  PromptIds prompt;  // that of every choice
  std::vector<ScoredChoice> choices;
  for (const std::string& text : sample.choices) {
    ChoiceIds ids = choice_ids(asked.text, text, encoding(task));
    prompt.ids = std::move(ids.prompt);
    prompt.question = std::max<std::int64_t>(0, std::ssize(prompt.ids) - question_start);
    std::vector<double> losses = choice_losses(session, prompt, ids.choice, entry, control);
    choices.push_back({std::move(ids.choice), std::move(losses)});
  }
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const ScoredChoice& choice = choices[i];
    answer.loglikelihoods.push_back(-std::accumulate(choice.nll.begin(), choice.nll.end(), 0.0));
    const std::optional<bool> greedy = greedy_by_losses(choices, i);
    answer.greedy.push_back(greedy ? *greedy : is_greedy(session, prompt, choice.ids, entry, control));
  }
}

void SampleAsker::measure(Session& session, const PromptIds& prompt, std::int64_t unscored, TaskAnswer& answer,
                          SampleEntry& entry, RunControl& control) const {
  const std::vector<float> losses = losses_of(session, run_request(prompt.ids), entry, control);
  const std::int64_t segment = settings_.config.segment_length;
  for (std::int64_t place = unscored; place < std::ssize(losses); ++place) {
    const auto nll = static_cast<double>(losses[static_cast<std::size_t>(place)]);
    if (std::isnan(nll)) continue;
    answer.losses.push_back(nll);
    entry.positions.add(place, nll);
    if (place > segment) entry.offsets.add((place - 1) % segment, nll);  // before the first one ends nothing is carried
  }
}

void SampleAsker::count_bytes(const ModelInfo& model, bool decoding, SampleEntry& entry) const {
  const CostModel cost = cost_model(model.config, settings_.config, model.dtype);
  const MemoryBytes bytes = policy_row(settings_.policy).memory(cost, entry.tokens, {!decoding, decoding});
  entry.visible_bytes = bytes.attention_kv;
  entry.resident_bytes = std::max<std::int64_t>(0, bytes.device_peak - bytes.weights - bytes.activations);
}

}  // namespace carryover
