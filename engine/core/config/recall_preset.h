// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "engine/core/config/segment_config.h"

namespace carryover {

/// The heads that search for what a question asks about, as `carryover heads --recall` found them for the default model
/// (SmolLM2-135M; docs/adr/0030); none for a model of another shape.
std::optional<std::vector<HeadRef>> known_search_heads(const ModelConfig& model);

/// Every head of every layer.
Grouping all_readers(const ModelConfig& model);

/// `config` with the preset for recall (beyond the paper, ADR 0028): every head of every layer reads sinks, what one
/// shared search retrieved in windows, and the carry, and a question is run twice. Where no search heads are known for
/// the model, those of `config` stay.
SegmentConfig recall_preset(const ModelConfig& model, SegmentConfig config);

}  // namespace carryover
