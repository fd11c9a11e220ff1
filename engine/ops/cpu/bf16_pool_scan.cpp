// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/bf16_pool_scan.h"

#include <ATen/ATen.h>

#include "engine/base/error.h"
#include "engine/ops/cpu/amx_tiles.h"
#include "engine/ops/cpu/best_scores.h"
#include "engine/ops/cpu/bf16_attention.h"
#include "engine/runtime/parallel.h"

#ifdef __x86_64__
namespace carryover::ops {

namespace {

using namespace bf16;

/// Groups of kWidth summaries that a thread takes at a time: a block of keys is read from memory once for all of them.
constexpr std::int64_t kGroups = 4;

/// Some summaries of a head, side by side as the matmuls read them, and their best entries so far.
struct Group {
  std::int64_t head, first, count;  ///< of the head's summaries
  Lines<Bf16> lanes;                ///< [d/2] pairs of kWidth summaries, by sixteen; zeros behind the last
  Lines<float> floors;              ///< [kWidth]
  std::vector<Best<float>> best;    ///< [count]

  Group(const Bf16* rows, std::int64_t of_head, std::int64_t from, std::int64_t n, std::int64_t d, std::int64_t k)
      : head(of_head),
        first(from),
        count(n),
        lanes(static_cast<std::size_t>(kWidth * d)),
        floors(static_cast<std::size_t>(kWidth), std::numeric_limits<float>::infinity()),
        best(static_cast<std::size_t>(n), Best<float>(k)) {
    pack_lanes(rows, d, n, kWidth, d, lanes.data());
    for (std::size_t lane = 0; lane < best.size(); ++lane) floors[lane] = best[lane].floor();
  }

  /// Offers the scores of a key, [kWidth].
  CARRYOVER_BF16 void offer(const float* scores, std::int64_t entry) {
    for (std::int64_t c = 0; c < kWidth; c += kLanes) {
      __mmask16 above =
          _mm512_cmp_ps_mask(_mm512_loadu_ps(scores + c), _mm512_loadu_ps(floors.data() + c), _CMP_NLE_UQ);
      for (; above != 0; above &= static_cast<__mmask16>(above - 1)) {
        const auto lane = static_cast<std::size_t>(c + __builtin_ctz(above));
        if (lane >= best.size()) break;  // NaN in a key
        best[lane].offer(scores[lane], entry);
        floors[lane] = best[lane].floor();
      }
    }
  }
};

/// Scans the entries of a slot for some groups.
template <typename Matmul>
CARRYOVER_BF16 void scan_groups(std::vector<Group>& groups, const Bf16* keys, std::int64_t stride, std::int64_t entries,
                                std::int64_t d) {
  Lines<float> scores(static_cast<std::size_t>(Matmul::kRows * kWidth));
  Lines<Bf16> tail(static_cast<std::size_t>(Matmul::kRows * d));
  for (std::int64_t entry = 0; entry < entries; entry += Matmul::kRows) {
    const std::int64_t count = std::min(Matmul::kRows, entries - entry);
    const Bf16* rows = keys + entry * stride;
    std::int64_t row_stride = stride;
    if (count < Matmul::kRows) {
      copy_rows(rows, stride, count, Matmul::kRows, d, tail.data());
      rows = tail.data();
      row_stride = d;
    }
    for (Group& group : groups) {
      Matmul::multiply(rows, row_stride, {group.lanes.data(), d / 2, 2 * kLanes, kLanes * d}, false, scores.data(),
                       kWidth);
      for (std::int64_t key = 0; key < count; ++key) group.offer(scores.data() + key * kWidth, entry + key);
    }
  }
}

template <typename Matmul>
RankedEntries scan(const StoredKeys& keys, std::int64_t entries, const at::Tensor& summaries,
                   const std::vector<std::int32_t>& head_slot, std::int64_t k) {
  const std::int64_t heads = summaries.size(0), n = summaries.size(1), d = summaries.size(2), step = kGroups * kWidth,
                     units = (n + step - 1) / step, stride = keys.rows.stride(1);
  RankedEntries ranked{k, std::vector<double>(static_cast<std::size_t>(heads * n * k)),
                       std::vector<std::int64_t>(static_cast<std::size_t>(heads * n * k))};
  const Bf16 *const all = bits(summaries), *const slots = bits(keys.rows);
  const std::int64_t slot_stride = keys.rows.stride(0);
  parallel_for(0, heads * units, 1, [&](std::int64_t begin, std::int64_t end) {
    [[maybe_unused]] const typename Matmul::Use use;
    for (std::int64_t unit = begin; unit < end; ++unit) {
      const std::int64_t head = unit / units, first = unit % units * step;
      std::vector<Group> groups;
      for (std::int64_t lane = first; lane < std::min(n, first + step); lane += kWidth)
        groups.emplace_back(all + (head * n + lane) * d, head, lane, std::min(kWidth, n - lane), d, k);
      scan_groups<Matmul>(groups, slots + head_slot[static_cast<std::size_t>(head)] * slot_stride, stride, entries, d);
      for (Group& group : groups)
        for (std::int64_t lane = 0; lane < group.count; ++lane) {
          const std::int64_t place = (head * n + group.first + lane) * k;
          group.best[static_cast<std::size_t>(lane)].write(ranked.scores.data() + place, ranked.indices.data() + place);
        }
    }
  });
  return ranked;
}

}  // namespace

bool scans_in_bf16(const StoredKeys& keys, const at::Tensor& summaries) {
  const std::int64_t d = summaries.size(2);
  return has_dots() && keys.rows.scalar_type() == at::kBFloat16 && summaries.scalar_type() == at::kBFloat16 &&
         d % kWidth == 0 && summaries.size(0) * summaries.size(1) >= kWidth && keys.rows.stride(2) == 1;
}

RankedEntries scan_pool_bf16(const StoredKeys& keys, std::int64_t entries, const at::Tensor& summaries,
                             const std::vector<std::int32_t>& head_slot, std::int64_t k) {
  const at::Tensor dense = summaries.contiguous();
  return bf16_tiles() ? scan<Tiles>(keys, entries, dense, head_slot, k)
                      : scan<Dots>(keys, entries, dense, head_slot, k);
}

}  // namespace carryover::ops

#else

namespace carryover::ops {
bool scans_in_bf16(const StoredKeys&, const at::Tensor&) {
  return false;
}
RankedEntries scan_pool_bf16(const StoredKeys&, std::int64_t, const at::Tensor&, const std::vector<std::int32_t>&,
                             std::int64_t) {
  throw EngineError(Fault::Internal, "the search", "this processor has no bf16 dot products");
}
}  // namespace carryover::ops

#endif
