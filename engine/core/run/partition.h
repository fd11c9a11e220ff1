// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace carryover {

struct SegmentConfig;

/// Lengths of the whole segments that a prompt closes before decoding begins; what remains of it opens the segment that
/// decoding goes on in. With boundary_at_prompt_end nothing remains: the last segment ends where the prompt does, and
/// where the remainder r is under max(M, L_q), the last two get S + r − max(M, L_q) and max(M, L_q) tokens, so that
/// carry and queries are whole. The same F_θ on another partition.
std::vector<std::int64_t> prompt_partition(std::int64_t prompt_tokens, const SegmentConfig& config);

/// Lengths of the segments of a text that is closed where it ends, whatever the last one's length is.
std::vector<std::int64_t> document_partition(std::int64_t tokens, const SegmentConfig& config);

/// Ids [first, first + count) of a text.
inline std::span<const std::int32_t> part_of(std::span<const std::int32_t> text, std::int64_t first,
                                             std::int64_t count) {
  return text.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

}  // namespace carryover
