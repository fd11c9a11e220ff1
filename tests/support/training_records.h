// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <filesystem>
#include <random>
#include <vector>

#include "engine/training/records/training_plan.h"
#include "engine/training/records/training_values.h"
#include "tests/support/tiny_model.h"

namespace carryover::test {

/// A step with everything in it, random.
inline StepRecord random_step(std::int64_t step, std::mt19937& random) {
  std::uniform_real_distribution<double> real(0, 10);
  StepRecord record;
  record.step = step;
  record.tokens = 1024 * step;
  record.targets = static_cast<std::int64_t>(random() % 2000);
  record.loss = real(random);
  if (random() % 2 == 0) record.distillation_loss = real(random);
  if (random() % 2 == 0) record.recall_loss = real(random);
  for (unsigned i = random() % 4; i > 0; --i) record.segment_loss.push_back(real(random));
  record.learning_rate = 1e-5 * real(random);
  record.gradient_norm = real(random);
  for (std::int64_t i = static_cast<std::int64_t>(random() % 3); i > 0; --i) {
    record.reach.push_back({i - 1, 1 + static_cast<std::int64_t>(random() % 3), 1, real(random)});
  }
  record.tokens_per_second = 100 * real(random);
  record.seconds = real(random);
  record.skipped = random() % 5 == 0;
  record.memory.weights = static_cast<std::int64_t>(random());
  record.memory.optimizer = static_cast<std::int64_t>(random());
  return record;
}

inline ValidationRecord random_validation(std::int64_t step, std::mt19937& random) {
  ValidationRecord record{step, {}};
  for (std::int64_t length : {1024, 4096}) {
    record.lengths.push_back(
        {length, static_cast<std::int64_t>(random() % 100), std::uniform_real_distribution<>(1, 5)(random)});
  }
  return record;
}

/// A plan whose model is there, since a folder's config.json names it.
inline TrainingPlan training_plan_in(const TempDir& temp) {
  TrainingPlan plan;
  plan.model = temp.file("model");
  if (!std::filesystem::exists(plan.model)) write_tiny_model(plan.model, tiny_config(2), 1);
  plan.data = {"book.txt", "more.jsonl"};
  plan.output_dir = temp.file("run");
  plan.policy = "full";
  plan.config = SegmentConfig::defaults_for(tiny_config(2));
  plan.config.truncation_depth = 2;
  plan.training.max_steps = 77;
  plan.training.lora.rank = 4;
  return plan;
}

inline std::vector<std::int64_t> steps_of(const std::vector<StepRecord>& records) {
  std::vector<std::int64_t> steps;
  for (const StepRecord& record : records) steps.push_back(record.step);
  return steps;
}

inline std::vector<std::int64_t> range(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> steps;
  for (; first <= last; ++first) steps.push_back(first);
  return steps;
}

}  // namespace carryover::test
