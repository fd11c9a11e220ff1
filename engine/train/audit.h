// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/analysis/audit_report.h"
#include "engine/core/base/run_control.h"
#include "engine/train/sample_gradient.h"

namespace carryover {

/// How an audit asks its trainer to run.
struct AuditedRun {
  bool checkpointing = false;
  std::function<void(const LayerSight&)> watch = {};  ///< to be called for each layer of the trainer's forward
};

/// What is audited: adds ∇L_K of the audit's text to `parameters`, and says what the pool holds at the end.
using AuditedTrainer = std::function<SampleGradient(TrainableParameters& parameters, const AuditedRun& run)>;

/// Holds a trainer's gradient against L_K's definition (def:LK): each term ℓ_i from its own cut-off start C_{b_i}, what
/// was retrieved held fixed, by autograd and, in fp64, by finite differences; against L_{K−1} and L_{K+1}, which it has
/// to differ from; every way to run the forward against the others; checkpointing on against off.
/// A bound is what rounding may do in the dtype. What a wrong K would do is measured on this model and text: the margin
/// from ∇L_K to ∇L_{K±1}. Along the way there the gradient has to lie at ∇L_K; and where other roundings of ∇L_K and
/// ∇L_{K±1} do not lie at its ends, a check fails and says that the dtype cannot tell K from K ± 1. Thread: engine.
AuditReport audit_trainer(Decoder& decoder, const AuditRequest& request, const AuditedTrainer& trainer,
                          RunControl& control);

/// The contract of Session::audit: the trainer that runs (add_sample_gradient).
AuditReport audit_model(Decoder& decoder, const AuditRequest& request, RunControl& control);

}  // namespace carryover
