// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/checkpoints/model_source.h"

namespace carryover {

/// Random weights of a known shape, generated row by row as they are read and never written. They serve to measure what
/// a model costs without its checkpoint. They are named like a path: "random:llama2-7b", or "random:llama2-7b:7" for
/// the weights of seed 7. There is no tokenizer.
inline constexpr std::string_view random_model_prefix = "random:";
inline bool names_random_model(std::string_view path) {
  return path.starts_with(random_model_prefix);
}

/// Returns the names of the shapes: "llama2-7b" (as the paper's 32K version), "llama3.1-8b", "smollm2-135m",
/// "qwen2.5-0.5b", "gemma3-270m", "pythia-160m", "llama3.1-small" (heads and RoPE of the 8b one in 0.15 billion
/// parameters), and "tiny" for tests.
std::vector<std::string> random_shapes();
std::string listed_random_shapes(std::string_view separator);

/// Returns the absolute path of a model or another file. The names of random models and an empty path stay. Throws
/// EngineError{Io} where there is no current folder.
std::string absolute_path(const std::string& path);

/// Opens random weights. `name`: the part after the prefix. Matrices are uniform with variance 1/fan-in (embeddings 1),
/// norms are 1 ± 0.1, so that activations stay near one. Throws EngineError{Usage} if the shape or the seed is invalid.
std::unique_ptr<ModelSource> open_random_model(std::string_view name);

}  // namespace carryover
