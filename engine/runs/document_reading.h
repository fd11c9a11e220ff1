// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/base/run_control.h"
#include "engine/method/segment_runner.h"
#include "engine/runs/document_state.h"
#include "engine/runs/values/model_info.h"

namespace carryover {

/// Brings a runner that stands before the first token to behind the text, as ReadDocument has it: from the state that
/// is kept, or by reading, which is kept then. `document` may be null.
void go_behind(const Decoder& decoder, SegmentRunner& runner, const ReadDocument& wanted, DocumentState* document);

/// The contract of Session::read_document.
StateInfo read_document(const Decoder& decoder, RunRequest text, const LoadProgress& progress, RunControl& control,
                        DocumentState& document);

}  // namespace carryover
