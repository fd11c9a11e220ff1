// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carryover {

/// The formats in which files hold numbers.
enum class StorageType {
  F32,
  F16,
  BF16,
  F64,
  Q8_0,
  Q4_0,
  Q4_1,
  Q5_0,
  Q5_1,
  Q2_K,
  Q3_K,
  Q4_K,
  Q5_K,
  Q6_K,
  IQ4_NL,
  IQ4_XS,
  MXFP4
};

/// The unit of a storage type: `values` consecutive values of a row take `bytes` bytes.
struct BlockLayout {
  std::int64_t values, bytes;
};

BlockLayout block_layout(StorageType type);
std::string_view storage_name(StorageType type);

/// Returns the type that a GGUF file names with ggml's number; nothing if it is not read here.
std::optional<StorageType> storage_of_ggml(std::uint32_t number);
/// Returns the names of all types that a GGUF file may have, "F32, F16, …".
std::string ggml_types_read();

/// Converts `count` values (a multiple of the type's block) to fp32. The input needs no alignment. Results are those
/// of ggml's formulas with each product rounded. Any thread.
void dequantize(StorageType type, const std::byte* input, std::int64_t count, float* output);

}  // namespace carryover
