// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

namespace carryover::kernels {

#ifdef __CUDACC__
/// Computes sums += a · b by a warp's tensor cores: 16 × 16 and 16 × 8 bf16 numbers, summed in fp32. With row = lane /
/// 4 and pair = 2 · (lane % 4), a lane holds these parts, the lower number in a word's lower half. a[0]: columns pair
/// and pair + 1 of the row; a[1]: the same of row + 8; a[2] and a[3]: the same 8 columns further. b0 and b1: of column
/// `row` of b, the rows that match a's columns. sums[0] and sums[1]: columns pair and pair + 1 of the row; sums[2] and
/// sums[3]: those of row + 8. It is a function, so that tests can give it another body
/// (tests/support/kernels/cuda_names.h).
__device__ inline void multiply_16x8x16(float (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                        std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
#endif

}  // namespace carryover::kernels
