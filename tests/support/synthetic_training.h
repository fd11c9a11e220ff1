// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cmath>

#include "tests/support/synthetic_run.h"
#include "widgets/training/state/training_model.h"

namespace carryover::test {

inline std::shared_ptr<const TrainingPlan> synthetic_plan(std::int64_t depth = 2, std::int64_t max_steps = 400) {
  TrainingPlan plan;
  plan.model = "/models/synthetic";
  plan.data = {"/texts/book.txt"};
  plan.output_dir = "/runs/first";
  plan.config = synthetic_request(1).config;
  plan.config.truncation_depth = depth;
  plan.training.max_steps = max_steps;
  plan.training.train_segments = 4;
  return std::make_shared<const TrainingPlan>(plan);
}

/// A falling loss with noise that repeats, four segments a sample, and a reach for each transition and age up to K.
inline StepRecord synthetic_step(std::int64_t step, std::int64_t depth = 2) {
  StepRecord record;
  record.step = step;
  record.tokens = step * 8192;
  record.targets = 8191;
  const double noise = 0.15 * std::sin(0.9 * static_cast<double>(step)) * std::cos(0.37 * static_cast<double>(step));
  record.loss = 2.2 + 2.5 * std::exp(-static_cast<double>(step) / 90) + noise;
  record.recall_loss = 0.5 * record.loss;
  for (int segment = 0; segment < 4; ++segment) record.segment_loss.push_back(record.loss + 0.3 - 0.1 * segment);
  record.learning_rate = 5e-5 * std::min(1.0, static_cast<double>(step) / 40);
  record.gradient_norm = 0.6 + 0.2 * std::abs(noise) + 1.5 * std::exp(-static_cast<double>(step) / 40);
  for (std::int64_t age = 1; age <= depth; ++age)
    for (std::int64_t transition = 0; transition + age < 4; ++transition)
      record.reach.push_back(
          {transition, age, 1, 2.0 / static_cast<double>(age * age) + 0.1 * static_cast<double>(transition) + noise});
  record.tokens_per_second = 900 + 40 * noise;
  record.seconds = 9;
  record.memory.weights = 540'000'000;
  record.memory.gradients = 540'000'000;
  record.memory.optimizer = 1'080'000'000;
  record.memory.graph = 900'000'000 + step % 7 * 10'000'000;
  record.memory.attention_kv = 60'000'000;
  record.memory.carry = 9'000'000;
  record.memory.pool = 20'000'000;
  record.memory.device_peak = 3'400'000'000;
  return record;
}

inline std::vector<StepRecord> synthetic_steps(std::int64_t first, std::int64_t last, std::int64_t depth = 2) {
  std::vector<StepRecord> steps;
  for (std::int64_t step = first; step <= last; ++step) steps.push_back(synthetic_step(step, depth));
  return steps;
}

/// A step that carries the segments of its last sample.
inline std::shared_ptr<const StepSnapshot> synthetic_step_snapshot(std::int64_t step, int segments = 4) {
  auto snapshot = std::make_shared<StepSnapshot>();
  snapshot->record = synthetic_step(step);
  RunModel run;
  synthetic_run(run, segments, segments, synthetic_request(segments));
  for (int segment = 0; segment < segments; ++segment) snapshot->segments.push_back(run.shared_snapshot(segment));
  return snapshot;
}

}  // namespace carryover::test
