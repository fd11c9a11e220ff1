// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/installed/installed_model.h"

namespace carryover {

/// Reads the headers of a candidate's files, and no weights: config.json and the headers of safetensors files, or the
/// header of a GGUF. A model that does not open here, whatever is wrong with its files, has the reason as its problem,
/// with what could be read beside it. Throws only what is no EngineError: std::bad_alloc. Any thread.
ModelFacts read_model_facts(const ModelCandidate& candidate);

}  // namespace carryover
