// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "engine/config/segment_config.h"

namespace carryover {

/// Returns the heads that search for what a question asks about, as `carryover heads --recall` found them for the
/// default model (SmolLM2-135M; docs/adr/0030), or nothing for a model of another shape.
std::optional<std::vector<HeadRef>> known_search_heads(const ModelConfig& model);

/// Returns the grouping in which every head of every layer is long-range.
Grouping all_readers(const ModelConfig& model);

/// Returns `config` with the preset for recall (beyond the paper, ADR 0028): every head of every layer reads sinks,
/// what one shared search retrieved in windows, and the carry, and a question is run twice. If no search heads are
/// known for the model, those of `config` stay.
SegmentConfig recall_preset(const ModelConfig& model, SegmentConfig config);

}  // namespace carryover
