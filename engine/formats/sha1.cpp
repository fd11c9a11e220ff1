// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/sha1.h"

#include <bit>

namespace carryover {

namespace {

using Sha1State = BlockHash<5>::State;

/// The constant of a quarter of the rounds, and the function that goes with it.
struct Quarter {
  std::uint32_t constant;
  std::uint32_t (*mix)(std::uint32_t b, std::uint32_t c, std::uint32_t d);
};

std::uint32_t choose(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return (b & c) | (~b & d);
}
std::uint32_t parity(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return b ^ c ^ d;
}
std::uint32_t majority(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return (b & c) | (b & d) | (c & d);
}

constexpr Quarter kQuarters[] = {
    {0x5a827999, choose}, {0x6ed9eba1, parity}, {0x8f1bbcdc, majority}, {0xca62c1d6, parity}};

void add_sha1_block(Sha1State& state, const char* block) {
  constexpr std::size_t kRoundsOfQuarter = 20;
  std::array<std::uint32_t, 80> w{};
  for (std::size_t i = 0; i < 16; ++i) w[i] = block_word(block, i);
  for (std::size_t i = 16; i < w.size(); ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const Quarter& quarter = kQuarters[i / kRoundsOfQuarter];
    const std::uint32_t next = std::rotl(a, 5) + quarter.mix(b, c, d) + e + quarter.constant + w[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  const Sha1State added{a, b, c, d, e};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

}  // namespace

BlockHash<5> sha1_hash() {
  return {{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, add_sha1_block};
}

}  // namespace carryover
