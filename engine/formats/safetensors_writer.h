// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace carryover {

/// A tensor to be written. `bytes` is called once, in the file's order, and its span is used before the next call, so
/// that a tensor on a GPU needs host memory only for itself.
struct OutgoingTensor {
  std::string name;
  std::string dtype;  ///< "F64", "F32", "BF16", "I64", …
  std::vector<std::int64_t> shape;
  std::function<std::span<const std::byte>()> bytes;
};

/// Writes a safetensors file: to a temporary name, synced, then renamed. Tensors with wide elements come first, so that
/// each is aligned; those of one width keep their order. Names must be unique, and each span must have the bytes of its
/// shape. Throws EngineError{Io}.
void write_safetensors(const std::string& path, const std::vector<OutgoingTensor>& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace carryover
