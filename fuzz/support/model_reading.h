// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "engine/checkpoints/model_source.h"

namespace carryover::fuzz {

/// Reads all that loading reads of a model: every row of every tensor, and the hash.
inline void read_everything(const ModelSource& model) {
  for (const StoredTensor& tensor : model.tensors()) {
    const std::int64_t rows = tensor.shape.size() == 1 ? 1 : tensor.shape[0];
    std::vector<float> row(static_cast<std::size_t>(tensor.shape.back()));
    for (std::int64_t i = 0; i < rows; ++i) model.read_rows(tensor, i, i + 1, row.data());
  }
  model.hash();
}

}  // namespace carryover::fuzz
