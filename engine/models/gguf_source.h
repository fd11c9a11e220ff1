// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>

#include "engine/formats/gguf.h"
#include "engine/models/model_source.h"

namespace carryover {

/// The `llama.*` keys of a GGUF as a validated ModelConfig; `fallback_name` where the file has no usable general.name.
/// RoPE factors that the file stores as a tensor are recovered as llama3 scaling, and checked against it.
/// Throws EngineError{BadInput, Unsupported}.
ModelConfig gguf_config(const GgufFile& file, const std::string& fallback_name);

/// The weights of a GGUF file under HF's names, Q and K put back into HF's order. Errors as ModelSource::open.
/// The bytes of a file from GgufFile::parse must outlive the result.
std::unique_ptr<ModelSource> gguf_model(const GgufFile& file, const std::string& fallback_name);

}  // namespace carryover
