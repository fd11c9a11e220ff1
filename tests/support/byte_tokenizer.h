// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover::test {

/// An id for each byte, and no special ones; one that has no capital letters where `small`.
class PlainByteTokenizer final : public Tokenizer {
 public:
  explicit PlainByteTokenizer(bool small = false) : small_(small) {}
  std::int64_t vocabulary() const override { return 256; }
  std::optional<std::int32_t> bos() const override { return std::nullopt; }
  std::optional<std::int32_t> eos() const override { return std::nullopt; }
  std::vector<std::int32_t> encode(std::string_view text, bool = false) const override {
    std::vector<std::int32_t> ids;
    for (const char c : text) {
      if (small_ && c >= 'A' && c <= 'Z') throw EngineError(Fault::BadInput, "text", "has a capital letter", "None.");
      ids.push_back(static_cast<unsigned char>(c));
    }
    return ids;
  }
  std::string bytes(std::int32_t id) const override { return std::string(1, static_cast<char>(id)); }
  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    for (const std::int32_t id : ids) text += bytes(id);
    return text;
  }

 private:
  bool small_;
};

}  // namespace carryover::test
