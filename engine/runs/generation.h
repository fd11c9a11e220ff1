// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/base/run_control.h"
#include "engine/decoder/decoder.h"
#include "engine/runs/document_state.h"
#include "engine/runs/values/generate_request.h"
#include "engine/runtime/thread_choice.h"

namespace carryover {

/// Decodes on the recurrence (the contract of Session::generate): the open segment continues with C and R fixed, and
/// closes when its S-th token has been run. If the prompt ends with a question, the text before it is read once and its
/// state is kept in `document`. `threads` chooses the threads of each decoded token's forward; null: all of them.
GenerateResult generate_text(const Decoder& decoder, const GenerateRequest& request, const OnToken& on_token,
                             RunControl& control, DocumentState* document = nullptr, ThreadChoice* threads = nullptr);

}  // namespace carryover
