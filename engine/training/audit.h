// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/base/run_control.h"
#include "engine/training/records/audit_report.h"
#include "engine/training/sample_gradient.h"

namespace carryover {

/// The way in which an audit asks its trainer to run.
struct AuditedRun {
  bool checkpointing = false;
  std::function<void(const LayerSight&)> watch = {};  ///< to be called for each layer of the trainer's forward
};

/// The trainer under audit. It adds ∇L_K of the audit's text to `parameters`, and returns the pool's contents at the
/// end.
using AuditedTrainer = std::function<SampleGradient(TrainableParameters& parameters, const AuditedRun& run)>;

/// Compares a trainer's gradient with L_K's definition (def:LK): each term ℓ_i from its own cut-off start C_{b_i}, with
/// the retrieved tokens held fixed, by autograd and, in fp64, by finite differences. It also compares the gradient with
/// L_{K−1} and L_{K+1}, from which it has to differ; each way to run the forward with the others; and checkpointing on
/// with off. A bound is what rounding may do in the dtype. The effect of a wrong K is measured on this model and text:
/// the margin from ∇L_K to ∇L_{K±1}. Between these two the gradient has to lie at ∇L_K; if other roundings of ∇L_K and
/// ∇L_{K±1} do not lie at the margin's ends, a check fails and says that the dtype cannot tell K from K ± 1. Thread:
/// engine.
AuditReport audit_trainer(Decoder& decoder, const AuditRequest& request, const AuditedTrainer& trainer,
                          RunControl& control);

/// Implements the contract of Session::audit, on the trainer that trainings use (add_sample_gradient).
AuditReport audit_model(Decoder& decoder, const AuditRequest& request, RunControl& control);

}  // namespace carryover
