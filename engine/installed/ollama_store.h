// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/installed/model_places.h"
#include "engine/installed/model_walk.h"

namespace carryover {

/// Finds the models of an Ollama store: manifests/REGISTRY/NAMESPACE/MODEL/TAG is a list of layers, of which one names
/// the GGUF file blobs/sha256-DIGEST. A manifest that names none, as those of models in the cloud, is a candidate
/// without weights; one that is no manifest is passed over.
void find_ollama_models(const ModelPlace& place, ModelWalk& walk);

}  // namespace carryover
