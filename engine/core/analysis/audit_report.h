// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/config/segment_config.h"

namespace carryover {

struct AuditRequest {
  std::shared_ptr<const std::vector<std::int32_t>> ids;
  std::string policy = "segmented";
  SegmentConfig config;
  std::int64_t lora_rank = 0;  ///< > 0: of an adapter on all modules, with random B
  std::string gradients_path;  ///< ∇L_K by HF name is written here (safetensors), or empty
  bool checks = true;          ///< off: gradients alone
  /// Called on the engine thread with the share that is done and what comes next; must return quickly. May be empty.
  std::function<void(double share, const std::string& what)> progress;
};

/// A row of the audit's table. `bound` 0: must be exactly equal.
struct AuditCheck {
  std::string name, measure;
  double difference = 0, bound = 0;
  double margin = 0;  ///< what a gradient of the nearest other K would show on this model and text; 0: not measured
  bool passed() const { return difference <= bound; }
};
struct AuditReport {
  std::int64_t segments = 0, truncation_depth = 0;
  double loss = 0;  ///< L_K: ΣNLL, nats
  std::vector<AuditCheck> checks;
  bool passed() const;
};

}  // namespace carryover
