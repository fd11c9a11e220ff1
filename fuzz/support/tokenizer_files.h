// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover::fuzz {

/// The sections of a tokenizer's input: a folder's vocabulary or a GGUF's, a text, and the folder's other files.
enum TokenizerFile {
  kTokenizerJson,
  kSentencePiece,
  kGguf,
  kText,
  kTokenizerConfig,
  kSpecialTokensMap,
  kAddedTokens,
  kModelConfig,
  kTokenizerFiles
};

}  // namespace carryover::fuzz
