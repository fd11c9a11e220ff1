// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/run_control.h"
#include "engine/policies/prepared_run.h"
#include "engine/runs/document_state.h"
#include "engine/runs/state_archive.h"
#include "engine/runs/values/run_request.h"

namespace carryover {

/// Throws EngineError{BadInput, OutOfMemory} where ids, configuration or memory won't do. With new_tokens the text is
/// a prompt behind which as many are decoded. `kept_pool`: bytes in use of a DocumentState's pool, which the request
/// shares or takes the place of.
void check_request(const Decoder& decoder, const RunRequest& request,
                   std::optional<std::int64_t> new_tokens = std::nullopt, std::int64_t kept_pool = 0);

/// Ids where the model is, int64.
at::Tensor ids_tensor(const Decoder& decoder, std::span<const std::int32_t> ids);

/// Losses of the outputs `hidden` [m, D] of the segment that begins at token `first`, [targets], nats; undefined where
/// it has no target. The last output's target is the next segment's first token.
at::Tensor segment_nll(const Decoder& decoder, const RunRequest& request, std::int64_t first, const at::Tensor& hidden);

/// Reads a text in segments: losses, hits, maps and memory of each (the contract of Session::run). States go to the
/// archive where the request wants them kept, and the last one to `document`.
RunSummary run_text(const Decoder& decoder, const RunRequest& request, RunObserver& observer, RunControl& control,
                    StateArchive* archive = nullptr, DocumentState* document = nullptr);

/// The contract of Session::logits.
std::vector<float> logits_at(const Decoder& decoder, const RunRequest& request,
                             const std::vector<std::int64_t>& positions, RunControl& control);

}  // namespace carryover
