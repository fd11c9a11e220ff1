// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/config/segment_config.h"

namespace carryover {

struct AuditRequest {
  std::shared_ptr<const std::vector<std::int32_t>> ids;
  std::string policy = "segmented";
  SegmentConfig config;
  std::int64_t lora_rank = 0;  ///< > 0: rank of an adapter on all modules, with random B
  std::string gradients_path;  ///< file (safetensors) that gets ∇L_K by HF name, or empty
  bool checks = true;          ///< false: only gradients are computed
  /// Called on the engine thread with the share that is done and with what comes next. Must return quickly. May be
  /// empty.
  std::function<void(double share, const std::string& what)> progress;
};

/// A row of the audit's table. A `bound` of 0 means that both sides must be exactly equal.
struct AuditCheck {
  std::string name, measure;
  double difference = 0, bound = 0;
  double margin = 0;  ///< difference that the gradient of the nearest other K has on this model and text; 0: not
                      ///< measured
  bool passed() const { return difference <= bound; }
};
struct AuditReport {
  std::int64_t segments = 0, truncation_depth = 0;
  double loss = 0;  ///< L_K: ΣNLL, nats
  std::vector<AuditCheck> checks;
  bool passed() const;
};

}  // namespace carryover
