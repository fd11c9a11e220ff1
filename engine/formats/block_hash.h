// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace carryover {

/// A hash of FIPS 180-4 over blocks of 64 bytes, of bytes that come in parts: SHA-1 or SHA-256. Owner: one thread.
template <std::size_t words>
class BlockHash {
 public:
  using State = std::array<std::uint32_t, words>;
  using AddBlock = void (*)(State& state, const char* block);
  BlockHash(const State& start, AddBlock add_block) : state_(start), add_block_(add_block) {}

  void add(std::string_view bytes) {
    length_ += bytes.size();
    if (!rest_.empty()) {
      const std::string_view first = bytes.substr(0, kBlock - rest_.size());
      rest_ += first;
      bytes.remove_prefix(first.size());
      if (rest_.size() < kBlock) return;
      add_block_(state_, rest_.data());
      rest_.clear();
    }
    for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) add_block_(state_, bytes.data());
    rest_ = bytes;
  }

  /// Returns the hash of all bytes so far as hex digits, as sha256sum prints it.
  std::string hex() const {
    BlockHash padded = *this;
    std::string padding(1, '\x80');
    padding.resize((2 * kBlock - 1 - kLengthBytes - rest_.size()) % kBlock + 1, '\0');
    for (int shift = 56; shift >= 0; shift -= 8) padding += static_cast<char>(length_ * 8 >> shift & 0xff);
    padded.add(padding);
    std::string text;
    for (const std::uint32_t word : padded.state_)
      for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 0xf];
    return text;
  }

 private:
  static constexpr std::size_t kBlock = 64, kLengthBytes = 8;
  State state_;
  AddBlock add_block_;
  std::uint64_t length_ = 0;
  std::string rest_;  ///< of a block that is not whole yet
};

/// Returns the word of four bytes, the first one highest, at `index` of a block.
inline std::uint32_t block_word(const char* block, std::size_t index) {
  std::uint32_t word = 0;
  for (std::size_t b = 0; b < 4; ++b) word = word << 8 | static_cast<std::uint8_t>(block[4 * index + b]);
  return word;
}

}  // namespace carryover
