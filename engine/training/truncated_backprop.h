// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <deque>
#include <vector>

#include "engine/method/carried_state.h"
#include "engine/training/records/training_values.h"

namespace carryover {

/// The parts of one segment's forward that backward needs (eq:truncated-update).
struct SegmentGraph {
  CarriedState entering;       ///< C_{i−1}, cut off: leaves that require a gradient
  CarriedState leaving;        ///< C_i as a function of θ and `entering`
  at::Tensor hidden;           ///< [n, D], the outputs with a target, as a function of both
  at::Tensor hidden_gradient;  ///< ∂ℓ_i/∂hidden
};

/// Returns a copy of C whose tensors are leaves of the next segment's graph.
CarriedState cut_off(const CarriedState& carry);

/// Computes ∇L_K for any number of segments (eq:LK-grad, thm:tbptt-exact). Each segment is a graph of its own.
/// Gradients cross to the segment before as adjoints of its carry (eq:adjoint), at most K transitions for each loss
/// term. Terms that no cut reaches travel as one adjoint; every other term has its own. Adjoints on their way need
/// activation gradients alone; a segment that has all its adjoints gives its parameters' gradients in one pass and is
/// freed, so that at most K + 1 graphs live. With N ≤ K + 1 this is plain backpropagation. Owner: one sample. Thread:
/// engine.
class TruncatedBackprop {
 public:
  /// `segments`: the sample's number of segments, N. `parameters`: leaves, whose gradients autograd adds up.
  TruncatedBackprop(std::int64_t depth, std::int64_t segments, std::vector<at::Tensor> parameters);

  /// Adds the next segment's graph, whose forward and loss are done.
  void add(SegmentGraph graph);

  /// Returns how far gradients reached. Call it after all segments were added.
  const std::vector<GradientReach>& reach() const { return reach_; }
  std::int64_t alive() const { return static_cast<std::int64_t>(graphs_.size()); }

 private:
  using Tensors = std::vector<at::Tensor>;
  struct Node {
    SegmentGraph graph;
    std::int64_t index;
    Tensors adjoint;  ///< Σ over the terms that reach its carry; undefined entries are zero
  };

  void send_back(std::int64_t age);
  void finish_chain();
  void parameter_pass(Node& node, bool and_entering);
  Tensors activation_pass(Node& node, bool own_term, const Tensors& adjoint);
  void record(const Tensors& adjoint, std::int64_t transition, std::int64_t age, std::int64_t terms);

  std::int64_t depth_, segments_, added_ = 0;
  Tensors parameters_;
  std::deque<Node> graphs_;  ///< alive, oldest first
  Tensors travelling_;       ///< the newest term's adjoint
  std::vector<GradientReach> reach_;
};

}  // namespace carryover
