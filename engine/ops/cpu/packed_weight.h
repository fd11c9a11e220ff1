// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

/// A weight kept in 8 bits, as GGUF's Q8_0 has it: 32 values of a row share an fp16 scale, their largest magnitude /
/// 127. What Q8_0 can hold is held exactly. For the CPU; packed and unpacked by rows, on any thread.
///
/// It is a tensor of bytes, [outer / 16, inner / 32, 544]: a block of 16 rows, so that a vector's lanes are rows, has
/// their scales, [16] fp16, and then [8, 16, 4] values, each one's byte 128 more than it. Matmuls read it from front
/// to back, as memory likes it.
namespace carryover::ops {

inline constexpr std::int64_t kPackedRows = 16, kPackedBlock = 32;

/// Whether a weight of this shape has a packed form: whole sixteens of rows, and whole blocks in a row.
bool can_pack(std::int64_t outer, std::int64_t inner);
at::Tensor empty_packed(std::int64_t outer, std::int64_t inner);

bool is_packed(const at::Tensor& weight);
std::int64_t packed_outer(const at::Tensor& packed);
std::int64_t packed_inner(const at::Tensor& packed);

/// Rows [first, first + count), both whole sixteens. rows: fp32, dense. A block with a value that is not finite comes
/// back as NaN.
void pack_weight_rows(const float* rows, std::int64_t first, std::int64_t count, const at::Tensor& packed);

/// Rows [first, first + count) as values of `type`: [count, inner].
at::Tensor unpack_weight_rows(const at::Tensor& packed, std::int64_t first, std::int64_t count, at::ScalarType type);

/// Single rows: ids [n] int64 → [n, inner] of `type`.
at::Tensor packed_embedding(const at::Tensor& packed, const at::Tensor& ids, at::ScalarType type);

/// x · weightᵀ for one row of bf16 or fp32: [1, inner] → [1, outer]. Blocks of x are rounded to 16 bits, and multiplied
/// in integers: the same bits on every processor and with any number of threads. Without autograd. Engine thread.
at::Tensor packed_row_matmul(const at::Tensor& x, const at::Tensor& packed);
/// By plain loops, by AVX2 in 16-bit integers, or by AVX512-VNNI in bytes.
enum class PackedMatmul { Plain, Pairs, Bytes };
/// For tests: the best that it may take of those that the processor has.
void allow_packed_matmul(PackedMatmul best);

}  // namespace carryover::ops
