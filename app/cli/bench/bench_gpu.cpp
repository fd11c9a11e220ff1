// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench/bench_gpu.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/bench/bench_folder.h"
#include "app/cli/bench/bench_report.h"
#include "app/cli/bench/bench_session.h"
#include "app/cli/bench/gpu_claims.h"
#include "app/cli/commands.h"
#include "app/cli/interrupt_watch.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "engine/api/engine_library.h"
#include "engine/base/error.h"
#include "engine/base/terminal_text.h"
#include "engine/checkpoints/model_source.h"

namespace carryover {

namespace {

constexpr std::int64_t kLong = 65536;  ///< above this, two repetitions do

/// Whole segments and half of one: decoding in the middle of a segment, behind a carry and a retrieved prefix.
std::int64_t decode_context(const BenchInput& input, const std::vector<std::int64_t>& contexts) {
  const std::int64_t segment = input.config.segment_length;
  return contexts.front() / segment * segment + (segment + 1) / 2;
}

ModelRequest model_request(const GpuBenchOptions& options, const RunSettings& settings) {
  ModelRequest request;
  request.path = options.random ? options.model + ":" + std::to_string(settings.seed) : options.model;
  request.dtype = settings.dtype == DType::Auto ? DType::BFloat16 : settings.dtype;
  request.device = settings.device == Device::Auto ? Device::Cuda : settings.device;
  request.threads = settings.threads;
  return request;
}

/// Prefill by length under both policies, then decoding under ours.
class GpuBench {
 public:
  GpuBench(const GpuBenchOptions& options, Session& session, const BenchInput& input, RunControl& control,
           ProgressLine& progress, std::function<void(const BenchResult&)> saved)
      : options_(options), input_(input), control_(control), progress_(progress), saved_(std::move(saved)) {
    both_.push_back(session_subject(session, input, "segmented"));
    both_.push_back(session_subject(session, input, "full"));
    ours_.push_back(session_subject(session, input, "segmented"));
  }

  BenchResult run() {
    for (const std::int64_t tokens : options_.contexts) add({{tokens}, {BenchKind::Prefill}, repeats(tokens)}, both_);
    add({{decode_context(input_, options_.contexts)}, {BenchKind::Decode}, repeats(0)}, ours_);
    return result_;
  }

 private:
  std::int64_t repeats(std::int64_t tokens) const {
    return options_.repeats > 0 ? options_.repeats : tokens > kLong ? 2 : 3;
  }

  void add(const BenchPlan& plan, const std::vector<std::unique_ptr<BenchSubject>>& subjects) {
    if (result_.interrupted) return;
    result_ = with(run_bench(
        plan, input_, subjects, control_, [this](const std::string& text) { progress_.status(text); },
        [this](const BenchResult& so_far) { saved_(with(so_far)); }));
  }

  /// Returns the results of the plans before, with `more` behind them.
  BenchResult with(const BenchResult& more) const {
    BenchResult result = result_;
    result.rows.insert(result.rows.end(), more.rows.begin(), more.rows.end());
    result.gaps.insert(result.gaps.end(), more.gaps.begin(), more.gaps.end());
    result.interrupted = more.interrupted;
    for (const BenchSource& source : more.sources)
      if (std::find(result.sources.begin(), result.sources.end(), source) == result.sources.end())
        result.sources.push_back(source);
    return result;
  }

  const GpuBenchOptions& options_;
  const BenchInput& input_;
  RunControl& control_;
  ProgressLine& progress_;
  std::function<void(const BenchResult&)> saved_;
  std::vector<std::unique_ptr<BenchSubject>> both_, ours_;
  BenchResult result_;
};

/// Null where the machine has no GPU that can be used; says so.
std::unique_ptr<Session> load(const ModelRequest& request, RunControl& control, ProgressLine& progress) {
  try {
    return load_session(request, [&](double fraction, const std::string& what) {
      control.checkpoint();
      progress.loading(fraction, what);
    });
  } catch (const EngineError& error) {
    if (error.fault() != Fault::Unsupported || error.where() != "--device cuda") throw;
    progress.clear();
    print_error_line("carryover: there is no GPU to measure: " + error.problem());
    return nullptr;
  }
}

}  // namespace

int bench_gpu(const GpuBenchOptions& options, const ConfigOptions& config_options) {
  const ModelConfig model = ModelSource::open(options.model)->config();
  const RunSettings settings = config_options.resolve(model, SegmentConfig::defaults_for(model));
  const BenchFolder folder(options.output, options.overwrite);
  RunControl control;
  const InterruptWatch interrupt(control);
  ProgressLine progress(options.quiet);
  const auto session = load(model_request(options, settings), control, progress);
  if (!session) return kExitNoGpu;

  BenchInput input;
  input.model = session->model();
  input.config = settings.config;
  input.new_tokens = options.new_tokens;
  input.ids = random_ids(std::max(options.contexts.back(), decode_context(input, options.contexts)), model.vocabulary,
                         settings.seed);
  progress.status("measuring what the machine can do");
  const MachineLimits limits = measure_limits(input.model, input.config.segment_length);
  const auto report = [&](const BenchResult& result) {
    nlohmann::json found = bench_json(input, limits, {"carryover " CARRYOVER_VERSION}, result);
    found["claims"] = claims_json(gpu_claims(input, limits, result, options.contexts));
    return found;
  };
  BenchResult result = GpuBench(options, *session, input, control, progress, [&](const BenchResult& so_far) {
                         folder.write(report(so_far));
                       }).run();
  progress.status("measuring what the machine can do now");
  if (!result.interrupted) result.limits_after = measure_limits(input.model, input.config.segment_length);
  progress.clear();
  const nlohmann::json found = report(result);
  folder.write(found);
  if (options.json)
    print(found.dump(1) + "\n");
  else
    print(bench_text(read_bench(found, "bench")) + "\n" +
          claims_text(gpu_claims(input, limits, result, options.contexts)));
  if (!options.output.empty() && !options.json) print("written    " + options.output + "\n");
  return result.interrupted ? kExitStopped : kExitOk;
}

}  // namespace carryover
