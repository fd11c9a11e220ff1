// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/generation.h"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <span>

#include "engine/base/error.h"
#include "engine/config/head_reads.h"
#include "engine/cost/policy_table.h"
#include "engine/method/retrieving_policy.h"
#include "engine/method/sampling.h"
#include "engine/runs/document_reading.h"
#include "engine/runs/text_run.h"
#include "engine/runs/values/partition.h"

namespace carryover {

namespace {

std::int64_t expected_tokens(const GenerateRequest& request) {
  return std::ssize(request.prompt) + request.max_new_tokens;
}

/// Returns the part of the prompt before its question as a document.
ReadDocument document_of(const Decoder& decoder, const GenerateRequest& request) {
  const std::int64_t tokens = std::ssize(request.prompt) - request.question_length;
  const auto text = part_of(request.prompt, 0, tokens);
  ReadDocument document;
  document.text.ids = std::make_shared<const std::vector<std::int32_t>>(text.begin(), text.end());
  document.text.policy = request.policy;
  document.text.config = request.config;
  document.text.forced_hits = request.forced_hits;
  document.ntk_length = document_ntk_length(decoder, document.text, expected_tokens(request));
  return document;
}

/// Returns the bytes of the kept document's pool that the request can't reuse: another document takes the pool's place,
/// and behind the same document the pool is copied only where a segment closes.
std::int64_t kept_pool(const Decoder& decoder, const GenerateRequest& request, const DocumentState* document) {
  const bool has_document = request.question_length > 0 && request.question_length < std::ssize(request.prompt);
  if (document == nullptr || !has_document) return 0;
  const bool closes = request.question_length + request.max_new_tokens >= request.config.segment_length;
  if (!closes) return document->pool_bytes();
  const ReadDocument wanted = document_of(decoder, request);
  return document->behind(wanted.text, wanted.ntk_length) ? 0 : document->pool_bytes();
}

/// Returns true if the question is first read as a draft, which is one segment, in order to search.
bool drafts(const GenerateRequest& request, const ModelConfig& model) {
  return request.config.question_pass && !policy_row(request.policy).runs_in_chunks &&
         retrieves(request.config, model) && request.question_length < std::ssize(request.prompt);
}

/// Reads a prompt: its whole segments first, then the rest as an open segment, which decoding continues. If the prompt
/// ends with a question, the text before the question is a document of its own (GenerateRequest::question_length). It
/// also closes the segments of the answer.
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

  /// Closes the open segment where it is full. Behind it, the answer still does without what its question does.
  void close_full_segment() {
    if (runner_.open_length() < request_.config.segment_length) return;
    runner_.close();
    leave_out();
  }

  /// The hidden state of the prompt's last token, [1, D].
  at::Tensor read(GenerateResult& result) {
    const std::int64_t tokens = std::ssize(request_.prompt);
    if (request_.question_length == 0) {
      const at::Tensor hidden = run_segments(prompt_partition(tokens, config_));
      const std::int64_t done = runner_.state().next.first_token;
      end_prompt();
      return last_of(done < tokens ? runner_.extend(ids(done, tokens - done)) : hidden);
    }
    const std::int64_t document = tokens - request_.question_length;
    if (document > 0) go_behind(decoder_, runner_, document_of(decoder_, request_), document_);
    end_prompt();  // of the document alone: the question comes behind it
    if (request_.without_retrieval)
      leave_out();
    else if (drafts(request_, decoder_.config))
      draft(document, result);
    return last_of(read_question(document));
  }

 private:
  static at::Tensor last_of(const at::Tensor& hidden) { return hidden.narrow(0, hidden.size(0) - 1, 1); }

  at::Tensor run_segments(const std::vector<std::int64_t>& lengths) {
    at::Tensor hidden;
    for (const std::int64_t length : lengths)
      hidden = runner_.run_segment(ids(runner_.state().next.first_token, length));
    return hidden;
  }

  /// The segment of its end stays open: the answer goes on in it.
  at::Tensor read_question(std::int64_t first) {
    const std::int64_t S = request_.config.segment_length, length = request_.question_length;
    const std::int64_t whole = (length - 1) / S;
    for (std::int64_t i = 0; i < whole; ++i) {
      run_segments({S});
      leave_out();
    }
    return runner_.extend(ids(first + whole * S, length - whole * S));
  }

  void end_prompt() {
    if (policy_.ends_prompts() && runner_.state().next.first_token > 0) runner_.end_prompt();
  }

