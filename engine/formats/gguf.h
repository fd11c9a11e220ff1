// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/dequantize.h"

namespace carryover {

class MappedFile;
struct GgufOutline;

/// A tensor as a GGUF file lists it, with the file's own name (`blk.0.attn_q.weight`).
struct GgufTensor {
  std::string name;
  std::vector<std::int64_t> shape;  ///< row-major, the reverse of the file's order: [rows, columns] or [columns]
  StorageType type = StorageType::F32;
  std::span<const std::byte> data;         ///< exactly the tensor's bytes, inside its file
  std::shared_ptr<const MappedFile> file;  ///< null after GgufFile::parse()
};

/// The key–value pairs and the tensor directory of a GGUF file, version 2 or 3, little-endian. Parsing checks every
/// count, length, type and offset against the file's size before it allocates or reads. A model that is split over
/// several files (llama-gguf-split) has the pairs of its first file and the tensors of all. Immutable; any thread.
///
/// The find_… functions return nullopt if the key is absent, and throw EngineError{BadInput}, which names file and key,
/// if the value has another type. Views point into the file and live as long as this object (or a copy).
class GgufFile {
 public:
  /// Opens a file, or by any one of its parts a split model. Throws EngineError{Io, BadInput, Unsupported}, which names
  /// the file, what is wrong and what to do.
  static GgufFile open(const std::string& path);
  /// Does the same for bytes, which must outlive the result; `where` names them in errors.
  static GgufFile parse(std::span<const std::byte> bytes, const std::string& where);

  bool has(std::string_view key) const { return values_.find(key) != values_.end(); }
  bool has_array(std::string_view key) const { return has(key) && find(key)->is_array; }
  std::optional<std::string_view> find_string(std::string_view key) const;
  std::optional<std::int64_t> find_int(std::string_view key) const;  ///< any of the file's integer types
  std::optional<double> find_float(std::string_view key) const;      ///< f32, f64 or any integer
  std::optional<bool> find_bool(std::string_view key) const;
  std::optional<std::vector<std::string_view>> find_strings(std::string_view key) const;
  std::optional<std::vector<std::int64_t>> find_ints(std::string_view key) const;  ///< or bools, as 0 and 1
  std::optional<std::vector<double>> find_floats(std::string_view key) const;

  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  const GgufTensor* find_tensor(std::string_view name) const;
  const std::string& where() const { return where_; }
  const std::shared_ptr<const MappedFile>& file() const { return file_; }  ///< of the pairs; null after parse()

 private:
  friend class GgufParser;
  friend GgufOutline read_gguf_outline(const std::string& path);
  /// An undecoded value. `type` is the elements' type if `is_array`; `bytes` are the elements.
  struct Value {
    std::uint32_t type = 0;
    bool is_array = false;
    std::uint64_t count = 1;
    std::span<const std::byte> bytes;
  };
  static GgufFile open_part(const std::string& path);
  void add_part(GgufFile part);
  const Value* find(std::string_view key) const;
  [[noreturn]] void refuse_type(std::string_view key, const Value& value, const char* wanted) const;

  std::string where_;
  std::shared_ptr<const MappedFile> file_;
  std::map<std::string, Value, std::less<>> values_;
  std::vector<GgufTensor> tensors_;
  std::map<std::string, std::size_t, std::less<>> tensor_index_;
};

/// The header of a GGUF file as far as it can be read, also of a file that GgufFile refuses for the types or the places
/// of its tensors: for lists of models, which name such files too. Immutable; any thread.
struct GgufOutline {
  GgufFile keys;                                   ///< without tensors
  std::map<std::uint32_t, std::uint64_t> numbers;  ///< numbers that all tensors hold, by ggml's number of their type
};

/// Reads the header alone. Where it is damaged, the outline has what stands before the damage. Throws
/// EngineError{Io, BadInput, Unsupported} if the file can't be read or does not begin as a GGUF file.
GgufOutline read_gguf_outline(const std::string& path);

}  // namespace carryover
