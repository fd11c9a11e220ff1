// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/remote/wire_values.h"

namespace carryover {

/// The small files of a model that a window needs where it is itself: the tokenizer's (a GGUF's is written out),
/// config.json, and segment_config.json of the adapter where there is one, else of the model. The model's own files are
/// checked on the way. Throws what ModelSource::open and write_tokenizer throw.
std::vector<ModelFile> read_model_files(const std::string& model, const std::string& adapter);

/// Writes them into an existing folder. Throws EngineError{BadInput} for a name that is none of theirs, {Io}.
void write_model_files(const std::string& directory, const std::vector<ModelFile>& files);

}  // namespace carryover
