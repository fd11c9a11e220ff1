// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace carryover {

/// Returns a text file's bytes as valid UTF-8, without a byte-order mark. UTF-16 and UTF-32 of either byte order are
/// recognised by their mark, or otherwise if the bytes are full of control characters and one of the four encodings
/// decodes them to text without any. Throws EngineError{BadInput}, which names `where` and the offset of the first byte
/// that can't be decoded. Any thread.
std::string text_of_bytes(std::string bytes, const std::string& where);

}  // namespace carryover
