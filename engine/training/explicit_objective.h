// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <vector>

#include "engine/policies/prepared_run.h"
#include "engine/training/records/audit_report.h"

namespace carryover {

/// L_K by its definition (eq:LK), for audits. Every term ℓ_i runs from its own cut-off start C_{b_i} through at most K
/// + 1 segments, and reads the tokens that one inference run at the decoder's first weights retrieved. It runs its
/// segments through F_θ and shares nothing else with the trainer. Borrows the decoder, whose weights may change between
/// calls. Thread: engine.
class ExplicitObjective {
 public:
  ExplicitObjective(const Decoder& decoder, const AuditRequest& request);

  std::int64_t terms() const { return static_cast<std::int64_t>(lengths_.size()); }
  std::int64_t depth() const { return config_.truncation_depth; }  ///< K
  /// Returns ℓ_i of L_depth, differentiable where gradients are on; undefined where the segment has no target. i is
  /// zero-based.
  at::Tensor term(std::int64_t i, std::int64_t depth) const;
  double value() const;  ///< Σ ℓ_i of L_K

  /// Returns true if ∇L_depth can differ from ∇L_K. It can't if the text has too few segments, or the model too few
  /// layers with a carry, for the transitions by which they differ.
  bool differs_at(std::int64_t depth) const;

  const std::vector<double>& inference_nll() const { return nll_; }  ///< ℓ_i of the inference run

 private:
  bool has_target(std::size_t i) const;
  at::Tensor ids(std::int64_t first, std::int64_t count) const;
  at::Tensor loss(std::int64_t i, const at::Tensor& hidden) const;

  const Decoder& decoder_;
  SegmentConfig config_;
  std::vector<std::int32_t> ids_;
  std::unique_ptr<AttentionPolicy> policy_;
  mutable Ropes ropes_;
  std::vector<std::int64_t> firsts_, lengths_;
  std::vector<std::unique_ptr<PolicyState>> states_;  ///< the state that each segment starts from
  std::vector<double> nll_;
};

}  // namespace carryover
