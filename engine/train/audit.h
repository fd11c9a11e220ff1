// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/core/run_control.h"
#include "engine/session.h"
#include "engine/train/sample_gradient.h"

namespace carryover {

/// What is audited: adds ∇L_K of the audit's text to `parameters`, with activation checkpointing or without.
using AuditedTrainer = std::function<SampleGradient(TrainableParameters& parameters, bool checkpointing)>;

/// Holds a trainer's gradient against L_K's definition (def:LK): each term ℓ_i from its own cut-off start C_{b_i}, what
/// was retrieved held fixed, by autograd and by finite differences; its forward against inference; checkpointing on
/// against off. Bounds are those of fp64; other dtypes get wider ones, and no finite differences. Thread: engine.
AuditReport audit_trainer(Decoder& decoder, const AuditRequest& request, const AuditedTrainer& trainer,
                          RunControl& control);

/// The contract of Session::audit: the trainer that runs (add_sample_gradient).
AuditReport audit_model(Decoder& decoder, const AuditRequest& request, RunControl& control);

}  // namespace carryover
