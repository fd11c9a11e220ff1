// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace carryover {

/// The formats in which files hold numbers.
enum class StorageType { F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K, Q6_K, F64 };

/// The unit of a storage type: `values` consecutive values of a row take `bytes` bytes.
struct BlockLayout {
  std::int64_t values, bytes;
};

BlockLayout block_layout(StorageType type);
std::string_view storage_name(StorageType type);

/// Converts `count` values (a multiple of the type's block) to fp32. The input needs no alignment. For the K types,
/// results are those of ggml's formulas with each product rounded. Any thread.
void dequantize(StorageType type, const std::byte* input, std::int64_t count, float* output);

}  // namespace carryover
