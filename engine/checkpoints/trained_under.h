// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>

#include "engine/config/segment_config.h"

namespace carryover {

/// The execution that weights were trained for.
struct TrainedUnder {
  SegmentConfig config;
  std::string policy = "segmented";
};

/// Reads segment_config.json of a model's or an adapter's folder, which training writes; returns nothing if there is
/// none. Throws EngineError{BadInput, Io}.
std::optional<TrainedUnder> read_trained_under(const std::string& folder);

/// Writes that file into a folder. Throws EngineError{Io}.
void write_trained_under(const std::string& folder, const TrainedUnder& trained);

/// Returns the segmentation to start with: the one that the adapter, if one is given, or else the model was trained
/// under; else the defaults for a model that was not trained in segments, sinks included. Throws as
/// read_trained_under() does.
SegmentConfig initial_config(const ModelConfig& config, const std::string& model, const std::string& adapter);

}  // namespace carryover
