// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/checkpoints/model_source.h"
#include "engine/families/weight_rows.h"

namespace carryover {

class MappedFile;

/// The common part of HF folders and GGUF files after their directories are read: each weight is a span of mapped bytes
/// of some storage type. One thread builds it; then it is immutable.
class StoredModel : public ModelSource {
 public:
  explicit StoredModel(ModelConfig config) : config_(std::move(config)) {}

  /// The place of one weight. `file` may be null; then the caller keeps the bytes.
  struct Place {
    std::string where;  ///< the file, for errors
    std::vector<std::int64_t> shape;
    StorageType type = StorageType::F32;
    std::span<const std::byte> data;
    std::shared_ptr<const MappedFile> file;
  };

  /// Adds one weight. `as_gguf`: it is stored as a GGUF stores it, permuted and with an offset, as WeightRow says.
  /// Throws EngineError{BadInput} where the shape is another.
  void add(const WeightRow& tensor, Place place, bool as_gguf);

  const ModelConfig& config() const override { return config_; }
  const std::vector<StoredTensor>& tensors() const override { return tensors_; }
  const StoredTensor* find(const std::string& hf_name) const override;
  void read_rows(const StoredTensor& tensor, std::int64_t begin, std::int64_t end, float* out) const override;
  std::uint64_t content_hash(const StoredTensor& tensor) const override;
  std::string where(const StoredTensor& tensor) const override;
  std::vector<std::string> files() const override;

 private:
  struct Content {
    StorageType type;
    std::span<const std::byte> data;
    std::shared_ptr<const MappedFile> file;
    std::int64_t rows, columns, row_bytes;
    GgufRows order;
    std::int64_t heads;  ///< of the rows
    double offset;       ///< what was added to each value
    std::string where;
  };
  const Content& content_of(const StoredTensor& tensor) const;

  ModelConfig config_;
  std::vector<StoredTensor> tensors_;
  std::vector<Content> contents_;  ///< one for each of tensors_
  std::map<std::string, std::size_t, std::less<>> index_;
};

/// Returns a shape as text for messages: "[32, 64]".
std::string listed_shape(const std::vector<std::int64_t>& shape);

/// Throws the error for a weight that the files lack, or that they have but should not.
[[noreturn]] void refuse_missing_tensor(const std::string& where, const std::string& name);
[[noreturn]] void refuse_extra_tensor(const std::string& where, std::string_view name);

}  // namespace carryover
