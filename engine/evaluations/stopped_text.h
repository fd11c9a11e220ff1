// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// A text as its tokens come, until one of some texts stands in it.
class StoppedText {
 public:
  StoppedText(std::shared_ptr<const Tokenizer> tokenizer, std::vector<std::string> stops);
  /// False once a stop is there.
  bool add(std::int32_t id);
  /// Up to the first stop, or all of it. No more ids are added.
  std::string finish();

 private:
  bool append(const std::string& piece);
  StreamDecoder decoder_;
  std::vector<std::string> stops_;
  std::string text_;
  bool stopped_ = false;
};

}  // namespace carryover
