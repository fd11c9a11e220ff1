// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "engine/heads/choice/passkey_texts.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// Makes the parts of texts with up to 20 passkeys in `hay`; their words are the 26 of the spelling alphabet. If the
/// tokenizer can't write the sentences, keys and words are the hay's own tokens, drawn by `seed`. Throws
/// EngineError{BadInput} if these are too few.
PasskeyParts make_passkey_parts(std::vector<std::int32_t> hay, const Tokenizer& tokenizer, std::int64_t seed);

}  // namespace carryover
