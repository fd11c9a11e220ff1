// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>

#include "engine/checkpoints/model_source.h"
#include "engine/formats/gguf.h"

namespace carryover {

/// Returns the `llama.*` keys of a GGUF file as a validated ModelConfig, with the name `fallback_name` if the file has
/// no usable general.name. RoPE factors that the file stores as a tensor are converted back to a llama3 scaling, which
/// is checked against them. Throws EngineError{BadInput, Unsupported}.
ModelConfig gguf_config(const GgufFile& file, const std::string& fallback_name);

/// Returns the weights of a GGUF file under HF's names, with the rows of Q and K in HF's order. Throws as
/// ModelSource::open does. If the file is from GgufFile::parse, its bytes must outlive the result.
std::unique_ptr<ModelSource> gguf_model(const GgufFile& file, const std::string& fallback_name);

}  // namespace carryover
