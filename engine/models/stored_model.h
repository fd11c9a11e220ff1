// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/families/weight_rows.h"
#include "engine/models/model_source.h"

namespace carryover {

class MappedFile;

/// What HF folders and GGUF files have in common once their directories are read: each weight is a span of mapped bytes
/// of some storage type. Built by one thread, then immutable.
class StoredModel : public ModelSource {
 public:
  explicit StoredModel(ModelConfig config) : config_(std::move(config)) {}

  /// Where one weight lies. `file` may be null (bytes that the caller keeps).
  struct Place {
    std::string where;  ///< the file, for errors
    std::vector<std::int64_t> shape;
    StorageType type = StorageType::F32;
    std::span<const std::byte> data;
    std::shared_ptr<const MappedFile> file;
  };

  /// Adds one weight. `permuted_heads`: as WeightRow. Throws EngineError{BadInput} where the shape is another.
  void add(const WeightRow& tensor, Place place, std::int64_t permuted_heads);

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
    std::int64_t rows, columns, row_bytes, permuted_heads;
    std::string where;
  };
  const Content& content_of(const StoredTensor& tensor) const;

  ModelConfig config_;
  std::vector<StoredTensor> tensors_;
  std::vector<Content> contents_;  ///< beside tensors_
  std::map<std::string, std::size_t, std::less<>> index_;
};

/// "[32, 64]", for messages.
std::string listed_shape(const std::vector<std::int64_t>& shape);

/// The error for a weight that the files lack, or have and should not.
[[noreturn]] void refuse_missing_tensor(const std::string& where, const std::string& name);
[[noreturn]] void refuse_extra_tensor(const std::string& where, std::string_view name);

}  // namespace carryover
