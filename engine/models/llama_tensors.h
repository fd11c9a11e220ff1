// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/config/model_config.h"

namespace carryover {

/// One weight that the LLaMA architecture needs, with its names in the two kinds of file.
struct LlamaTensor {
  std::string hf_name, gguf_name;
  std::vector<std::int64_t> shape;  ///< row-major
  std::int64_t permuted_heads = 0;  ///< number of heads whose rows a GGUF stores in another order (Q and K); 0 for none
};

/// Returns all weights of the architecture, lm_head.weight only if the embeddings are not tied.
std::vector<LlamaTensor> llama_tensors(const ModelConfig& config);

/// Returns the gates of policy nsa, which a model has if it was trained under it: a layer's matrix and its bias, with a
/// head's three rows side by side (compressed, selected, window). No GGUF has them.
std::vector<LlamaTensor> gate_tensors(const ModelConfig& config);

}  // namespace carryover
