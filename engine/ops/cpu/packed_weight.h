// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

/// A weight in 8 bits, as in GGUF's Q8_0: 32 values of a row share an fp16 scale, which is their largest magnitude /
/// 127. What Q8_0 can hold is held exactly. For the CPU; packed and unpacked by rows, on any thread.
///
/// It is a tensor of bytes, [outer / 16, inner / 32, 544]. A block has 16 rows, so that the lanes of a vector are rows.
/// It begins with their scales, [16] fp16, followed by [8, 16, 4] values; a value's byte is the value plus 128. Matmuls
/// read the tensor from front to back, which is the fastest order in memory.
namespace carryover::ops {

inline constexpr std::int64_t kPackedRows = 16, kPackedBlock = 32;

/// Returns true if a weight of this shape has a packed form: `outer` is a multiple of 16 and `inner` one of 32.
bool can_pack(std::int64_t outer, std::int64_t inner);
at::Tensor empty_packed(std::int64_t outer, std::int64_t inner);

bool is_packed(const at::Tensor& weight);
std::int64_t packed_outer(const at::Tensor& packed);
std::int64_t packed_inner(const at::Tensor& packed);

/// Packs rows [first, first + count), both multiples of 16. rows: fp32, dense. A block with a value that is not finite
/// is unpacked as NaN.
void pack_weight_rows(const float* rows, std::int64_t first, std::int64_t count, const at::Tensor& packed);

/// Returns rows [first, first + count) as values of `type`: [count, inner].
at::Tensor unpack_weight_rows(const at::Tensor& packed, std::int64_t first, std::int64_t count, at::ScalarType type);

/// Returns single rows: ids [n] int64 → [n, inner] of `type`.
at::Tensor packed_embedding(const at::Tensor& packed, const at::Tensor& ids, at::ScalarType type);

/// Returns x · weightᵀ for one row of bf16 or fp32: [1, inner] → [1, outer]. Blocks of x are rounded to 16 bits and
/// multiplied in integers, so the bits are the same on every processor and with any number of threads. Without
/// autograd. Thread: engine.
at::Tensor packed_row_matmul(const at::Tensor& x, const at::Tensor& packed);
/// The kinds of this matmul: plain loops, AVX2 in 16-bit integers, or AVX512-VNNI in bytes.
enum class PackedMatmul { Plain, Pairs, Bytes };
/// For tests: sets the best kind that it may use, as far as the processor has it.
void allow_packed_matmul(PackedMatmul best);

}  // namespace carryover::ops
