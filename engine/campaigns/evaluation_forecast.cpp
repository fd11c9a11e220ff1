// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluation_forecast.h"

#include <algorithm>

#include "engine/base/duration_text.h"
#include "engine/campaigns/campaign_engine.h"
#include "engine/campaigns/evaluations/evaluated_samples.h"
#include "engine/campaigns/evaluations/policy_variant.h"
#include "engine/checkpoints/model_source.h"
#include "engine/cost/model_work.h"
#include "engine/tasks/task_table.h"

namespace carryover {

namespace {

using nlohmann::json;

/// "auto" of a model that is not loaded: weights in 16 bits.
DType forecast_dtype(const std::string& name) {
  const DType dtype = parse_dtype(name);
  return dtype == DType::Auto || dtype == DType::Q8 ? DType::BFloat16 : dtype;
}

/// A task at a length: its samples, and what each policy takes for them.
struct TaskForecast {
  std::string title;
  std::size_t samples = 0;
  std::int64_t tokens = 0, new_tokens = 0;
  std::vector<double> seconds;  ///< by policy
};

TaskForecast forecast_of(const EvaluationPlan& plan, const ModelConfig& model, const MachineLimits& limits, DType dtype,
                         const std::string& name, std::int64_t length, const SampleAsker& asker,
                         const std::shared_ptr<const Tokenizer>& tokenizer) {
  std::vector<PolicyVariant> variants;
  for (const std::string& policy : plan.policies) variants.push_back(policy_variant(policy));
  const auto task = make_task(name);
  const std::vector<TaskSample> samples = task->samples(sample_request(plan, name, length, tokenizer));
  TaskForecast forecast{cell_title(name, length), samples_to_run(plan, samples.size()), 0, 0,
                        std::vector<double>(plan.policies.size())};
  for (std::size_t i = 0; i < forecast.samples; ++i) {
    const std::int64_t tokens = std::ssize(asker.prompt(*task, samples[i], asker.asked(*task, samples[i])).ids);
    forecast.tokens += tokens;
    forecast.new_tokens += task->info().max_new_tokens;
    for (std::size_t policy = 0; policy < variants.size(); ++policy)
      forecast.seconds[policy] +=
          expected_seconds(sample_work(model, variants[policy].config(plan.config), variants[policy].policy, dtype,
                                       *task, tokens, samples[i].choices.size()),
                           limits);
  }
  return forecast;
}

json forecast_json(const EvaluationPlan& plan, const std::vector<TaskForecast>& forecasts, double seconds) {
  json tasks = json::array();
  for (const TaskForecast& forecast : forecasts) {
    json by_policy = json::object();
    for (std::size_t i = 0; i < plan.policies.size(); ++i) by_policy[plan.policies[i]] = forecast.seconds[i];
    tasks.push_back({{"task", forecast.title},
                     {"samples", forecast.samples},
                     {"tokens", forecast.tokens},
                     {"new_tokens", forecast.new_tokens},
                     {"seconds", std::move(by_policy)}});
  }
  return {{"tasks", std::move(tasks)}, {"seconds", seconds}};
}

std::string forecast_text(const EvaluationPlan& plan, const std::vector<TaskForecast>& forecasts, double seconds) {
  std::string text;
  for (const TaskForecast& forecast : forecasts) {
    text += "  " + forecast.title + ": " + std::to_string(forecast.samples) + " samples, " +
            std::to_string(forecast.tokens) + " tokens";
    if (forecast.new_tokens > 0) text += ", at most " + std::to_string(forecast.new_tokens) + " new";
    for (std::size_t i = 0; i < plan.policies.size(); ++i)
      text += (i == 0 ? "; " : ", ") + plan.policies[i] + " " + forecast_duration(forecast.seconds[i]);
    text += "\n";
  }
  return text + "about " + forecast_duration(seconds) + " in all. Nothing was run.\n";
}

}  // namespace

SampleWork& SampleWork::operator+=(const SampleWork& other) {
  flops += other.flops;
  bytes += other.bytes;
  return *this;
}

SampleWork sample_work(const ModelConfig& model, const SegmentConfig& config, const std::string& policy, DType dtype,
                       const Task& task, std::int64_t tokens, std::size_t choices) {
  const ModelWork work{model, config, policy};
  switch (task.info().kind) {
    case TaskKind::Generation:
      return {work.forward_flops(tokens, 1), static_cast<double>(task.info().max_new_tokens) *
                                                 work.decode_bytes(tokens, bytes_per_value(dtype), dtype == DType::Q8)};
    case TaskKind::Choice:  // and once more for the one that may be greedy
      return {static_cast<double>(choices + 1) * work.forward_flops(tokens, tokens), 0};
    case TaskKind::Perplexity:
      break;
  }
  return {work.forward_flops(tokens, tokens), 0};
}

double expected_seconds(const SampleWork& work, const MachineLimits& limits) {
  constexpr double kReadingShare = 0.7, kDecodingShare = 0.6;  // docs/benchmarks.md
  return work.flops / (limits.best_flops_per_second() * kReadingShare) +
         work.bytes / (limits.bytes_per_second * kDecodingShare);
}

MachineLimits usual_limits() {
  MachineLimits limits;
  limits.products = {{"square", 0, 0, 0, 1e11}};
  limits.bytes_per_second = 1e10;
  return limits;
}

std::string evaluation_forecast(const EvaluationPlan& plan, int threads, const ChatText& chat, bool as_json,
                                CampaignObserver& observer) {
  const ModelConfig model = ModelSource::open(plan.model)->config();
  const std::shared_ptr<const Tokenizer> tokenizer = Tokenizer::load(plan.model);
  const DType dtype = forecast_dtype(plan.dtype);
  const MachineLimits limits = measured_limits(model, dtype, parse_device(plan.device), std::max(1, threads));
  const std::string policy = policy_variant(plan.policies.front()).policy;  // of any of them: prompts are the same
  const SampleAsker asker({policy, plan.config, plan.question, chat}, tokenizer);
  std::vector<TaskForecast> forecasts;
  double seconds = 0;
  for (const std::string& task : plan.tasks)
    for (const std::int64_t length : plan.lengths) {
      observer.status("making samples of " + cell_title(task, length));
      forecasts.push_back(forecast_of(plan, model, limits, dtype, task, length, asker, tokenizer));
      for (const double part : forecasts.back().seconds) seconds += part;
    }
  observer.clear();
  return as_json ? forecast_json(plan, forecasts, seconds).dump(2) + "\n" : forecast_text(plan, forecasts, seconds);
}

}  // namespace carryover
