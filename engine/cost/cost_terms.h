// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <limits>

#include "engine/cost/cost_model.h"

/// Terms of the memory of a run, of which a policy's forecast is made. Pure; any thread.
namespace carryover {

__extension__ typedef __int128 Int128;

/// Converts a forecast to 64 bits. Forecasts for absurd lengths then say "more than any machine has" and never wrap
/// around.
inline std::int64_t saturated(Int128 value) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return value > most ? most : static_cast<std::int64_t>(value);
}

/// Returns the bytes of K and V of one position of one KV head.
inline Int128 pair_bytes(const CostModel& cost) {
  return Int128{2} * cost.model.head_dim * cost.bytes_per_value;
}

/// Returns positions × KV heads of `length` tokens, summed over all global layers.
inline Int128 segment_slots(const CostModel& cost, std::int64_t length) {
  return Int128{length} * cost.model.kv_heads * cost.global_layers();
}

/// Returns the bytes of an open segment's buffers in all layers: keys, their rotated copies, values, and twice the tail
/// of its queries.
Int128 open_bytes(const CostModel& cost);

/// Returns how much of what all global layers hold while they run is there at once: a layer's share, or everything
/// while a segment is open.
inline Int128 while_running(const CostModel& cost, RunUse use, Int128 of_all_layers) {
  return use.decoding || cost.global_layers() == 0 ? of_all_layers : of_all_layers / cost.global_layers();
}

/// Returns CostModel::activation_bytes of a chunk if each head sees `past` positions before it.
Int128 temporaries(const CostModel& cost, std::int64_t chunk, std::int64_t past, bool loss);

}  // namespace carryover
