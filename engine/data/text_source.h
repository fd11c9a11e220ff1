// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/utf8.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// Reads a whole text file, or standard input for "-", as UTF-8; text_of_bytes() says which encodings are recognised.
/// Throws EngineError{Io} (unreadable, a folder), {BadInput} (empty, or invalid, with the byte offset).
std::string read_text(const std::string& path);

/// Reads one text's ids, from a file or from standard input for "-": a JSON array, or a .npy file of integers, [tokens]
/// or [1, tokens]. Each must be in [0, vocabulary). Throws EngineError{BadInput, Io}, which names file and index.
std::vector<std::int32_t> read_ids(const std::string& path, std::int64_t vocabulary);

}  // namespace carryover
