// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

#include "engine/decoder/decoder.h"
#include "engine/method/forward_map.h"
#include "engine/runs/values/inspection.h"

namespace carryover {

/// Finds the tokens that one prediction reads while its segment runs: each head's attention from the prediction's
/// query, and what each key adds to the target's logit, with the final norm's scale held at its actual value. Borrows
/// the decoder.
class SourcesOfToken {
 public:
  /// A function that returns the absolute positions of a head's prefix, slot by slot.
  using PrefixPositions =
      std::function<std::vector<std::int64_t>(const class AttentionPattern& attention, HeadRef head)>;

  /// The question's token is a row of the segment that begins at `first_token`. `target`: the id that it predicts.
  SourcesOfToken(const Decoder& decoder, const PredictionQuestion& question, std::int64_t first_token,
                 std::int32_t target, PrefixPositions prefix_positions);

  void see(const LayerSight& sight);
  TokenSources result() const;  ///< once the segment is whole

 private:
  at::Tensor logit_directions(const LayerSight& sight, const at::Tensor& outputs) const;

  struct HeadView {
    std::vector<std::int64_t> positions;
    std::vector<double> attention, logit;
  };
  const Decoder& decoder_;
  std::int64_t token_, first_token_;
  PrefixPositions prefix_positions_;
  at::Tensor direction_;
  double scale_ = 1;
  std::vector<HeadView> heads_;  ///< by layer and head
};

}  // namespace carryover
