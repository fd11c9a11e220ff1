// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace carryover {

/// The name that llama-gguf-split gives to one of the files of a model, such as NAME-00002-of-00003.gguf. A plain
/// value.
struct GgufPartName {
  std::string stem;         ///< NAME, with the folder if the path has one
  std::int64_t number = 0;  ///< counted from 1
  std::int64_t count = 0;
  std::string extension;  ///< ".gguf"

  /// Returns nothing if a path is not named in this way.
  static std::optional<GgufPartName> of(const std::string& path);
  /// Returns the path of another part of the model. `which`: counted from 1.
  std::string path(std::int64_t which) const;
};

}  // namespace carryover
