// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/eval/generation.h"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>

#include "engine/core/base/error.h"
#include "engine/core/config/head_reads.h"
#include "engine/core/cost/policy_table.h"
#include "engine/core/run/partition.h"
#include "engine/eval/text_run.h"
#include "engine/method/sampling.h"
#include "engine/policies/segmented.h"

namespace carryover {

namespace {

/// Reads a prompt: whole segments first, then what remains of it as an open one, which decoding goes on in.
class PromptReader {
 public:
  PromptReader(const Decoder& decoder, PreparedRun& prepared, const GenerateRequest& request, DocumentState* document)
      : decoder_(decoder),
        policy_(prepared.policy()),
        runner_(prepared.runner()),
        request_(request),
        config_(request.config),
        document_(document) {
    config_.boundary_at_prompt_end = config_.boundary_at_prompt_end || policy_.ends_prompts();
  }

  /// The hidden state of the prompt's last token, [1, D].
  at::Tensor read(GenerateResult& result) {
    const std::int64_t tokens = std::ssize(request_.prompt);
    const bool twice = request_.config.question_pass && request_.question_length > 0;
    std::int64_t done = 0;
    at::Tensor hidden;
    if (twice) {
      done = tokens - request_.question_length;
      read_document(done);
      end_prompt();
      if (request_.without_retrieval)
        runner_.forget_retrieved();
      else if (done > 0 && searches())
        draft(done, result);
    } else {
      hidden = run_segments(prompt_partition(tokens, config_));
      done = runner_.state().next.first_token;
      end_prompt();
    }
    if (done < tokens) hidden = runner_.extend(ids(done, tokens - done));
    return hidden.narrow(0, hidden.size(0) - 1, 1);
  }

 private:
  at::Tensor run_segments(const std::vector<std::int64_t>& lengths) {
    at::Tensor hidden;
    for (const std::int64_t length : lengths)
      hidden = runner_.run_segment(ids(runner_.state().next.first_token, length));
    return hidden;
  }

  /// Of a prompt with a question pass the document alone is kept less of: the question comes behind it.
  void end_prompt() {
    if (policy_.ends_prompts() && runner_.state().next.first_token > 0) runner_.end_prompt();
  }

  void read_document(std::int64_t tokens) {
    const std::vector<std::int64_t> lengths = document_partition(tokens, request_.config);
    if (document_ == nullptr || tokens == 0) {
      run_segments(lengths);
      return;
    }
    const auto text = part_of(request_.prompt, 0, tokens);
    RunRequest document;
    document.ids = std::make_shared<const std::vector<std::int32_t>>(text.begin(), text.end());
    document.policy = request_.policy;
    document.config = request_.config;
    document.forced_hits = request_.forced_hits;
    if (auto state = document_->behind(document)) return runner_.resume(std::move(state));
    document_->clear();
    run_segments(lengths);
    document_->keep(document, runner_.state());
  }

  bool searches() const {
    return !policy_row(request_.policy).runs_in_chunks && retrieves(request_.config, decoder_.config);
  }

