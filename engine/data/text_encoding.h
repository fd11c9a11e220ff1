// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace carryover {

/// A text file's bytes as valid UTF-8, without a byte-order mark. UTF-16 and UTF-32 of either byte order are recognised
/// by their mark, or else where the bytes are full of control characters and one of the four decodes to none. Throws
/// EngineError{BadInput} naming `where` and the offset of the first byte that can't be decoded. Any thread.
std::string text_of_bytes(std::string bytes, const std::string& where);

}  // namespace carryover
