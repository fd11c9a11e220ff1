// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>

#include "engine/core/config/segment_config.h"

namespace carryover {

/// How weights were trained to be executed.
struct TrainedUnder {
  SegmentConfig config;
  std::string policy = "segmented";
};

/// segment_config.json of a model's or an adapter's folder, which training writes; nothing where there is none. Throws
/// EngineError{BadInput, Io}.
std::optional<TrainedUnder> read_trained_under(const std::string& folder);

/// The same, written into a folder. Throws EngineError{Io}.
void write_trained_under(const std::string& folder, const TrainedUnder& trained);

/// The segmentation to start with: what the adapter, where one is given, or else the model was trained under; else the
/// defaults for a model that was not trained in segments, sinks included. Throws as read_trained_under().
SegmentConfig initial_config(const ModelConfig& config, const std::string& model, const std::string& adapter);

}  // namespace carryover