  void draft(std::int64_t first, GenerateResult& result) {
    const auto start = std::chrono::steady_clock::now();
    runner_.draft(ids(first, request_.question_length));
    if (!request_.question_without.empty()) leave_out();
    result.question_hits = runner_.state().hits;
    result.draft_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void leave_out() {
    const auto* policy = dynamic_cast<const SegmentedPolicy*>(&policy_);
    CARRYOVER_CHECK(policy != nullptr);  // check_question()
    std::vector<HeadHits> hits = runner_.state().hits;
    for (HeadHits& list : hits)
      std::erase_if(list.hits, [this](const Hit& hit) {
        return std::ranges::any_of(request_.question_without,
                                   [&](const TokenRange& range) { return range.contains(hit.position); });
      });
    runner_.resume(policy->with_hits(runner_.state(), std::move(hits)));
  }

  at::Tensor ids(std::int64_t first, std::int64_t count) const {
    return ids_tensor(decoder_, part_of(request_.prompt, first, count));
  }

  const Decoder& decoder_;
  const AttentionPolicy& policy_;
  SegmentRunner& runner_;
  const GenerateRequest& request_;
  SegmentConfig config_;  ///< of the request; with a boundary where the policy ends prompts
  DocumentState* document_;
};

void check_what_if(const GenerateRequest& request, const Decoder& decoder) {
  for (const std::int32_t id : request.answer)
    if (id < 0 || id >= decoder.config.vocabulary)
      throw EngineError(Fault::BadInput, "the answer", "has id " + std::to_string(id) + ", which the model lacks",
                        "Take the tokens of the model's own tokenizer.");
  if (request.question_without.empty()) return;
  if (request.policy != "segmented" || request.config.search != SearchBy::Shared || !request.config.question_pass)
    throw EngineError(Fault::Usage, "the question", "has no shared search whose positions could be left out",
                      "Use the preset for recall.");
}

/// ln p of one token. logits: [V].
float log_probability(const at::Tensor& logits, std::int32_t id) {
  const at::Tensor row = logits.to(at::kDouble);
  return static_cast<float>((row[id] - row.logsumexp(0)).item<double>());
}

void check_question(const GenerateRequest& request) {
  const std::int64_t length = request.question_length,
                     most = std::min<std::int64_t>(request.config.segment_length, std::ssize(request.prompt));
  if (!request.config.question_pass || (length >= 0 && length <= most)) return;
  throw EngineError(Fault::BadInput, "the question",
                    "has " + std::to_string(length) + " tokens, and " + std::to_string(most) + " fit one segment",
                    "Shorten it, or raise segment_length.");
}

}  // namespace

GenerateResult generate_text(const Decoder& decoder, const GenerateRequest& request,
                             const std::function<bool(std::int32_t)>& on_token, RunControl& control,
                             DocumentState* document) {
  const at::NoGradGuard no_gradients;
  const at::AutoDispatchBelowADInplaceOrView plain_ops;  // a token's operations are small: their dispatch counts
  RunRequest prompt;
  prompt.ids = std::make_shared<const std::vector<std::int32_t>>(request.prompt);
  prompt.policy = request.policy;
  prompt.config = request.config;
  prompt.loss = false;
  check_request(decoder, prompt, request.max_new_tokens);
  check_question(request);
  check_what_if(request, decoder);

  const auto expected = static_cast<std::int64_t>(request.prompt.size()) + request.max_new_tokens;
  PreparedRun prepared(
      decoder, {request.policy, request.config, expected, request.forced_hits, [&](int) { control.checkpoint(); }});
  SegmentRunner& runner = prepared.runner();
  Sampler sampler(request.sampling);
  GenerateResult result;
  auto clock = std::chrono::steady_clock::now();
  const auto lap = [&clock] {
    const auto before = std::exchange(clock, std::chrono::steady_clock::now());
    return std::chrono::duration<double>(clock - before).count();
  };
  try {
    at::Tensor last = PromptReader(decoder, prepared, request, document).read(result);
    if (runner.open_length() == request.config.segment_length) runner.close();
    result.prompt_seconds = lap();
    while (static_cast<std::int64_t>(result.ids.size()) < request.max_new_tokens) {
      const at::Tensor logits = decoder.logits(last)[0];
      const bool given = result.ids.size() < request.answer.size();
      const std::int32_t id = given ? request.answer[result.ids.size()] : sampler.choose(logits);
      if (!given && std::find(request.stop_ids.begin(), request.stop_ids.end(), id) != request.stop_ids.end()) break;
      result.ids.push_back(id);
      if (request.logprobs) result.logprobs.push_back(log_probability(logits, id));
      if (!on_token(id)) break;
      last = runner.extend(ids_tensor(decoder, {&id, 1}));
      if (runner.open_length() == request.config.segment_length) runner.close();
    }
  } catch (const EngineError& error) {
    if (error.fault() != Fault::Cancelled) throw;
    result.cancelled = true;
  }
  result.decode_seconds = lap();
  return result;
}

}  // namespace carryover
