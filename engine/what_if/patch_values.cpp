// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/what_if/patch_values.h"

#include <ATen/ATen.h>

#include "engine/base/error.h"
#include "engine/inspection/replay_check.h"
#include "engine/runs/values/patch.h"

namespace carryover {

namespace {

void check_edits(const WhatIfRequest& request, const ModelConfig& model) {
  for (const SegmentEdit& edit : request.edits) {
    if (!edit.patches()) continue;
    for (const HeadRef& head : edit.patched_heads) check_head(model, head);
    const std::string problem = patch_problem(request.run, request.patch_source->run, request.segment, edit);
    if (!problem.empty())
      throw EngineError(Fault::BadInput, "patch", problem,
                        "Pin a run of a text and settings that correspond segment by segment.");
  }
}

}  // namespace

PatchValues::PatchValues(const Decoder& decoder, const WhatIfRequest& request, RunControl& control,
                         StateArchive& archive)
    : head_dim_(decoder.config.head_dim) {
  check_edits(request, decoder.config);
  const PatchSource& source = *request.patch_source;
  archive.open(source.run);
  Replay replay(decoder, source.run, request.segment, archive, control);
  std::unique_ptr<PolicyState> before = replay.state_before(request.segment);
  carry_ = before->carry;
  check_hits(source.record, before->hits, request.segment);
  for (const SegmentEdit& edit : request.edits)
    for (const HeadRef& head : edit.patched_heads) outputs_[head];  // filled below
  if (!outputs_.empty() || source.record) {
    const auto keep = [this](int layer, const at::Tensor& outputs) {
      for (auto& [head, kept] : outputs_)
        if (head.layer == layer) kept = part_of(outputs, head.head).clone();
      return outputs;
    };
    const at::Tensor hidden = replay.look(replay.policy(), std::move(before), {}, keep);
    if (source.record) check_losses(source.record, replay.losses(hidden, request.segment), request.segment);
  }
  segments_run_ = replay.segments_run();
}

at::Tensor PatchValues::patched(int layer, const at::Tensor& outputs, const std::vector<HeadRef>& heads) const {
  at::Tensor changed;
  for (const HeadRef& head : heads) {
    if (head.layer != layer) continue;
    if (!changed.defined()) changed = outputs.clone();
    part_of(changed, head.head).copy_(outputs_.at(head));
  }
  return changed.defined() ? changed : outputs;
}

}  // namespace carryover
