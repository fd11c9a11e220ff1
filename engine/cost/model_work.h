// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>

#include "engine/config/segment_config.h"

namespace carryover {

/// The work that the model's definition asks for, whichever program does it and however: two operations for each
/// multiply-add of the matmuls with weights and of attention over the visible positions. Norms, positions, softmax,
/// search and whatever is computed twice or in vain do not count. Pure; any thread.
struct ModelWork {
  ModelConfig model;
  SegmentConfig config;
  std::string policy = "segmented";  ///< a row of policy_table.h

  /// Returns the operations of a text's forward pass with the logits of `logit_rows` tokens.
  double forward_flops(std::int64_t tokens, std::int64_t logit_rows) const;
  /// Returns the operations of the scores by which a search per token chooses what queries read; they come on top.
  double search_flops(std::int64_t tokens) const;
  /// Returns the operations of forward and both halves of backward, with the logits of all tokens.
  double training_flops(std::int64_t tokens) const;
  /// Returns the bytes that decoding one token has to read after a text of `context` tokens: every weight but the
  /// embedding's other rows, and the keys and values that the token sees.
  double decode_bytes(std::int64_t context, int bytes_per_value, bool packed_weights = false) const;
};

}  // namespace carryover
