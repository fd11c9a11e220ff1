// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover::fuzz {

/// The sections of a tokenizer's input: one vocabulary, of any of these kinds, and a text.
enum TokenizerFile { kTokenizerJson, kSentencePiece, kGguf, kText, kTokenizerFiles };

}  // namespace carryover::fuzz
