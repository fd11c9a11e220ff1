// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace carryover {

struct SegmentConfig;

/// Returns the lengths of the whole segments that a prompt closes before decoding begins; the rest of the prompt opens
/// the segment in which decoding continues. With boundary_at_prompt_end there is no rest: the last segment ends where
/// the prompt does. If the remainder r is less than max(M, L_q), the last two segments get S + r − max(M, L_q) and
/// max(M, L_q) tokens, so that carry and queries are whole. F_θ is the same, only the partition differs.
std::vector<std::int64_t> prompt_partition(std::int64_t prompt_tokens, const SegmentConfig& config);

/// Returns the lengths of the segments of a text that is closed where it ends, whatever the last one's length is.
std::vector<std::int64_t> document_partition(std::int64_t tokens, const SegmentConfig& config);

/// Returns ids [first, first + count) of a text.
inline std::span<const std::int32_t> part_of(std::span<const std::int32_t> text, std::int64_t first,
                                             std::int64_t count) {
  return text.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

}  // namespace carryover