  void draft(std::int64_t first, GenerateResult& result) {
    const auto start = std::chrono::steady_clock::now();
    runner_.draft(ids(first, request_.question_length));
    leave_out();
    result.question_hits = runner_.state().hits;
    result.draft_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  /// Removes those retrieved tokens that the request wants the question to be read without.
  void leave_out() {
    if (request_.without_retrieval) runner_.forget_retrieved();
    if (request_.question_without.empty()) return;
    const RetrievingPolicy* policy = policy_.retrieving();
    CARRYOVER_CHECK(policy != nullptr);  // check_what_if()
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
                        "Use the tokens of the model's own tokenizer.");
  if (request.question_without.empty()) return;
  if (request.policy != "segmented" || request.config.search != SearchBy::Shared || !request.config.question_pass)
    throw EngineError(Fault::Usage, "the question", "has no shared search whose positions could be left out",
                      "Use the preset for recall.");
}

/// Returns a token with the log-probabilities that the request asks for. logits: [V].
GeneratedToken scored_token(const at::Tensor& logits, std::int32_t id, const GenerateRequest& request) {
  GeneratedToken token{id, 0, {}};
  if (!request.logprobs) return token;
  const at::Tensor row = logits.to(at::kDouble);
  token.logprob = static_cast<float>((row[id] - row.logsumexp(0)).item<double>());
  if (request.top_logprobs == 0) return token;
  const at::Tensor values = logits.to(at::kCPU, at::kFloat).contiguous();
  const std::span<const float> all(values.const_data_ptr<float>(), static_cast<std::size_t>(values.numel()));
  token.top = top_tokens(all, id, token.logprob, request.top_logprobs);
  return token;
}

void check_top(const GenerateRequest& request) {
  if (request.top_logprobs >= 0 && request.top_logprobs <= kMostTopLogprobs) return;
  throw EngineError(Fault::BadInput, "top_logprobs", "is " + std::to_string(request.top_logprobs),
                    "Ask for 0 to " + std::to_string(kMostTopLogprobs) + " tokens.");
}

/// The logits without the tokens that are barred now.
at::Tensor allowed_logits(const at::Tensor& logits, const GenerateRequest& request, const GenerateResult& result) {
  if (request.barred_ids.empty() || std::ssize(result.ids) >= request.barred_tokens) return logits;
  const std::vector<std::int64_t> barred(request.barred_ids.begin(), request.barred_ids.end());
  const at::Tensor indices = at::tensor(barred, at::kLong).to(logits.device());
  return logits.index_fill(0, indices, -std::numeric_limits<double>::infinity());
}

void check_barred(const GenerateRequest& request, const ModelConfig& model) {
  const auto unknown = [&](std::int32_t id) { return id < 0 || id >= model.vocabulary; };
  if (std::ranges::none_of(request.barred_ids, unknown)) return;
  throw EngineError(Fault::BadInput, "barred_ids",
                    "has ids that the model lacks: it has " + std::to_string(model.vocabulary) + " tokens",
                    "Leave them out.");
}

void check_question(const GenerateRequest& request, const ModelConfig& model) {
  const std::int64_t length = request.question_length, tokens = std::ssize(request.prompt),
                     most = drafts(request, model) ? std::min(request.config.segment_length, tokens) : tokens;
  if (length >= 0 && length <= most) return;
  throw EngineError(
      Fault::BadInput, "the question",
      "has " + std::to_string(length) + " tokens, and " + std::to_string(most) + " fit one segment or the prompt",
      "Shorten it, or raise segment_length.");
}

}  // namespace

GenerateResult generate_text(const Decoder& decoder, const GenerateRequest& request, const OnToken& on_token,
                             RunControl& control, DocumentState* document, ThreadChoice* threads) {
  const at::NoGradGuard no_gradients;
  const at::AutoDispatchBelowADInplaceOrView plain_ops;  // a token's operations are small: their dispatch counts
  RunRequest prompt;
  prompt.ids = std::make_shared<const std::vector<std::int32_t>>(request.prompt);
  prompt.policy = request.policy;
  prompt.config = request.config;
  prompt.loss = false;
  check_request(decoder, prompt, request.max_new_tokens, kept_pool(decoder, request, document));
  check_question(request, decoder.config);
  check_barred(request, decoder.config);
  check_what_if(request, decoder);
  check_top(request);

  PreparedRun prepared(decoder, {request.policy, request.config, expected_tokens(request), request.forced_hits,
                                 [&](int) { control.checkpoint(); }});
  SegmentRunner& runner = prepared.runner();
  Sampler sampler(request.sampling);
  ChosenThreads step(threads);
  GenerateResult result;
  auto clock = std::chrono::steady_clock::now();
  const auto lap = [&clock] {
    const auto before = std::exchange(clock, std::chrono::steady_clock::now());
    return std::chrono::duration<double>(clock - before).count();
  };
  try {
    PromptReader reader(decoder, prepared, request, document);
    at::Tensor last = reader.read(result);
    reader.close_full_segment();
    result.prompt_seconds = lap();
    while (static_cast<std::int64_t>(result.ids.size()) < request.max_new_tokens) {
      const at::Tensor logits = step.run([&] { return decoder.logits(last)[0]; });
      const bool given = result.ids.size() < request.answer.size();
      const std::int32_t id =
          given ? request.answer[result.ids.size()] : sampler.choose(allowed_logits(logits, request, result));
      if (!given && std::find(request.stop_ids.begin(), request.stop_ids.end(), id) != request.stop_ids.end()) break;
      result.ids.push_back(id);
      const GeneratedToken token = scored_token(logits, id, request);
      if (request.logprobs) result.logprobs.push_back(token.logprob);
      if (!on_token(token)) break;
      last = step.run([&] { return runner.extend(ids_tensor(decoder, {&id, 1})); });
      step.end();
      reader.close_full_segment();
    }
  } catch (const EngineError& error) {
    if (error.fault() != Fault::Cancelled) throw;
    result.cancelled = true;
  }
  result.decode_seconds = lap();
  return result;
}

}  // namespace carryover
