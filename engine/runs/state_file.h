// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/decoder/decoder.h"
#include "engine/runs/document_state.h"
#include "engine/runs/values/model_info.h"

/// Stores the state behind a document in a file (StateHeader), so that another session with the same weights answers
/// questions about the document as if it had just read it, bit for bit on the same kind of device. Thread: engine.
namespace carryover {

/// Writes the kept state, whole or not at all. Throws EngineError{Usage} where none is kept, {Unsupported} where its
/// policy can't be saved or its hits were prescribed, {BadInput} where a value is not finite, {Io}.
void write_state(const std::string& path, const ModelInfo& model, const Decoder& decoder,
                 const DocumentState& document);

/// Keeps the state in a file, in place of the one that was kept. The file may come from anybody: each size, dtype and
/// number in it is checked against what its policy has behind a text of that many tokens. Throws EngineError{BadInput}
/// naming the file where it is damaged or has other weights or another dtype, {Unsupported} for another version,
/// {OutOfMemory, Io}; then no state is kept.
void read_state(const std::string& path, const ModelInfo& model, const Decoder& decoder, DocumentState& document);

}  // namespace carryover
