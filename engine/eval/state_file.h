// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

#include "engine/core/run/model_info.h"
#include "engine/eval/document_state.h"
#include "engine/model/decoder.h"

/// The state behind a document in a file (StateHeader), so that another session by the same weights answers questions
/// about it as if it had just read it, bit for bit on the same kind of device. Thread: engine.
namespace carryover {

/// Writes what is kept, whole or not at all. Throws EngineError{Usage} where nothing is, {Unsupported} where its policy
/// can't be saved or its hits were prescribed, {BadInput} where a value is not finite, {Io}.
void write_state(const std::string& path, const ModelInfo& model, const Decoder& decoder,
                 const DocumentState& document);

/// Keeps what a file holds, in place of what was kept. The file may be anybody's: each size, dtype and number in it is
/// held against what its policy has behind a text of so many tokens. Throws EngineError{BadInput} naming the file where
/// it is damaged or of other weights or another dtype, {Unsupported} for another version, {OutOfMemory, Io}; then
/// nothing is kept.
void read_state(const std::string& path, const ModelInfo& model, const Decoder& decoder, DocumentState& document);

}  // namespace carryover
