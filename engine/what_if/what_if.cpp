// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/what_if/what_if.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/run_control.h"
#include "engine/inspection/pool_attention.h"
#include "engine/inspection/prediction.h"
#include "engine/inspection/replay.h"
#include "engine/inspection/replay_check.h"
#include "engine/policies/ablated.h"
#include "engine/policies/handover.h"
#include "engine/policies/segmented/segmented.h"
#include "engine/runs/values/prefix_control.h"
#include "engine/what_if/patch_values.h"

namespace carryover {

namespace {

const SegmentConfig& edited_config(const RunRequest& run, const SegmentEdit& edit) {
  return edit.config ? *edit.config : run.config;
}

/// Returns true if the original run's pool can't serve the edit: other heads read it, its keys are kept in another
/// form, or there is none.
bool needs_other_pool(const RunRequest& run, const SegmentEdit& edit) {
  const SegmentConfig& config = edited_config(run, edit);
  return !(config.grouping == run.config.grouping) || config.pool_keys != run.config.pool_keys ||
         config.local_reads != run.config.local_reads || config.long_reads != run.config.long_reads ||
         config.search != run.config.search || config.search_heads != run.config.search_heads ||
         config.search_scores != run.config.search_scores ||
         (run.config.retrieval_length == 0 && config.retrieval_length > 0);
}

/// Returns the segment from which a replay for an edit has to begin.
std::int64_t first_segment(const RunRequest& run, std::int64_t segment, const SegmentEdit& edit) {
  if (!edit.searches_again() || segment == 0) return segment;
  return needs_other_pool(run, edit) ? 0 : segment - 1;
}

std::string name_of(const SlotRef& slot) {
  return "layer " + std::to_string(slot.layer) + ", head " + std::to_string(slot.head) + ", position " +
         std::to_string(slot.position);
}

HeadHits& long_head(std::vector<HeadHits>& hits, const SlotRef& slot) {
  for (HeadHits& head : hits)
    if (head.layer == slot.layer && head.head == slot.head) return head;
  throw EngineError(Fault::BadInput, name_of(slot), "is of a head that retrieves nothing for this segment",
                    "Choose a long head of a long-range layer, and a segment after the first.");
}

bool holds(const HeadHits& head, std::int64_t position) {
  return std::any_of(head.hits.begin(), head.hits.end(), [&](const Hit& hit) { return hit.position == position; });
}

/// Padding goes first, then what scored least, then anchors; what was added goes only where nothing else is left.
void replace_least(HeadHits& head, std::int64_t position, const std::vector<SlotRef>& added) {
  const auto was_added = [&](const Hit& hit) {
    return std::any_of(added.begin(), added.end(), [&](const SlotRef& slot) {
      return slot.layer == head.layer && slot.head == head.head && slot.position == hit.position;
    });
  };
  const auto worth = [&](const Hit& hit) {
    const int kind = was_added(hit) ? 3 : hit.kind == HitKind::Padding ? 0 : hit.kind == HitKind::Expanded ? 1 : 2;
    return std::pair(kind, hit.score);
  };
  const auto least = std::min_element(head.hits.begin(), head.hits.end(),
                                      [&](const Hit& a, const Hit& b) { return worth(a) < worth(b); });
  *least = {.position = position};
  std::sort(head.hits.begin(), head.hits.end(), [](const Hit& a, const Hit& b) { return a.position < b.position; });
}

/// A what-if: the segment as it was, then each edit from a state of its own.
class WhatIf {
 public:
  WhatIf(const Decoder& decoder, const WhatIfRequest& request, RunControl& control, StateArchive& archive,
         StateArchive& patch_archive)
      : request_(request),
        replay_(decoder, request.run, request.segment, archive, control),
        before_(replay_.state_before(request.segment)),
        policy_(replay_.policy()) {
    if (policy_.name() != "segmented")
      throw EngineError(Fault::Usage, "what-if", "needs the policy \"segmented\"", "Run the text under it first.");
    if (request.prediction) check_foil(decoder.config, request.prediction->foil);
    if (!std::ranges::any_of(request.edits, &SegmentEdit::patches)) return;
    if (!request.patch_source)
      throw EngineError(Fault::Usage, "patch", "there is no run to take values from", "Pin a run as B.");
    std::set<PointRef> places;
    for (const SegmentEdit& edit : request.edits) {
      if (!edit.patches()) continue;
      for (const HeadRef& head : edit.patched_heads) {
        check_head(decoder.config, head);
        places.insert({head.layer, ForwardPoint::HeadOutputs});
      }
      check_patch(*request.patch_source, request.run, request.segment, edit);
    }
    const bool itself = same_run(request.patch_source->run, request.run);
    patch_.emplace(decoder, *request.patch_source, request.segment, places, control, itself ? archive : patch_archive);
  }

  WhatIfBase base() {
    WhatIfBase base{replay_.first_token(), 0, outcome(policy_, before_->clone(), before_->hits, {})};
    base.segments_run = replay_.segments_run() + (patch_ ? patch_->segments_run() : 0);
    check_hits(request_.record, base.as_it_was.hits, request_.segment);
    check_losses(request_.record, base.as_it_was.target_nll, request_.segment);
    return base;
  }

