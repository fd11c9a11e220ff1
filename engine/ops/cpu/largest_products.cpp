// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/largest_products.h"

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "engine/base/error.h"
#include "engine/ops/cpu/bf16_matmul.h"
#include "engine/ops/cpu/key_tiles.h"
#include "engine/ops/cpu/lines.h"
#include "engine/runtime/parallel.h"

namespace carryover::ops {

namespace {

constexpr std::int64_t kGroupBytes = 128;  ///< bytes of a group: probes that are side by side
constexpr std::int64_t kBf16Lanes = 64;    ///< bf16 probes in a group: a matmul's block

/// Probes side by side, [groups, d, lanes], and the offsets that are subtracted from their products.
template <typename T, typename Offset>
struct Probes {
  Lines<T> values;
  Lines<Offset> offsets;
  std::int64_t groups, d;
};

template <typename T>
constexpr std::int64_t kLanes = kGroupBytes / static_cast<std::int64_t>(sizeof(T));

/// Pads rows to a multiple of `lanes` with copies of the last one, which do not change the largest product.
at::Tensor filled(const at::Tensor& rows, std::int64_t lanes) {
  const at::Tensor places = at::arange(round_up(rows.size(0), lanes)).clamp_max_(rows.size(0) - 1);
  return rows.index_select(0, places).contiguous();
}

template <typename T>
Lines<T> filled_offsets(const at::Tensor& offsets, std::int64_t n, std::int64_t lanes) {
  if (!offsets.defined()) return Lines<T>(static_cast<std::size_t>(round_up(n, lanes)), T{0});
  const at::Tensor all = filled(offsets.to(c10::CppTypeToScalarType<T>::value), lanes);
  return {all.const_data_ptr<T>(), all.const_data_ptr<T>() + all.numel()};
}

template <typename T>
Probes<T, T> side_by_side(const at::Tensor& probes, const at::Tensor& offsets) {
  const at::Tensor rows = filled(probes.to(c10::CppTypeToScalarType<T>::value), kLanes<T>);
  const std::int64_t n = rows.size(0), d = rows.size(1);
  Probes<T, T> packed{Lines<T>(static_cast<std::size_t>(n * d)), filled_offsets<T>(offsets, probes.size(0), kLanes<T>),
                      n / kLanes<T>, d};
  const T* from = rows.const_data_ptr<T>();
  for (std::int64_t probe = 0; probe < n; ++probe)
    put_lane(from + probe * d, probe, d, kLanes<T>, packed.values.data());
  return packed;
}

/// Returns the larger of two values, or NaN if one is NaN. It takes plain values, because g++ 12 splits comparisons of
/// wide vectors.
template <typename T>
[[gnu::always_inline]] inline T larger_or_nan(T a, T b) {
  const T larger = b <= a ? a : b;  // b if b is NaN
  return a == a ? larger : a;
}

template <typename T>
[[gnu::always_inline]] inline void raise_lanes(const T* __restrict products, const T* __restrict offsets,
                                               T* __restrict best) {
#pragma GCC unroll 1
  for (std::int64_t lane = 0; lane < kLanes<T>; ++lane)
    best[lane] = larger_or_nan(best[lane], products[lane] - offsets[lane]);
}

/// Raises the first lane of each key to the largest of its lanes, half of them at a time. Lane after lane, each step
/// would wait for the one before.
template <typename T, std::int64_t Half = kLanes<T> / 2>
[[gnu::always_inline]] inline void raise_first_lanes(T* best) {
  if constexpr (Half > 0) {
    for (std::int64_t key = 0; key < kTileKeys; ++key) {
      T* const lower = best + key * kLanes<T>;
#pragma GCC unroll 1
      for (std::int64_t lane = 0; lane < Half; ++lane) lower[lane] = larger_or_nan(lower[lane], lower[lane + Half]);
    }
    raise_first_lanes<T, Half / 2>(best);
  }
}

/// Computes the largest of each key's products minus the offsets, or NaN if one is NaN. keys: [kTileKeys, d]; out:
/// [kTileKeys].
template <typename T, int Bytes>
[[gnu::always_inline]] inline void scan_keys(const Probes<T, T>& probes, const T* keys, T* out) {
  const std::int64_t d = probes.d;
  T products[kTileKeys * kLanes<T>], best[kTileKeys * kLanes<T>];
  std::fill_n(best, kTileKeys * kLanes<T>, -std::numeric_limits<T>::infinity());
  for (std::int64_t group = 0; group < probes.groups; ++group) {
    multiply_tile<T, Bytes, kGroupBytes>(probes.values.data() + group * d * kLanes<T>, keys, d, products);
    for (std::int64_t key = 0; key < kTileKeys; ++key)
      raise_lanes(products + key * kLanes<T>, probes.offsets.data() + group * kLanes<T>, best + key * kLanes<T>);
  }
  raise_first_lanes(best);
  for (std::int64_t key = 0; key < kTileKeys; ++key) out[key] = best[key * kLanes<T>];
}

#define CARRYOVER_SCAN_TILE(T, TARGET, BYTES)                                \
  TARGET void scan_tile(const Probes<T, T>& probes, const T* keys, T* out) { \
    scan_keys<T, BYTES>(probes, keys, out);                                  \
  }
CARRYOVER_FOR_TARGETS(CARRYOVER_SCAN_TILE, float)
CARRYOVER_FOR_TARGETS(CARRYOVER_SCAN_TILE, double)
#undef CARRYOVER_SCAN_TILE

/// Scans entries [first, last) of a slot.
template <typename T>
void scan_range(const StoredKeys& keys, std::int64_t slot, const Probes<T, T>& probes, std::int64_t first,
                std::int64_t last, T* out) {
  const std::int64_t d = probes.d;
  Lines<T> buffer(static_cast<std::size_t>(kBlockKeys * d));
  T largest[kTileKeys];
  for (std::int64_t index = first; index < last; index += kBlockKeys) {
    const std::int64_t count = std::min(kBlockKeys, last - index);
    const T* block = key_block(keys, slot, index, count, buffer.data());
    for (std::int64_t tile = 0; tile < count; tile += kTileKeys) {
      scan_tile(probes, block + tile * d, largest);
      out = std::copy_n(largest, std::min(kTileKeys, count - tile), out);
    }
  }
}

#ifdef __x86_64__
using bf16::Bf16;
using bf16::Dots;
static_assert(Dots::kRows == kTileKeys && bf16::kWidth == kBf16Lanes);

/// Raises best[key] to the largest of a block of products minus the offsets. `wrong` has a lane's bit if one of its
/// values is NaN.
CARRYOVER_BF16 void raise_in_bf16(const float* products, const float* offsets, float* best) {
  for (std::int64_t key = 0; key < kTileKeys; ++key) {
    __m512 most = _mm512_set1_ps(-std::numeric_limits<float>::infinity());
    __mmask16 wrong = 0;
    for (std::int64_t c = 0; c < bf16::kColumns; ++c) {
      const __m512 product = _mm512_sub_ps(_mm512_loadu_ps(products + key * kBf16Lanes + c * bf16::kLanes),
                                           _mm512_loadu_ps(offsets + c * bf16::kLanes));
      wrong |= _mm512_cmp_ps_mask(product, product, _CMP_UNORD_Q);
      most = _mm512_max_ps(most, product);
    }
    const float found = wrong ? std::numeric_limits<float>::quiet_NaN() : _mm512_reduce_max_ps(most);
    if (!(best[key] >= found) && best[key] == best[key]) best[key] = found;
  }
}

CARRYOVER_BF16 void scan_bf16(const Bf16* rows, std::int64_t stride, const Probes<Bf16, float>& probes,
                              std::int64_t count, float* out) {
  const std::int64_t d = probes.d;
  Lines<Bf16> tail(static_cast<std::size_t>(kTileKeys * d));
  float products[kTileKeys * kBf16Lanes], best[kTileKeys];
  for (std::int64_t index = 0; index < count; index += kTileKeys) {
    const std::int64_t keys = std::min(kTileKeys, count - index);
    const Bf16* tile = rows + index * stride;
    if (keys < kTileKeys) {
      bf16::copy_rows(tile, stride, keys, kTileKeys, d, tail.data());
      tile = tail.data();
    }
    std::fill_n(best, kTileKeys, -std::numeric_limits<float>::infinity());
    for (std::int64_t group = 0; group < probes.groups; ++group) {
      Dots::multiply(tile, keys < kTileKeys ? d : stride,
                     {probes.values.data() + group * d * kBf16Lanes, d / 2, 2 * bf16::kLanes, d * bf16::kLanes}, false,
                     products, kBf16Lanes);
      raise_in_bf16(products, probes.offsets.data() + group * kBf16Lanes, best);
    }
    std::copy_n(best, keys, out + index);
  }
}

bool in_bf16(const StoredKeys& keys, const at::Tensor& probes) {
  return bf16::has_dots() && keys.rows.scalar_type() == at::kBFloat16 && probes.scalar_type() == at::kBFloat16 &&
         probes.size(1) % Dots::kSummed == 0;
}

Probes<Bf16, float> packed(const at::Tensor& probes, const at::Tensor& offsets) {
  const at::Tensor rows = filled(probes, kBf16Lanes);
  const std::int64_t n = rows.size(0), d = rows.size(1);
  Probes<Bf16, float> all{Lines<Bf16>(static_cast<std::size_t>(n * d)),
                          filled_offsets<float>(offsets, probes.size(0), kBf16Lanes), n / kBf16Lanes, d};
  bf16::pack_lanes(bf16::bits(rows), d, n, n, d, all.values.data());
  return all;
}

at::Tensor largest_in_bf16(const StoredKeys& keys, std::int64_t slot, std::int64_t first, std::int64_t count,
                           const at::Tensor& probes, const at::Tensor& offsets) {
  const Probes<Bf16, float> groups = packed(probes, offsets);
  const std::int64_t d = groups.d, stride = keys.rows.stride(1);
  const Bf16* rows = bf16::bits(keys.rows) + slot * keys.rows.stride(0) + first * stride;
  at::Tensor best = at::empty({count}, at::kFloat);
  auto* out = best.mutable_data_ptr<float>();
  parallel_for(0, count, grain_of(d * probes.size(0)), [&](std::int64_t begin, std::int64_t end) {
    scan_bf16(rows + begin * stride, stride, groups, end - begin, out + begin);
  });
  return best;
}
#endif

}  // namespace

at::Tensor scan_largest_products(const StoredKeys& keys, std::int64_t slot, std::int64_t first, std::int64_t count,
                                 const at::Tensor& probes, const at::Tensor& offsets) {
  const at::Tensor own = probes.cpu(), taken_off = offsets.defined() ? offsets.cpu() : offsets;
  CARRYOVER_CHECK(probes.size(0) > 0 && probes.size(1) == keys.rows.size(2) && first + count <= keys.rows.size(1));
#ifdef __x86_64__
  if (in_bf16(keys, own)) return largest_in_bf16(keys, slot, first, count, own, taken_off);
#endif
  at::Tensor best = at::empty({count}, keys.opmath_type());
  AT_DISPATCH_FLOATING_TYPES(best.scalar_type(), "scan_largest_products", [&] {
    const auto groups = side_by_side<scalar_t>(own, taken_off);
    auto* out = best.mutable_data_ptr<scalar_t>();
    parallel_for(0, count, grain_of(groups.d * probes.size(0)), [&](std::int64_t begin, std::int64_t end) {
      scan_range<scalar_t>(keys, slot, groups, first + begin, first + end, out + begin);
    });
  });
  return best;
}

}  // namespace carryover::ops
