// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

#include "engine/base/run_control.h"
#include "engine/decoder/decoder.h"
#include "engine/heads/choice/duo_gates.h"
#include "engine/method/segment_runner.h"

namespace carryover {

/// The view of a streaming head: sinks and the last tokens, its own included.
struct StreamingView {
  std::int64_t sinks = 0, recent = 1;
};

/// Runs both kinds of DuoAttention's heads at once, to learn which of them each KV head needs to be. Every head sees
/// the whole text and, as a branch of its own, what a streaming head sees; the KV head's gate weighs the first and the
/// rest to 1 the second. The text is one segment, and nothing follows it.
class DuoGatePolicy final : public AttentionPolicy {
 public:
  /// `gates`: [L, H_kv], of any type; gradients go to it.
  DuoGatePolicy(const ModelConfig& model, at::TensorOptions options, StreamingView view, std::int64_t tokens,
                at::Tensor gates);

  std::string name() const override { return "duo gates"; }
  std::unique_ptr<PolicyState> init_state() const override;
  std::int64_t first_position(const SegmentFrame& frame) const override { return frame.first_token; }
  std::vector<HeadGroup> context(const PolicyState& state, int layer, Rope& rope) const override;
  LayerTrace trace(int, const LayerKv&) const override { return {}; }
  void commit(PolicyState& state, std::vector<LayerTrace> traces, std::int64_t m) const override;

 private:
  ModelConfig model_;
  at::TensorOptions options_;
  StreamingView view_;
  std::shared_ptr<const KeyIndex> streaming_;  ///< null on a GPU, where a window is a mask
  at::Tensor gates_;
};

/// Runs a text under such a policy with its layers checkpointed. It must live as long as the graph of its results.
class GatedRun {
 public:
  GatedRun(const Decoder& decoder, StreamingView view, std::int64_t tokens, at::Tensor gates,
           std::function<void(int layer)> after_layer);

  /// Hidden states [m, D] of ids [m], m = `tokens`; differentiable in the gates where gradients are on.
  at::Tensor hidden(const at::Tensor& ids) { return runner_.peek_segment(ids); }

 private:
  DuoGatePolicy policy_;
  Ropes ropes_;
  SegmentRunner runner_;
};

/// The loss of the gates and its gradient: the mean square of the change that the gates make in full attention's last
/// hidden states, over D and the tokens of the questions with their answers.
struct GateDistance {
  double distance = 0;
  std::vector<double> gradient;  ///< [L, H_kv]
};
GateDistance gate_distance(const Decoder& decoder, const std::vector<double>& gates, StreamingView view,
                           const PasskeyText& text, RunControl& control);

/// Implements the contract of Session::learn_gates.
DuoGates learn_gates(const Decoder& decoder, const DuoGatesRequest& request, RunControl& control);

}  // namespace carryover
