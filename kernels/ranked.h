// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <limits>

#include "kernels/element.h"

namespace carryover::kernels {

/// A pool entry with its score while the k best are sought. Plain C++, so that the CPU tests what the GPU runs.
struct Ranked {
  float score;
  std::int32_t index;
};

inline constexpr float no_score = -std::numeric_limits<float>::infinity();
inline constexpr std::int32_t no_index = std::numeric_limits<std::int32_t>::max();

/// Returns an entry that is worse than every pool entry, including one that scores -inf.
CARRYOVER_HOST_DEVICE inline Ranked no_entry() {
  return {no_score, no_index};
}

/// The strict total order of retrieval: higher score first, ties to the lower index. A NaN is never better.
CARRYOVER_HOST_DEVICE inline bool better(Ranked a, Ranked b) {
  return a.score > b.score || (a.score == b.score && a.index < b.index);
}

/// Inserts a candidate into a list sorted by better(), in one step for all slots at once: returns what a slot holds
/// afterwards, from what it and the slot before it held. Slot 0 passes the candidate itself as `previous`.
CARRYOVER_HOST_DEVICE inline Ranked slot_after_insert(Ranked own, Ranked previous, Ranked candidate) {
  if (better(own, candidate)) return own;
  return better(candidate, previous) ? previous : candidate;
}

}  // namespace carryover::kernels
