// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "engine/tokenizers/piece_model.h"

namespace carryover {

/// Pieces as the SentencePiece library finds them. `model`: a serialized ModelProto, `facts` what it says. Throws
/// EngineError{BadInput} naming `where` for one that the library refuses.
std::unique_ptr<const PieceModel> sentencepiece_pieces(std::string_view model, const SentencePieceFacts& facts,
                                                       const std::string& where);

}  // namespace carryover
