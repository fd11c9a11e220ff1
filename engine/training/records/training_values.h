// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/memory_bytes.h"
#include "engine/runs/values/snapshot.h"

namespace carryover {

/// ‖∂ℓ_i/∂C_j‖ of one loss term, or of several merged terms that are never cut.
struct GradientReach {
  std::int64_t transition = 0;  ///< j: from segment j to j + 1, zero-based
  std::int64_t age = 0;         ///< i − j ≥ 1: transitions crossed so far; if merged, that of the nearest term
  std::int64_t terms = 1;       ///< number of merged loss terms
  double norm = 0;              ///< over the whole carry, of a sum in nats; mean over the step's samples
  bool operator==(const GradientReach&) const = default;
};

/// The most segments of a training sample, so that lengths stay in range and each segment can have a column where steps
/// are shown.
inline constexpr std::int64_t kMostSampleSegments = 4096;

/// One optimizer step, which is a line of metrics.jsonl.
struct StepRecord {
  std::int64_t step = 0;     ///< counted from 1
  std::int64_t tokens = 0;   ///< tokens trained on so far, targets and first tokens alike
  std::int64_t targets = 0;  ///< targets of this step
  double loss = 0;           ///< ΣNLL/Σtargets of this step, nats
  /// Mean over targets of −Σ p_T log p, the cross-entropy to the teacher, nats; none without distillation.
  std::optional<double> distillation_loss;
  /// Mean over the tokens of answers, nats; none without recall samples, whose answers count in no other loss here.
  std::optional<double> recall_loss;
  std::vector<double> segment_loss;  ///< nats per target, for each segment of a sample
  double learning_rate = 0;
  double gradient_norm = 0;  ///< norm of the mean loss's gradient, before clipping
  std::vector<GradientReach> reach;
  double tokens_per_second = 0;
  double seconds = 0;
  bool skipped = false;  ///< true if an alert left the update out
  MemoryBytes memory;
};
void to_json(nlohmann::json& json, const StepRecord& record);
void from_json(const nlohmann::json& json, StepRecord& record);

/// Held-out perplexity after a step, which is a line of metrics.jsonl with "validation".
struct ValidationRecord {
  struct Length {
    std::int64_t length = 0;   ///< tokens of each text
    std::int64_t targets = 0;  ///< over all texts of that length
    double nll_mean = 0;
  };
  std::int64_t step = 0;
  std::vector<Length> lengths;
};
void to_json(nlohmann::json& json, const ValidationRecord& record);
void from_json(const nlohmann::json& json, ValidationRecord& record);

/// A step as the window sees it; immutable. `segments` are those of the step's last sample, empty if nobody looks at
/// them.
struct StepSnapshot {
  StepRecord record;
  std::vector<std::shared_ptr<const SegmentSnapshot>> segments;
};

/// An alert: the loss is not finite, or has jumped; or the disk is full.
struct TrainingAlert {
  std::int64_t step = 0;
  double loss = 0, expected = 0;  ///< expected: the smoothed loss so far
  std::string text;               ///< says what happened and what was done about it
  bool waits_for_room = false;    ///< training is paused until it is resumed, and then tries to write again
};

struct TrainingSummary {
  std::int64_t steps = 0, tokens = 0;
  double seconds = 0;
  double last_loss = 0;
  std::int64_t peak_memory_bytes = 0;
  bool stopped = false;      ///< true if it ended before max_steps; a checkpoint was saved
  std::string checkpoint;    ///< the newest whole one, or empty
  std::string final_folder;  ///< folder of the model or adapter; empty if stopped
};

}  // namespace carryover
