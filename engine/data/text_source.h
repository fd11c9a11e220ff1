// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/base/utf8.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// A whole UTF-8 text file, or standard input for "-". Throws EngineError{Io} (unreadable, a folder), {BadInput}
/// (empty, invalid UTF-8 with the byte offset). A byte-order mark is dropped.
std::string read_text(const std::string& path);

/// A JSON array of ids, or a run folder's ids.npy, from a file or standard input for "-"; each must be in
/// [0, vocabulary). Throws EngineError{BadInput, Io} naming file and index.
std::vector<std::int32_t> read_ids(const std::string& path, std::int64_t vocabulary);

}  // namespace carryover
