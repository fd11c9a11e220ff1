// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Matmuls by Intel's AMX, for bf16 attention. Internal to it.
#include "engine/ops/cpu/bf16_matmul.h"

#ifdef __x86_64__
namespace carryover::ops::bf16 {

/// Keeps the compiler from moving memory accesses across this point: in g++ 12, the instructions for tiles do not say
/// which memory they read.
inline void settle() {
  __asm__ volatile("" ::: "memory");
}

/// Matmul by AMX. One instruction updates 16 × 16 sums over 32 values, in registers of 16 rows of 64 bytes: four
/// registers hold sums, two rows, two columns. Operands have the layout that Dots reads.
struct Tiles {
  static constexpr std::int64_t kRows = 32;
  static constexpr std::int64_t kSummed = 32;
  static constexpr std::int64_t kQueries = 64;

  /// Configures the tile registers of this thread, and restores their configuration for other code (oneDNN remembers
  /// its own).
  class Use {
   public:
    CARRYOVER_BF16 Use() {
      _tile_storeconfig(&before_);
      settle();
      Shape shape;
      std::fill_n(shape.bytes, 8, std::uint16_t{64});
      std::fill_n(shape.rows, 8, std::uint8_t{16});
      shape.palette = 1;
      settle();
      _tile_loadconfig(&shape);
    }
    CARRYOVER_BF16 ~Use() {
      if (before_.palette == 0)
        _tile_release();
      else
        _tile_loadconfig(&before_);
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    struct alignas(64) Shape {
      std::uint8_t palette = 0, start = 0, reserved[14] = {};
      std::uint16_t bytes[16] = {};
      std::uint8_t rows[16] = {};
    };
    Shape before_;
  };

  /// Does what Dots::multiply does.
  CARRYOVER_BF16_INLINE static void multiply(const Bf16* rows, std::int64_t stride, const Columns& columns, bool add,
                                             float* out, std::int64_t out_stride) {
    for (std::int64_t c = 0; c < kColumns; c += 2) {
      const Bf16* const from = columns.from + c * columns.column_stride;
      half_width(rows, stride * 2, from, columns, add, out + c * kLanes, out_stride * 4);
    }
  }

 private:
  /// Computes two by two registers of sums. Strides of rows and sums are in bytes.
  CARRYOVER_BF16_INLINE static void half_width(const Bf16* rows, std::int64_t stride, const Bf16* from,
                                               const Columns& columns, bool add, float* out, std::int64_t out_stride) {
    settle();
    const std::int64_t pair_stride = columns.pair_stride * 2;
    const Bf16* const lower = rows + 8 * stride;  // 16 rows further
    float* const lower_out = out + 4 * out_stride;
    if (add) {
      _tile_loadd(0, out, out_stride);
      _tile_loadd(1, out + kLanes, out_stride);
      _tile_loadd(2, lower_out, out_stride);
      _tile_loadd(3, lower_out + kLanes, out_stride);
    } else {
      _tile_zero(0);
      _tile_zero(1);
      _tile_zero(2);
      _tile_zero(3);
    }
    for (std::int64_t pair = 0; pair < columns.pairs; pair += kSummed / 2) {
      const Bf16* const at = from + pair * columns.pair_stride;
      _tile_loadd(4, rows + 2 * pair, stride);
      _tile_loadd(6, at, pair_stride);
      _tile_dpbf16ps(0, 4, 6);
      _tile_loadd(7, at + columns.column_stride, pair_stride);
      _tile_dpbf16ps(1, 4, 7);
      _tile_loadd(5, lower + 2 * pair, stride);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, out, out_stride);
    _tile_stored(1, out + kLanes, out_stride);
    _tile_stored(2, lower_out, out_stride);
    _tile_stored(3, lower_out + kLanes, out_stride);
  }
};

}  // namespace carryover::ops::bf16
#endif
