// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/families/model_config.h"
#include "engine/formats/dequantize.h"

namespace carryover {

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

  /// content_hash.h of all that the file holds of a tensor, at the speed of memory once it is there.
  virtual std::uint64_t content_hash(const StoredTensor& tensor) const = 0;
  /// Where a tensor is, for errors: a file.
  virtual std::string where(const StoredTensor& tensor) const = 0;
  /// The files that the tensors are in; none where they are made.
  virtual std::vector<std::string> files() const = 0;

  /// Hashes of all tensors as one (weights_hash); reads every byte.
  std::string hash() const;
};

/// 16 hex digits of what a model computes: names, shapes, types and contents of its tensors (one content_hash each, in
/// the order of tensors()), and what of its configuration no shape shows.
std::string weights_hash(const ModelSource& source, std::span<const std::uint64_t> contents);

}  // namespace carryover
