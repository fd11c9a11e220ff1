// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/checkpoints/model_folder.h"
#include "engine/families/model_config.h"

namespace carryover {

/// Checks the headers of an adapter, without reading weights, and throws EngineError{BadInput}, which names the
/// adapter's file and the tensor, if the adapter does not fit this model: it has a tensor for a layer or module that
/// the model lacks, a tensor of another shape, or no tensor for a targeted module.
void check_adapter_fits(const StoredAdapter& adapter, const ModelConfig& model);

}  // namespace carryover
