// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/inspection/prediction_ablations.h"

#include <ATen/ATen.h>

#include "engine/inspection/prediction.h"
#include "engine/policies/ablated.h"

namespace carryover {

void note_parts(const LayerSight& sight, std::set<PrefixPart>& read) {
  for (const HeadGroup& group : sight.groups)
    for (const PrefixSpan& span : group.spans)
      if (span.length > 0) read.insert(span.part);
}

PredictionAblations ablate_prediction(Replay& replay, const PolicyState& before, const PredictionQuestion& question,
                                      const at::Tensor& hidden, const std::set<PrefixPart>& read) {
  const std::int32_t target = replay.target_of(question.token);
  PredictionAblations found{predict(replay.decoder(), hidden, question, target), {}};
  if (replay.policy().name() != "segmented") return found;
  for (const PrefixPart part : read) {
    const SegmentEdit edit = edit_without(part);
    const AblatedPolicy without(replay.policy(), edit, replay.decoder().config.group_size());
    const at::Tensor ablated = replay.look(without, before.clone());
    found.without.push_back({part, predict(replay.decoder(), ablated, question, target),
                             logprobs_of(replay.decoder(), ablated, question.token, found.as_it_was.top)});
  }
  return found;
}

}  // namespace carryover
