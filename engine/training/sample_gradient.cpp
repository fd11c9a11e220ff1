// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/sample_gradient.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "engine/cost/policy_table.h"
#include "engine/method/segment_loss.h"
#include "engine/runs/text_run.h"
#include "engine/runs/values/partition.h"
#include "engine/training/truncated_backprop.h"

namespace carryover {

namespace {

/// One sample's loop over its segments.
class SampleRun {
 public:
  SampleRun(const Decoder& decoder, TrainableParameters& parameters, const GradientSetup& setup,
            std::span<const std::int32_t> ids)
      : decoder_(decoder),
        parameters_(parameters),
        setup_(setup),
        ids_(ids),
        config_(sample_config(setup.policy, setup.config, tokens())),
        prepared_(
            decoder,
            {setup.policy, config_, tokens(), {}, setup.after_layer, setup.checkpointing, setup.dropout, setup.watch}),
        backprop_(setup.config.truncation_depth, (tokens() + config_.segment_length - 1) / config_.segment_length,
                  parameters.leaves()) {}

  SampleGradient run() {
    const at::AutoGradMode with_gradients(true);
    parameters_.make_gradients();
    const std::int64_t live = setup_.meter ? setup_.meter->live_bytes() : 0;
    if (setup_.meter) setup_.meter->reset_peak();
    while (done_ < tokens()) run_segment();
    if (setup_.meter) result_.memory.graph = std::max<std::int64_t>(0, setup_.meter->peak_bytes() - live);
    result_.reach = backprop_.reach();
    if (setup_.keep_pool) result_.pool = prepared_.runner().state().pool_contents();
    return std::move(result_);
  }

 private:
  std::int64_t tokens() const { return static_cast<std::int64_t>(ids_.size()); }

  void run_segment() {
    SegmentRunner& runner = prepared_.runner();
    const std::int64_t length = std::min(config_.segment_length, tokens() - done_);
    auto snapshot = std::make_shared<SegmentSnapshot>();
    if (setup_.keep_segments) snapshot->hits = runner.state().hits;

    SegmentGraph graph;
    graph.entering = cut_off(runner.state().carry);
    runner.replace_carry(graph.entering);
    const at::Tensor hidden = runner.run_segment(ids_tensor(decoder_, part_of(ids_, done_, length)));
    graph.leaving = runner.state().carry;
    snapshot->record = {runner.state().next.index - 1, done_, length, 0, 0, 0, runner.state().pool_entries(),
                        runner.state().near_ties,      {}};
    lose(hidden, graph, *snapshot);
    measure(graph);
    if (setup_.keep_segments) keep(*snapshot, graph);
    if (setup_.keep_segments) result_.segments.push_back(std::move(snapshot));
    done_ += length;
    backprop_.add(std::move(graph));
  }

  /// Returns the loss of this segment's outputs; the target of the last one is the next segment's first token.
  void lose(const at::Tensor& hidden, SegmentGraph& graph, SegmentSnapshot& snapshot) {
    const auto target_ids = segment_targets(setup_.config, ids_, done_, hidden.size(0));
    const std::int64_t targets = std::ssize(target_ids);
    double nll_sum = 0;
    if (targets > 0) {
      graph.hidden = hidden.narrow(0, 0, targets);
      LossGradient gradient{{}, parameters_.head_gradient()};
      std::optional<ops::SoftTargets> soft;
      if (setup_.soft) soft = setup_.soft->rows(done_, targets);
      gradient.soft = soft ? &*soft : nullptr;
      const at::Tensor nll = target_nll(decoder_, graph.hidden.detach(), ids_tensor(decoder_, target_ids), &gradient);
      graph.hidden_gradient = gradient.hidden;
      nll_sum = nll.sum(at::kDouble).item<double>();
      if (setup_.soft) result_.soft_loss_sum += gradient.soft_loss.sum(at::kDouble).item<double>();
      if (setup_.keep_segments) {
        const at::Tensor host = nll.to(at::kFloat).cpu().contiguous();
        snapshot.target_nll.assign(host.const_data_ptr<float>(), host.const_data_ptr<float>() + targets);
      }
    }
    snapshot.record.targets = targets;
    snapshot.record.nll_sum = nll_sum;
    result_.targets += targets;
    result_.nll_sum += nll_sum;
    result_.segment_nll.push_back(nll_sum);
    result_.segment_targets.push_back(targets);
  }

  void measure(const SegmentGraph& graph) {
    MemoryBytes& most = result_.memory;
    most.attention_kv = std::max(most.attention_kv, prepared_.runner().attention_kv_bytes());
    most.carry = std::max(most.carry, graph.leaving.bytes());
    most.pool = std::max(most.pool, prepared_.runner().state().pool_bytes());
  }

  void keep(SegmentSnapshot& snapshot, const SegmentGraph& graph) const {
    snapshot.ids.assign(ids_.begin() + done_, ids_.begin() + done_ + snapshot.record.length);
    CarryMaps maps = carry_maps(graph.leaving.detached(), graph.entering.detached());
    snapshot.carry_key_norm = std::move(maps.key_norm);
    snapshot.carry_value_norm = std::move(maps.value_norm);
    snapshot.carry_drift = std::move(maps.drift);
    snapshot.record.memory = result_.memory;
  }

  const Decoder& decoder_;
  TrainableParameters& parameters_;
  const GradientSetup& setup_;
  std::span<const std::int32_t> ids_;
  SegmentConfig config_;
  std::int64_t done_ = 0;
  SampleGradient result_;
  PreparedRun prepared_;
  TruncatedBackprop backprop_;
};

}  // namespace

SampleGradient add_sample_gradient(const Decoder& decoder, TrainableParameters& parameters, const GradientSetup& setup,
                                   std::span<const std::int32_t> ids) {
  return SampleRun(decoder, parameters, setup, ids).run();
}

}  // namespace carryover
