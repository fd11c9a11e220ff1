// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/what_if/patch_values.h"

#include <ATen/ATen.h>

#include "engine/base/error.h"
#include "engine/inspection/replay_check.h"
#include "engine/runs/values/patch.h"

namespace carryover {

PatchValues::PatchValues(const Decoder& decoder, const PatchSource& source, std::int64_t segment,
                         const std::set<PointRef>& places, RunControl& control, StateArchive& archive) {
  archive.open(source.run);
  Replay replay(decoder, source.run, segment, archive, control);
  std::unique_ptr<PolicyState> before = replay.state_before(segment);
  carry_ = before->carry;
  check_hits(source.record, before->hits, segment);
  if (!places.empty() || source.record) {
    ForwardHook keep;
    for (const PointRef& place : places) keep.points.push_back(place.point);
    keep.replace = [&](ForwardPoint point, int layer, const at::Tensor& values) {
      if (places.contains({layer, point})) values_[{layer, point}] = values.clone();
      return values;
    };
    const at::Tensor hidden = replay.look(replay.policy(), std::move(before), {}, std::move(keep));
    if (source.record) check_losses(source.record, replay.losses(hidden, segment), segment);
  }
  segments_run_ = replay.segments_run();
}

void check_patch(const PatchSource& source, const RunRequest& run, std::int64_t segment, const SegmentEdit& edit) {
  const std::string problem = patch_problem(run, source.run, segment, edit);
  if (!problem.empty())
    throw EngineError(Fault::BadInput, "patch", problem,
                      "Pin a run of a text and settings that correspond segment by segment.");
}

}  // namespace carryover
