// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <vector>

#include "engine/base/run_control.h"
#include "engine/decoder/decoder.h"
#include "engine/runs/values/hits.h"
#include "engine/training/records/audit_report.h"

namespace carryover {

/// The ways to feed the segments of a text to F_θ: whole, in chunks of several lengths, or token by token as decoding
/// does.
enum class Feed { Whole, Chunks, Tokens };

struct ForwardPass {
  at::Tensor hidden;           ///< [T, D]
  std::vector<HeadHits> hits;  ///< hits that its segments read
};

/// Runs a text in one way. `forced`: hits to read in place of the found ones, or none.
using TextRunner = std::function<ForwardPass(const Decoder& decoder, Feed feed, const std::vector<HeadHits>& forced)>;

/// The engine's runs of an audit's text, which has to stay as long. Throws EngineError{Cancelled}.
TextRunner text_runner(const AuditRequest& request, RunControl& control);

/// Checks forward identity (cor:alignment) on the model and text of an audit: chunks, and tokens one by one through the
/// kernels that decode, against whole segments. (Training against whole segments is a row of the audit.) fp64: losses
/// agree within 1e-9, and each way retrieves for itself. fp32: within 1e-4 in one segment and 5e-3 over several, with
/// the same hits. 16 bits: with the hits of a copy of the model in fp32, each way is at most twice as far from that
/// copy as whole segments are. The result is empty for a text of one token. Thread: engine.
std::vector<AuditCheck> forward_checks(const Decoder& decoder, const AuditRequest& request, const TextRunner& run);

}  // namespace carryover
