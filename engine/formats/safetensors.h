// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
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

/// A tensor of a safetensors file. `type` is absent for types that no weight has here (I64, BOOL, …).
struct SafetensorsTensor {
  std::string name;
  std::string dtype;                ///< as the file spells it
  std::optional<StorageType> type;  ///< F64, F32, F16 or BF16
  std::vector<std::int64_t> shape;  ///< row-major; empty for a scalar
  std::span<const std::byte> data;  ///< exactly the tensor's bytes, inside the file
};

/// The directory of a safetensors file: eight bytes of header length, a JSON header, and data that the tensors tile
/// without gap or overlap. Everything is checked before use. Immutable; any thread. Spans live as long as this object.
class SafetensorsFile {
 public:
  /// Throws EngineError{Io, BadInput}, which names the file, what is wrong and what to do.
  static SafetensorsFile open(const std::string& path);
  /// Does the same for bytes, which must outlive the result; `where` names them in errors.
  static SafetensorsFile parse(std::span<const std::byte> bytes, const std::string& where);

  /// Returns the same file with other names, without the tensors for which `name_of` returns nothing. Throws
  /// EngineError{BadInput} if two tensors get one name.
  using NameOf = std::function<std::optional<std::string>(std::string_view)>;
  SafetensorsFile renamed(const NameOf& name_of) const;

  const std::vector<SafetensorsTensor>& tensors() const { return tensors_; }
  const SafetensorsTensor* find(std::string_view name) const;
  /// Returns the texts of `__metadata__`; values that are not texts are left out.
  const std::map<std::string, std::string, std::less<>>& metadata() const { return metadata_; }
  const std::string& where() const { return where_; }
  const std::shared_ptr<const MappedFile>& file() const { return file_; }  ///< null after parse()

 private:
  void check_tiling(std::span<const std::byte> data) const;

  std::string where_;
  std::shared_ptr<const MappedFile> file_;
  std::vector<SafetensorsTensor> tensors_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::map<std::string, std::string, std::less<>> metadata_;
};

/// Returns the bytes of one element of a dtype as the format spells it, or nothing for a name that the format lacks.
std::optional<std::uint64_t> safetensors_dtype_bytes(std::string_view dtype);

}  // namespace carryover
