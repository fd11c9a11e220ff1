// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "engine/tokenizers/piece_model.h"

namespace carryover {

/// Returns a model that finds pieces with the SentencePiece library. `model`: a serialized ModelProto; `facts`: its
/// contents. Throws EngineError{BadInput}, which names `where`, for a model that the library refuses.
std::unique_ptr<const PieceModel> sentencepiece_pieces(std::string_view model, const SentencePieceFacts& facts,
                                                       const std::string& where);

}  // namespace carryover
