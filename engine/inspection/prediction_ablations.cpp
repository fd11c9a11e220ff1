// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/inspection/prediction_ablations.h"

#include <ATen/ATen.h>

#include <set>

#include "engine/inspection/prediction.h"
#include "engine/policies/ablated.h"

namespace carryover {

PredictionAblations ablate_prediction(Replay& replay, const PolicyState& before, const PredictionQuestion& question,
                                      std::int32_t target) {
  std::set<PrefixPart> read;
  const auto note_parts = [&](const LayerSight& sight) {
    for (const HeadGroup& group : sight.groups)
      for (const PrefixSpan& span : group.spans)
        if (span.length > 0) read.insert(span.part);
  };
  const at::Tensor as_it_was = replay.look(replay.policy(), before.clone(), note_parts);
  PredictionAblations found{predict(replay.decoder(), as_it_was, question, target), {}};
  if (replay.policy().name() != "segmented") return found;
  for (const PrefixPart part : read) {
    const SegmentEdit edit = edit_without(part);
    const AblatedPolicy without(replay.policy(), edit, replay.decoder().config.group_size());
    const at::Tensor hidden = replay.look(without, before.clone());
    found.without.push_back({part, predict(replay.decoder(), hidden, question, target),
                             logprobs_of(replay.decoder(), hidden, question.token, found.as_it_was.top)});
  }
  return found;
}

}  // namespace carryover
