// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/explicit_objective.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "engine/cost/policy_table.h"
#include "engine/method/segment_loss.h"
#include "engine/policies/registry.h"
#include "engine/runs/text_run.h"
#include "engine/runs/values/partition.h"

namespace carryover {

ExplicitObjective::ExplicitObjective(const Decoder& decoder, const AuditRequest& request)
    : decoder_(decoder),
      config_(sample_config(request.policy, request.config, std::ssize(*request.ids))),
      ids_(request.ids->begin(), request.ids->end()),
      policy_(make_policy(request.policy, {config_, decoder.config, decoder.options(), std::ssize(ids_), {}})),
      ropes_(make_ropes(decoder, request.policy, config_, std::ssize(ids_))) {
  SegmentRunner runner({decoder_, *policy_, ropes_, {}, false, {}}, config_);
  for (std::int64_t first = 0; first < std::ssize(ids_); first += config_.segment_length) {
    firsts_.push_back(first);
    lengths_.push_back(std::min(config_.segment_length, std::ssize(ids_) - first));
    states_.push_back(runner.state().clone());
    const at::NoGradGuard inference;
    const at::Tensor hidden = runner.run_segment(ids(first, lengths_.back()));
    const at::Tensor nll = loss(std::ssize(lengths_) - 1, hidden);
    nll_.push_back(nll.defined() ? nll.item<double>() : 0);
  }
}

bool ExplicitObjective::has_target(std::size_t i) const {
  return !segment_targets(config_, ids_, firsts_[i], lengths_[i]).empty();
}

bool ExplicitObjective::differs_at(std::int64_t depth) const {
  if (depth < 0 || terms() < 2) return false;
  // A layer's carry depends on the carries of the layers below alone: each transition leads at least one layer down.
  // The rows of a window cross as many transitions as it spans before that.
  const auto& carries = states_[1]->carry.layers;
  const ModelConfig& model = decoder_.config;
  const std::int64_t S = config_.segment_length, spanned = model.window > 1 ? (model.window - 2) / S + 1 : 0;
  const std::int64_t deepest = std::ranges::count_if(carries, [](const LayerCarry& c) { return c.keys.defined(); }) +
                               model.windowed_layers() * spanned;
  const std::int64_t here = std::min(config_.truncation_depth, deepest), there = std::min(depth, deepest);
  if (here == there) return false;
  for (std::int64_t i = std::min(here, there) + 1; i < terms(); ++i)
    if (has_target(static_cast<std::size_t>(i))) return true;
  return false;
}

at::Tensor ExplicitObjective::ids(std::int64_t first, std::int64_t count) const {
  return ids_tensor(decoder_, part_of(ids_, first, count));
}

at::Tensor ExplicitObjective::loss(std::int64_t i, const at::Tensor& hidden) const {
  const auto s = static_cast<std::size_t>(i);
  const auto targets = segment_targets(config_, ids_, firsts_[s], lengths_[s]);
  if (targets.empty()) return {};
  return target_nll(decoder_, hidden.narrow(0, 0, std::ssize(targets)), ids_tensor(decoder_, targets)).sum(at::kDouble);
}

at::Tensor ExplicitObjective::term(std::int64_t i, std::int64_t depth) const {
  CarriedState carry;
  const std::int64_t begin = std::max<std::int64_t>(0, i - depth);
  for (std::int64_t j = begin; j <= i; ++j) {
    const auto s = static_cast<std::size_t>(j);
    const auto state = states_[s]->clone();
    if (j > begin) state->carry = carry;
    OpenSegment open(state->next, decoder_.config.layers, true, config_.segment_length, config_.query_length);
    const ForwardContext forward{decoder_, *policy_, ropes_, {}, false, {}};
    const at::Tensor hidden = forward_map(forward, *state, open, ids(firsts_[s], lengths_[s]));
    if (j == i) return loss(i, hidden);
    std::vector<LayerTrace> traces = open.close(forward);
    carry = {{}, state->carry.windows};
    close_windows(carry, traces, decoder_.config);
    for (LayerTrace& trace : traces) carry.layers.push_back(std::move(trace.carry));
  }
  return {};
}

double ExplicitObjective::value() const {
  double sum = 0;
  for (std::int64_t i = 0; i < terms(); ++i) {
    const at::Tensor nll = term(i, depth());
    if (nll.defined()) sum += nll.item<double>();
  }
  return sum;
}

}  // namespace carryover