  WhatIfOutcome run(const SegmentEdit& edit) {
    const SegmentConfig& config = edited_config(request_.run, edit);
    check(config);
    for (const HeadRef& head : edit.zeroed_heads) check_head(replay_.decoder().config, head);
    for (const PointPatch& patch : edit.point_patches) check_head(replay_.decoder().config, {patch.place.layer, 0});
    if (!edit.added.empty() || !edit.dropped.empty() || !edit.banned.empty() || edit.prefix == PrefixSource::Oracle)
      require_lists(config, replay_.decoder().config, "what-if");
    auto forced = request_.run.forced_hits;
    if (edit.searches_again()) std::erase_if(forced, [this](const auto& h) { return h.segment == request_.segment; });
    const SegmentedPolicy edited(config, replay_.decoder().config, replay_.decoder().options(), tokens(), forced,
                                 edit.banned);
    std::unique_ptr<PolicyState> state = edit.searches_again() ? hand_over(edited, edit) : before_->clone();
    if (auto hits = hits_instead(edited, *state, edit)) state = edited.with_hits(*state, std::move(*hits));
    const AblatedPolicy ablated(edited, edit, replay_.decoder().config.group_size());
    for (const SlotRef& slot : edit.dropped)
      if (!holds(long_head(state->hits, slot), slot.position))
        throw EngineError(Fault::BadInput, name_of(slot), "was not retrieved for this segment",
                          "Drop positions that were retrieved.");
    std::vector<HeadHits> hits = ablated.hits(*state);
    if (edit.patch_carry) state->carry = patch_->carry();
    return outcome(ablated, std::move(state), std::move(hits), edit);
  }

 private:
  std::int64_t tokens() const { return std::ssize(*request_.run.ids); }

  /// Returns what replaces the values that the edit patches or zeroes.
  ForwardHook replacement(const SegmentEdit& edit) const {
    ForwardHook hook;
    if (!edit.patched_heads.empty() || !edit.zeroed_heads.empty()) hook.points = {ForwardPoint::HeadOutputs};
    for (const PointPatch& patch : edit.point_patches) hook.points.push_back(patch.place.point);
    hook.replace = [&edit, this](ForwardPoint point, int layer, const at::Tensor& values) {
      at::Tensor changed = point == ForwardPoint::HeadOutputs ? heads_replaced(edit, layer, values) : values;
      for (const PointPatch& patch : edit.point_patches)
        if (patch.place == PointRef{layer, point}) changed = put(patch, changed);
      return changed;
    };
    return hook;
  }

  at::Tensor heads_replaced(const SegmentEdit& edit, int layer, const at::Tensor& outputs) const {
    const std::int64_t d = replay_.decoder().config.head_dim;
    at::Tensor changed = outputs;
    const auto part = [&](const HeadRef& head) {
      if (changed.is_same(outputs)) changed = outputs.clone();
      return changed.narrow(1, head.head * d, d);
    };
    for (const HeadRef& head : edit.patched_heads)
      if (head.layer == layer)
        part(head).copy_(patch_->at({layer, ForwardPoint::HeadOutputs}).narrow(1, head.head * d, d));
    for (const HeadRef& head : edit.zeroed_heads)
      if (head.layer == layer) part(head).zero_();
    return changed;
  }

  static at::Tensor put(const PointPatch& patch, const at::Tensor& values) {
    const auto& [rows, columns, numbers] = patch.values;
    if (columns != values.size(1) || patch.first < 0 || rows < 1 || patch.first > values.size(0) - rows ||
        std::ssize(numbers) != rows * columns)
      throw EngineError(Fault::BadInput, "patch of " + std::string(forward_point_name(patch.place.point)),
                        "does not have the shape of the values: " + std::to_string(values.size(0)) + " tokens, " +
                            std::to_string(values.size(1)) + " values each",
                        "Give rows of so many values, for tokens of the segment.");
    at::Tensor changed = values.clone();
    changed.narrow(0, patch.first, rows).copy_(at::tensor(numbers).view({rows, columns}));
    return changed;
  }

  WhatIfOutcome outcome(const AttentionPolicy& policy, std::unique_ptr<PolicyState> state, std::vector<HeadHits> hits,
                        const SegmentEdit& edit) {
    const at::Tensor hidden = replay_.look(policy, std::move(state), {}, replacement(edit));
    WhatIfOutcome outcome{replay_.losses(hidden, request_.segment), std::move(hits), 0};
    if (const auto& asked = request_.prediction)
      outcome.prediction = predict(replay_.decoder(), hidden, *asked, replay_.target_of(asked->token));
    outcome.nll_sum = std::accumulate(outcome.target_nll.begin(), outcome.target_nll.end(), 0.0);
    return outcome;
  }

