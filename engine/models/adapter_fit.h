// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/families/model_config.h"
#include "engine/models/model_folder.h"

namespace carryover {

/// Throws EngineError{BadInput} naming the adapter's file and the tensor where an adapter is not one of this model: it
/// has a tensor for a layer or module that the model lacks, one of another shape, or lacks one of a targeted module.
/// Reads headers, no weights.
void check_adapter_fits(const StoredAdapter& adapter, const ModelConfig& model);

}  // namespace carryover
