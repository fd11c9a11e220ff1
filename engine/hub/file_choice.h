// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/hub/hub_client.h"

namespace carryover {

/// Returns the files of a model to fetch. Without patterns, those that it is opened with: config.json, tokenizer, chat
/// template and safetensors, or the one GGUF. With patterns, as of a shell, all that match one; a * matches slashes
/// too. Never a pickle, which can run any program when it is read. Throws EngineError{Usage} if nothing matches, or if
/// there are several GGUFs to choose from, which it lists; {Unsupported} if there is nothing but pickles. Pure; any
/// thread.
std::vector<HubFile> choose_files(const HubModel& model, const std::vector<std::string>& patterns);

}  // namespace carryover