  void check(const SegmentConfig& config) const {
    config.validate(replay_.decoder().config, "what-if");
    const SegmentConfig& run = request_.run.config;
    if (config.segment_length != run.segment_length || config.sink_length != run.sink_length ||
        !(config.rope == run.rope))
      throw EngineError(Fault::BadInput, "what-if",
                        "segment_length, sink_length and rope can't change for one segment alone",
                        "Run the whole text with the other value and compare the runs.");
  }

  /// Returns the state that the segment before leaves if the edit's policy carries and retrieves.
  std::unique_ptr<PolicyState> hand_over(const SegmentedPolicy& edited, const SegmentEdit& edit) {
    const std::int64_t first = first_segment(request_.run, request_.segment, edit);
    auto as_it_was = first == 0 ? policy_.init_state() : replay_.state_before(first);
    auto other = first == 0 ? edited.init_state() : as_it_was->clone();
    const HandoverPolicy both(policy_, edited);
    auto state = replay_.advance(both, std::make_unique<HandoverState>(std::move(as_it_was), std::move(other)),
                                 request_.segment);
    return HandoverPolicy::take_edited(std::move(state));
  }

  /// Returns the hits that the edit reads instead of the retrieved ones, or nothing where it reads the retrieved ones.
  std::optional<std::vector<HeadHits>> hits_instead(const SegmentedPolicy& policy, const PolicyState& state,
                                                    const SegmentEdit& edit) {
    std::vector<HeadHits> hits = state.hits;
    switch (edit.prefix) {
      case PrefixSource::Search:
      case PrefixSource::Off:
        if (edit.added.empty()) return std::nullopt;
        break;
      case PrefixSource::Random:
      case PrefixSource::Recent:
      case PrefixSource::Constant:
      case PrefixSource::Sinks:
        hits = control(edit);
        break;
      case PrefixSource::Oracle:
        hits = oracle_hits(policy, state);
        break;
    }
    for (const SlotRef& slot : edit.added) {
      const std::int64_t first = request_.run.config.sink_length;
      if (slot.position < first || slot.position >= replay_.first_token())
        throw EngineError(
            Fault::BadInput, name_of(slot), "is not in the segment's past after the sinks",
            "Add a position from " + std::to_string(first) + " to " + std::to_string(replay_.first_token() - 1) + ".");
      HeadHits& head = long_head(hits, slot);
      if (!holds(head, slot.position) && !head.hits.empty()) replace_least(head, slot.position, edit.added);
    }
    return hits;
  }

  std::vector<HeadHits> control(const SegmentEdit& edit) const {
    auto hits =
        control_hits(edit.prefix, edited_config(request_.run, edit), replay_.decoder().config, tokens(), edit.seed);
    std::erase_if(hits, [this](const HeadHits& head) { return head.segment != request_.segment; });
    return hits;
  }

  /// The positions that each long head would attend to most, had it all that its search ranks.
  std::vector<HeadHits> oracle_hits(const SegmentedPolicy& policy, const PolicyState& state) {
    PoolAttention attention(policy, state);
    replay_.look(policy, state.clone(), [&](const LayerSight& sight) { attention.see(sight); });
    std::vector<HeadHits> hits;
    for (const HeadRecall& head : attention.recall()) {
      HeadHits read{request_.segment, head.head.layer, head.head.head, {}, state.hits.front().shared};
      for (const std::int64_t position : head.oracle) read.hits.push_back({.position = position});
      hits.push_back(std::move(read));
    }
    return hits;
  }

  const WhatIfRequest& request_;
  Replay replay_;
  std::unique_ptr<PolicyState> before_;
  const AttentionPolicy& policy_;
  std::optional<PatchValues> patch_;  ///< set where an edit patches
};

}  // namespace

WhatIfBase run_what_if(const Decoder& decoder, const WhatIfRequest& request, const WhatIfDone& done,
                       RunControl& control, StateArchive& archive, StateArchive& patch_archive) {
  const at::NoGradGuard no_gradients;
  archive.open(request.run);
  WhatIf what_if(decoder, request, control, archive, patch_archive);
  WhatIfBase base = what_if.base();
  for (std::size_t i = 0; i < request.edits.size(); ++i) done(i, what_if.run(request.edits[i]));
  return base;
}

std::int64_t count_what_if_segments(const WhatIfRequest& request, const StateArchive& archive,
                                    const StateArchive& patch_archive) {
  const auto to_run_again = [&](const RunRequest& run, const StateArchive& states) {
    const PolicyState* kept = states.nearest(run, request.segment);
    return request.segment - (kept ? kept->next.index : 0) + 1;
  };
  std::int64_t segments = to_run_again(request.run, archive);
  if (const auto& source = request.patch_source; source && std::ranges::any_of(request.edits, &SegmentEdit::patches))
    segments += same_run(source->run, request.run) ? 1 : to_run_again(source->run, patch_archive);
  for (const SegmentEdit& edit : request.edits) {
    segments += request.segment - first_segment(request.run, request.segment, edit) + 1;
    if (edit.prefix == PrefixSource::Oracle) ++segments;
  }
  return segments;
}

}  // namespace carryover
