// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <random>

#include "engine/core/training_values.h"

namespace carryover::test {

/// A step with everything in it, random.
inline StepRecord random_step(std::int64_t step, std::mt19937& random) {
  std::uniform_real_distribution<double> real(0, 10);
  StepRecord record;
  record.step = step;
  record.tokens = 1024 * step;
  record.targets = static_cast<std::int64_t>(random() % 2000);
  record.loss = real(random);
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

}  // namespace carryover::test
