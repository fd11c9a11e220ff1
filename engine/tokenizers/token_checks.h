// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// Throws EngineError{BadInput}, which names the first token that has no row in an embedding of `rows` rows: a
/// tokenizer may have more tokens than the weights beside it.
void require_rows(std::span<const std::int32_t> ids, std::int64_t rows, const Tokenizer& tokenizer);

/// Returns the end of each token of an encoded text, in bytes of `text`, from which `ids` were made. A token that takes
/// blanks includes them; the space that encoding puts in front does not count.
std::vector<std::size_t> token_ends(std::span<const std::int32_t> ids, std::string_view text,
                                    const Tokenizer& tokenizer);

/// Puts BOS before the ids of a text, unless the text itself spells it first, as chat templates do. Returns true if it
/// was put there. Throws EngineError{BadInput}, which names `where`, if the tokenizer has no BOS.
bool put_bos_first(std::vector<std::int32_t>& ids, const Tokenizer& tokenizer, const std::string& where);

/// Does the same, but changes nothing if the tokenizer has no BOS.
bool put_any_bos_first(std::vector<std::int32_t>& ids, const Tokenizer& tokenizer);

}  // namespace carryover
