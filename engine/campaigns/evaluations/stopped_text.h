// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// Collects a text token by token until one of some stop texts stands in it.
class StoppedText {
 public:
  StoppedText(std::shared_ptr<const Tokenizer> tokenizer, std::vector<std::string> stops);
  /// Adds a token. Returns false once a stop text is there.
  bool add(std::int32_t id);
  /// Returns the text up to the first stop, or all of it. No more ids may be added.
  std::string finish();

 private:
  bool append(const std::string& piece);
  StreamDecoder decoder_;
  std::vector<std::string> stops_;
  std::string text_;
  bool stopped_ = false;
};

}  // namespace carryover
