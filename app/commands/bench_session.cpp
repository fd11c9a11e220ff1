// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/bench_session.h"

#include <malloc.h>

#include <algorithm>
#include <fstream>

#include "engine/core/cost_model.h"
#include "engine/core/error.h"
#include "engine/core/system_file.h"
#include "engine/core/training_cost.h"
#include "engine/io/corpus.h"
#include "engine/io/training_plan.h"

namespace carryover {

namespace {

/// The resident set's peak of a piece of work, above what was resident before it.
class ResidentPeak {
 public:
  /// Freed memory goes back to the system first, so that the work pays for what it uses.
  ResidentPeak() {
    malloc_trim(0);
    std::ofstream clear("/proc/self/clear_refs");
    clear << "5" << std::flush;  // the peak starts again from here
    cleared_ = clear.good();
    before_ = process_bytes("VmRSS");
  }
  /// Nothing where the system does not let the peak start again.
  std::optional<std::int64_t> added() const {
    return cleared_ ? std::optional(std::max<std::int64_t>(0, process_bytes("VmHWM") - before_)) : std::nullopt;
  }

 private:
  bool cleared_ = false;
  std::int64_t before_ = 0;
};

struct LastStep final : TrainObserver {
  void step_done(std::shared_ptr<const StepSnapshot> snapshot) override { record = snapshot->record; }
  StepRecord record;
};

struct NoObserver final : RunObserver {
  void segment_done(std::shared_ptr<const SegmentSnapshot>) override {}
};

[[noreturn]] void cancelled() {
  throw EngineError(Fault::Cancelled, "bench", "was stopped");
}

class SessionSubject final : public BenchSubject {
 public:
  SessionSubject(Session& session, const BenchInput& input, std::string policy)
      : session_(session), input_(input), policy_(std::move(policy)) {}

  std::string name() const override { return policy_; }
  std::string program() const override { return "carryover " CARRYOVER_VERSION; }
  bool is_peer() const override { return false; }

  BenchSample measure(const BenchCase& bench_case, BenchPurpose purpose, RunControl& control) override {
    std::optional<ResidentPeak> peak;
    if (purpose != BenchPurpose::Time) peak.emplace();
    BenchSample sample;
    if (bench_case.kind == BenchKind::Prefill) sample = prefill(bench_case, control);
    if (bench_case.kind == BenchKind::Decode) sample = decode(bench_case, control);
    if (bench_case.kind == BenchKind::Train) sample = train(bench_case, control);
    if (!peak) {
      sample.memory.reset();
    } else if (input_.model.device == Device::Cuda) {
      if (sample.memory) sample.peak_bytes = sample.memory->device_peak;
    } else if (const auto added = peak->added()) {
      sample.peak_bytes = input_.model.weight_bytes + *added;
    }
    return sample;
  }

  std::optional<MemoryBytes> predict(const BenchCase& bench_case) const override {
    const int width = bytes_per_value(input_.model.dtype);
    const ModelConfig& model = input_.model.config;
    if (bench_case.kind == BenchKind::Train)
      return training_cost(model, input_.config, training(bench_case), policy_, width).memory;
    const CostModel cost{model, input_.config, width};
    const bool decoding = bench_case.kind == BenchKind::Decode;
    const std::int64_t tokens = bench_case.tokens + (decoding ? input_.new_tokens : 0);
    MemoryBytes bytes = cost.segmented(tokens);
    if (policy_ != "full") return bytes;
    bytes.attention_kv = cost.full_attention_bytes(tokens);
    bytes.carry = bytes.pool = 0;
    bytes.device_peak = bytes.weights + bytes.activations + bytes.attention_kv;
    return bytes;
  }

 private:
  BenchSample prefill(const BenchCase& bench_case, RunControl& control) {
    RunRequest request;
    request.ids = input_.first_ids(bench_case.tokens);
    request.policy = policy_;
    request.config = input_.config;
    request.loss = false;
    request.capture = {false, false, false, false};
    NoObserver observer;
    const RunSummary summary = session_.run(request, observer, control);
    if (summary.cancelled) cancelled();
    return {summary.seconds, summary.memory, {}};
  }

  BenchSample decode(const BenchCase& bench_case, RunControl& control) {
    GenerateRequest request;
    request.prompt = *input_.first_ids(bench_case.tokens);
    request.policy = policy_;
    request.config = input_.config;
    request.max_new_tokens = input_.new_tokens;
    const GenerateResult result = session_.generate(
        request, [](std::int32_t) { return true; }, control);
    if (result.cancelled) cancelled();
    return {result.decode_seconds / static_cast<double>(result.ids.size()), {}, {}};
  }

  /// The last step of a dry run: the weights stay what they are.
  BenchSample train(const BenchCase& bench_case, RunControl& control) {
    auto plan = std::make_shared<TrainingPlan>();
    plan->model = input_.model.path;
    plan->policy = policy_;
    plan->config = input_.config;
    plan->training = training(bench_case);
    auto corpus = std::make_shared<Corpus>();
    corpus->train.push_back({"random tokens", *input_.first_ids(bench_case.tokens)});
    LastStep step;
    session_.train({plan, corpus, false, true}, step, control);
    return {step.record.seconds, step.record.memory, {}};
  }

  static TrainingConfig training(const BenchCase& bench_case) {
    TrainingConfig config;
    config.gradient_accumulation_steps = 1;
    config.gradient_checkpointing = bench_case.checkpointing;
    config.validation_fraction = 0;
    return config;
  }

  Session& session_;
  const BenchInput& input_;
  std::string policy_;
};

}  // namespace

std::unique_ptr<BenchSubject> session_subject(Session& session, const BenchInput& input, const std::string& policy) {
  return std::make_unique<SessionSubject>(session, input, policy);
}

}  // namespace carryover
