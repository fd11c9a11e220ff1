// SPDX-License-Identifier: GPL-3.0-or-later
// The kernel of select_hits, without launches (see pool_topk_device.h). A block processes a head; all its data is in
// shared memory. The rule is sequential by nature: an anchor claims what better ones have left. Here all claims are
// tested at once against the windows of the better anchors, and the claims that hold are counted in the rule's order.
#pragma once
#include "kernels/cuda/shared_memory.h"
#include "kernels/cuda/warp.h"
#include "kernels/pool_topk.h"
#include "kernels/ranked.h"
#include "kernels/select_hits.h"

namespace carryover::kernels {

inline constexpr int select_threads = 256;

/// The shared memory of a block, less than 48 KiB.
struct SelectTable {
  float scores[select_hits_max_candidates];
  std::int32_t indices[select_hits_max_candidates];  ///< -1: no candidate
  bool beaten[select_hits_max_candidates];           ///< true if it is no candidate, or another one has the same index
                                                     ///< with a better score
  std::int32_t anchors[select_hits_max_candidates];  ///< indices of candidates, best first
  std::int32_t positions[select_hits_max_length], origins[select_hits_max_length];  ///< in the order of claims
  int warp_counts[select_threads / warp_size];
};

/// The lengths of one selection. Windows are clamped to the pool, which changes no claim.
struct SelectRule {
  std::int32_t candidates, anchors, entries, before, after, length;
};

__device__ inline void load_candidates(SelectTable& table, const SelectHits& args, std::int64_t head, int count) {
  const std::int64_t first = head * args.summaries * args.row_stride;
  for (int i = threadIdx.x; i < count; i += select_threads) {
    const std::int64_t at = first + std::int64_t{i / args.kept} * args.row_stride + i % args.kept;
    table.scores[i] = args.scores[at];
    table.indices[i] = static_cast<std::int32_t>(args.indices[at]);
  }
  __syncthreads();
}

/// Marks candidates that are beaten: of equal indices the best score stays, of equal scores the first.
__device__ inline void find_beaten(SelectTable& table, int count) {
  for (int i = threadIdx.x; i < count; i += select_threads) {
    bool beaten = table.indices[i] < 0;
    for (int j = 0; j < count && !beaten; ++j) {
      const bool earlier = table.scores[j] == table.scores[i] && j < i;
      beaten = table.indices[j] == table.indices[i] && (table.scores[j] > table.scores[i] || earlier);
    }
    table.beaten[i] = beaten;
  }
  __syncthreads();
}

/// Writes the best `most` candidates to table.anchors, in order, and returns their number.
__device__ inline int rank_anchors(SelectTable& table, int count, int most) {
  int unbeaten = 0;
  for (int j = 0; j < count; ++j) unbeaten += !table.beaten[j];
  for (int i = threadIdx.x; i < count; i += select_threads) {
    if (table.beaten[i]) continue;
    const Ranked mine{table.scores[i], table.indices[i]};
    int rank = 0;
    for (int j = 0; j < count; ++j) rank += !table.beaten[j] && better({table.scores[j], table.indices[j]}, mine);
    if (rank < most) table.anchors[rank] = i;
  }
  __syncthreads();
  return unbeaten < most ? unbeaten : most;
}

/// Returns true if the window of one of the first `count` anchors holds `position`.
__device__ inline bool is_claimed(const SelectTable& table, const SelectRule& rule, std::int64_t position, int count) {
  for (int a = 0; a < count; ++a) {
    const std::int64_t index = table.indices[table.anchors[a]];
    if (position >= index - rule.before && position <= index + rule.after) return true;
  }
  return false;
}

/// Counts the block's flags. Returns how many are before this thread's; `all` gets the total. Every thread calls it.
__device__ inline int flags_before(SelectTable& table, bool flag, int& all) {
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const unsigned votes = __ballot_sync(full_warp, flag);
  if (lane == 0) table.warp_counts[warp] = __popc(votes);
  __syncthreads();
  int before = __popc(votes & ((1u << lane) - 1u));
  all = 0;
  for (int w = 0; w < select_threads / warp_size; ++w) {
    if (w < warp) before += table.warp_counts[w];
    all += table.warp_counts[w];
  }
  __syncthreads();  // the next call writes the counts
  return before;
}

/// Returns the candidate that owns a position: the anchor at this position, or else the one whose window claims it.
__device__ inline std::int32_t owner_of(const SelectTable& table, int anchors, std::int64_t position, int claimant) {
  for (int a = 0; a < anchors; ++a) {
    if (table.indices[table.anchors[a]] == position) return table.anchors[a];
  }
  return table.anchors[claimant];
}

/// Makes the claims of all windows, best anchor first, low offset to high, until `length` slots are held. Returns the
/// number of slots held.
__device__ inline int expand_anchors(SelectTable& table, const SelectRule& rule) {
  const std::int64_t window = std::int64_t{rule.before} + rule.after + 1, claims = rule.anchors * window;
  int held = 0;
  for (std::int64_t first = 0; first < claims && held < rule.length; first += select_threads) {
    const std::int64_t claim = first + threadIdx.x;
    const int claimant = claim < claims ? static_cast<int>(claim / window) : 0;
    bool stands = claim < claims;
    std::int64_t position = -1;
    if (stands) {
      position = table.indices[table.anchors[claimant]] - std::int64_t{rule.before} + claim % window;
      stands = position >= 0 && position < rule.entries && !is_claimed(table, rule, position, claimant);
    }
    int all = 0;
    const int slot = held + flags_before(table, stands, all);
    if (stands && slot < rule.length) {
      table.positions[slot] = static_cast<std::int32_t>(position);
      table.origins[slot] = owner_of(table, rule.anchors, position, claimant);
    }
    held += all;
  }
  return held < rule.length ? held : rule.length;
}

/// Adds the lowest positions that no window claims. It terminates because length ≤ entries.
__device__ inline void pad(SelectTable& table, const SelectRule& rule, int held) {
  for (std::int64_t first = 0; held < rule.length; first += select_threads) {
    const std::int64_t position = first + threadIdx.x;
    const bool free = position < rule.entries && !is_claimed(table, rule, position, rule.anchors);
    int all = 0;
    const int slot = held + flags_before(table, free, all);
    if (free && slot < rule.length) {
      table.positions[slot] = static_cast<std::int32_t>(position);
      table.origins[slot] = -1;
    }
    held += all;
  }
  __syncthreads();
}

/// Writes the slots to their place by position, and for a candidate its place in the input.
__device__ inline void write_ascending(const SelectTable& table, const SelectHits& args, std::int64_t head) {
  for (int i = threadIdx.x; i < args.length; i += select_threads) {
    int before = 0;
    for (int j = 0; j < args.length; ++j) before += table.positions[j] < table.positions[i];
    const std::int32_t origin = table.origins[i];
    const std::int64_t out = head * args.length + before;
    args.positions[out] = table.positions[i];
    args.origins[out] = origin < 0 ? -1 : origin / args.kept * args.row_stride + origin % args.kept;
  }
}

/// Grid: a block for each head.
static __global__ void __launch_bounds__(select_threads) select_slots(const SelectHits args) {
  auto& table = shared_memory<SelectTable>();
  const std::int64_t head = blockIdx.x;
  const auto clamped = [&](std::int64_t value) {
    return static_cast<std::int32_t>(value < args.entries ? value : args.entries);
  };
  SelectRule rule{
      args.summaries * args.kept, 0,          static_cast<std::int32_t>(args.entries), clamped(args.expand_before),
      clamped(args.expand_after), args.length};
  load_candidates(table, args, head, rule.candidates);
  find_beaten(table, rule.candidates);
  const std::int64_t most = args.anchors < rule.candidates ? args.anchors : rule.candidates;
  rule.anchors = rank_anchors(table, rule.candidates, static_cast<int>(most));
  pad(table, rule, expand_anchors(table, rule));
  write_ascending(table, args, head);
}

}  // namespace carryover::kernels
