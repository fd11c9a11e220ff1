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

/// A tensor of a model file, named by its Hugging Face name (`model.layers.0.self_attn.q_proj.weight`) whatever the
/// file calls it.
struct StoredTensor {
  std::string name;
  std::vector<std::int64_t> shape;  ///< row-major: [rows, columns] or [columns]
  StorageType type = StorageType::F32;
};

/// The weights of one model on disk, memory-mapped: one interface for HF folders and GGUF files. Rows are read and
/// converted on demand, so that loading never holds two copies. Reading is const and safe from several threads.
class ModelSource {
 public:
  virtual ~ModelSource() = default;

  /// Opens a model. `path`: an HF folder, a .gguf file, or random weights by name (random_model.h). When this returns,
  /// every tensor that the architecture needs is there with its shape. Throws EngineError{BadInput, Unsupported, Io},
  /// which names the file, what is wrong and what to do; {Usage} if the name of random weights is unknown.
  static std::unique_ptr<ModelSource> open(const std::string& path);

  virtual const ModelConfig& config() const = 0;
  virtual const std::vector<StoredTensor>& tensors() const = 0;
  virtual const StoredTensor* find(const std::string& hf_name) const = 0;

  /// Reads rows [begin, end) as fp32 into `out` ((end − begin) · columns values), in HF's order of rows (those of a
  /// GGUF's Q and K are permuted back). A vector counts as one row.
  virtual void read_rows(const StoredTensor& tensor, std::int64_t begin, std::int64_t end, float* out) const = 0;

  /// Returns the content_hash.h hash of all bytes that the file holds for a tensor. Runs at the speed of memory once
  /// these are in memory.
  virtual std::uint64_t content_hash(const StoredTensor& tensor) const = 0;
  /// Returns the file that a tensor is in, for errors.
  virtual std::string where(const StoredTensor& tensor) const = 0;
  /// Returns the files that the tensors are in; none if the tensors are generated.
  virtual std::vector<std::string> files() const = 0;

  /// Returns one hash for all tensors (weights_hash); reads every byte.
  std::string hash() const;
};

/// Returns 16 hex digits that identify what a model computes: a hash of the names, shapes, types and contents of its
/// tensors (one content_hash each, in the order of tensors()), and of the part of its configuration that no shape
/// shows.
std::string weights_hash(const ModelSource& source, std::span<const std::uint64_t> contents);

}  // namespace carryover
