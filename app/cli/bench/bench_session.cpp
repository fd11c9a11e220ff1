// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench/bench_session.h"

#include <algorithm>
#include <fstream>

#include "engine/api/engine_library.h"
#include "engine/base/error.h"
#include "engine/base/system_file.h"
#include "engine/cost/cost_model.h"
#include "engine/cost/policy_table.h"
#include "engine/cost/training_cost.h"
#include "engine/data/corpus.h"
#include "engine/runs/records/forced_hits.h"
#include "engine/training/records/training_plan.h"

namespace carryover {

namespace {

/// The resident set's peak of a piece of work, above what was resident before it.
class ResidentPeak {
 public:
  /// Freed memory goes back to the system first, so that the work pays for what it uses.
  ResidentPeak() {
    give_back_memory();
    std::ofstream clear("/proc/self/clear_refs");
    clear << "5" << std::flush;  // the peak starts again from here
    cleared_ = clear.good();
    before_ = process_bytes("VmRSS");
  }
  /// Returns the bytes above those at the start, or nothing where the system can't reset the peak.
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
  std::string cannot(BenchKind kind) const override {
    return kind == BenchKind::Train && !policy_row(policy_).trained ? "nothing is trained under it" : "";
  }
  BenchSource source() const override {
    const std::string dtype(dtype_name(input_.model.dtype));
    const bool masters = input_.model.dtype == DType::BFloat16;
    return {policy_,
            program(),
            dtype,
            masters ? "bf16 with fp32 masters" : dtype,
            input_.model.weights_hash,
            text_hash(input_.ids)};
  }

  BenchSample measure(const BenchCase& bench_case, BenchPurpose purpose, RunControl& control) override {
    const Ids ids = input_.first_ids(bench_case.tokens);
    std::optional<ResidentPeak> peak;
    if (purpose != BenchPurpose::Time) {
      load_code(control);
      peak.emplace();
    }
    BenchSample sample;
    if (bench_case.kind == BenchKind::Prefill) sample = prefill(ids, control);
    if (bench_case.kind == BenchKind::Decode) sample = decode(*ids, control);
    if (bench_case.kind == BenchKind::Train) sample = train(*ids, bench_case.checkpointing, control);
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
    const DType dtype = input_.model.dtype;
    const ModelConfig& model = input_.model.config;
    if (bench_case.kind == BenchKind::Train)
      return training_cost(model, input_.config, training(bench_case.checkpointing), policy_, bytes_per_value(dtype))
          .memory;
    const CostModel cost = cost_model(model, input_.config, dtype);
    const bool decoding = bench_case.kind == BenchKind::Decode;
    const std::int64_t tokens = bench_case.tokens + (decoding ? input_.new_tokens : 0);
    const RunUse use{.loss = false, .decoding = decoding};
    return policy_row(policy_).memory(cost, tokens, use);
  }

 private:
  using Ids = std::shared_ptr<const std::vector<std::int32_t>>;

  /// Runs a short text once, so that the memory which the first work of a process makes resident, above all code, is
  /// not counted for any case.
  void load_code(RunControl& control) {
    constexpr std::int64_t few = 64;
    if (!code_loaded_) prefill(input_.first_ids(std::min(few, std::ssize(input_.ids))), control);
    code_loaded_ = true;
  }

  BenchSample prefill(const Ids& ids, RunControl& control) {
    RunRequest request;
    request.ids = ids;
    request.policy = policy_;
    request.config = input_.config;
    request.loss = false;
    request.capture = CaptureOptions::nothing();
    NoObserver observer;
    const RunSummary summary = session_.run(request, observer, control);
    if (summary.cancelled) cancelled();
    return {summary.seconds, summary.memory, {}};
  }

  BenchSample decode(const std::vector<std::int32_t>& prompt, RunControl& control) {
    GenerateRequest request;
    request.prompt = prompt;
    request.policy = policy_;
    request.config = input_.config;
    request.max_new_tokens = input_.new_tokens;
    const GenerateResult result = session_.generate(
        request, [](const GeneratedToken&) { return true; }, control);
    if (result.cancelled) cancelled();
    return {result.decode_seconds / static_cast<double>(result.ids.size()), {}, {}};
  }

  /// The last step of a dry run: the weights stay what they are.
  BenchSample train(const std::vector<std::int32_t>& sample, bool checkpointing, RunControl& control) {
    auto plan = std::make_shared<TrainingPlan>();
    plan->model = input_.model.path;
    plan->policy = policy_;
    plan->config = input_.config;
    plan->training = training(checkpointing);
    auto corpus = std::make_shared<Corpus>();
    corpus->train.push_back({"random tokens", sample});
    LastStep step;
    session_.train({plan, corpus, false, true}, step, control);
    return {step.record.seconds, step.record.memory, {}};
  }

  static TrainingConfig training(bool checkpointing) {
    TrainingConfig config;
    config.gradient_accumulation_steps = 1;
    config.gradient_checkpointing = checkpointing;
    config.validation_fraction = 0;
    return config;
  }

  Session& session_;
  const BenchInput& input_;
  std::string policy_;
  bool code_loaded_ = false;
};

}  // namespace

std::unique_ptr<BenchSubject> session_subject(Session& session, const BenchInput& input, const std::string& policy) {
  return std::make_unique<SessionSubject>(session, input, policy);
}

}  // namespace carryover
