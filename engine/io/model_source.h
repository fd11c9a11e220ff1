// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/model_config.h"

namespace carryover {

enum class StorageType { F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K, Q6_K };

/// A tensor of a model file under its Hugging Face name (`model.layers.0.self_attn.q_proj.weight`), whatever the file
/// calls it.
struct StoredTensor {
  std::string name;
  std::vector<std::int64_t> shape;  ///< row-major: [rows, columns] or [columns]
  StorageType type = StorageType::F32;
};

/// The weights of one model on disk, memory-mapped: an HF folder or a GGUF file behind one face. Rows are read and
/// converted on demand, so that loading never holds two copies. Reading is const and safe from several threads.
class ModelSource {
 public:
  virtual ~ModelSource() = default;

  /// `path`: an HF folder, a .gguf file, or random weights by name (random_model.h). Throws EngineError{BadInput,
  /// Unsupported, Io} naming the file, what is wrong and what to do; {Usage} for a name that is none. Every tensor that
  /// the architecture needs is there with its shape once this returns.
  static std::unique_ptr<ModelSource> open(const std::string& path);

  virtual const ModelConfig& config() const = 0;
  virtual const std::vector<StoredTensor>& tensors() const = 0;
  virtual const StoredTensor* find(const std::string& hf_name) const = 0;

  /// Rows [begin, end) as fp32 into `out` ((end − begin) · columns values), in HF's order of rows (a GGUF's permuted Q
  /// and K are put back). A vector counts as one row.
  virtual void read_rows(const StoredTensor& tensor, std::int64_t begin, std::int64_t end, float* out) const = 0;

  /// Names, shapes and sampled contents of all tensors, as 16 hex digits: tells checkpoints apart.
  virtual std::string hash() const = 0;
};

}  // namespace carryover
