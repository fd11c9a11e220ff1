// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/session_engine.h"

#include <algorithm>
#include <span>

#include "engine/base/error.h"
#include "engine/cost/policy_table.h"

namespace carryover {

namespace {

constexpr std::int64_t kLogitBytes = std::int64_t{128} << 20;  ///< of the rows that are there at a time

struct LossCollector final : RunObserver {
  std::vector<float> logprobs;
  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override {
    for (const float nll : snapshot->target_nll) logprobs.push_back(-nll);
  }
};

[[noreturn]] void throw_cancelled() {
  throw EngineError(Fault::Cancelled, "the request", "was cancelled");
}

RunRequest run_request(std::shared_ptr<const std::vector<std::int32_t>> ids, const std::string& policy,
                       const SegmentConfig& config) {
  RunRequest run;
  run.ids = std::move(ids);
  run.policy = policy;
  run.config = config;
  run.config.cross_boundary_target = true;  // each token is scored; no output depends on it
  run.capture = CaptureOptions::nothing();
  run.capture.target_nll = true;
  return run;
}

class SessionEngine final : public ServingEngine {
 public:
  explicit SessionEngine(std::unique_ptr<Session> session) : session_(std::move(session)) {}

  TokenScores score(const ScoreRequest& request, RunControl& control) override {
    TokenScores scores;
    if (request.ids->size() < 2) return scores;
    const RunRequest run = run_request(request.ids, request.policy, request.config);
    LossCollector losses;
    if (session_->run(run, losses, control).cancelled) throw_cancelled();
    CARRYOVER_CHECK(losses.logprobs.size() + 1 == request.ids->size());
    scores.logprobs = std::move(losses.logprobs);
    if (request.top > 0) scores.top = top_of(run, scores.logprobs, request.top, control);
    return scores;
  }

  void generate(const GenerateRequest& request, const OnToken& on_token, RunControl& control) override {
    if (session_->generate(request, on_token, control).cancelled) throw_cancelled();
  }

  void keep_state(const ScoreRequest& document, const std::string& path, RunControl& control) override {
    session_->read_document(run_request(document.ids, document.policy, document.config), {}, control);
    session_->save_state(path);
  }

  std::vector<std::int32_t> take_state(const std::string& path) override { return *session_->load_state(path).ids; }

 private:
  /// The likeliest tokens in the places of the text's tokens but the first, which have these ln p. Session::logits runs
  /// the text from its beginning for each block of rows.
  std::vector<std::vector<TopToken>> top_of(const RunRequest& run, std::span<const float> logprobs, int count,
                                            RunControl& control) {
    const std::int64_t vocabulary = session_->model().config.vocabulary, tokens = std::ssize(*run.ids);
    const std::int64_t rows = std::max<std::int64_t>(1, kLogitBytes / (4 * vocabulary));
    std::vector<std::vector<TopToken>> top;
    for (std::int64_t begin = 1; begin < tokens; begin += rows) {
      std::vector<std::int64_t> positions;
      for (std::int64_t i = begin; i < std::min(tokens, begin + rows); ++i) positions.push_back(i - 1);
      const std::vector<float> logits = session_->logits(run, positions, control);
      CARRYOVER_CHECK(std::ssize(logits) == std::ssize(positions) * vocabulary);
      for (std::size_t row = 0; row < positions.size(); ++row) {
        const auto width = static_cast<std::size_t>(vocabulary);
        const std::int32_t target = (*run.ids)[static_cast<std::size_t>(positions[row] + 1)];
        top.push_back(top_tokens(std::span(logits).subspan(row * width, width), target, logprobs[top.size()], count));
      }
    }
    return top;
  }

  std::unique_ptr<Session> session_;
};

}  // namespace

std::unique_ptr<ServingEngine> serve_session(std::unique_ptr<Session> session) {
  return std::make_unique<SessionEngine>(std::move(session));
}

}  // namespace carryover
