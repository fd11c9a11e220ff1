// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/content_hash.h"

#include <array>
#include <bit>
#include <cstdio>
#include <cstring>

namespace carryover {

namespace {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

constexpr std::size_t kLanes = 8;
constexpr std::size_t kStripe = kLanes * sizeof(std::uint64_t);
constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15u, kOther = 0xc2b2ae3d27d4eb4fu;

using Lanes = std::array<std::uint64_t, kLanes>;

/// xxHash's round. Both factors are needed: with one, the highest bit of a word would be undone by one bit of the next.
void take_stripe(Lanes& lanes, const std::byte* stripe) {
  Lanes words;
  std::memcpy(words.data(), stripe, kStripe);
  for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = std::rotl(lanes[i] + words[i] * kOther, 31) * kFactor;
}

/// murmur3's finalizer.
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 33)) * 0xff51afd7ed558ccdu;
  bits = (bits ^ (bits >> 33)) * 0xc4ceb9fe1a85ec53u;
  return bits ^ (bits >> 33);
}

}  // namespace

std::uint64_t join_hashes(std::uint64_t state, std::uint64_t next) {
  return mixed(std::rotl(state, 23) * kFactor ^ next);
}

std::uint64_t content_hash(std::span<const std::byte> bytes) {
  Lanes lanes;
  for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = mixed(i + 1);
  std::size_t at = 0;
  for (; at + kStripe <= bytes.size(); at += kStripe) take_stripe(lanes, bytes.data() + at);
  if (at < bytes.size()) {
    std::array<std::byte, kStripe> last{};  // the length, added below, distinguishes zeros from no bytes
    std::memcpy(last.data(), bytes.data() + at, bytes.size() - at);
    take_stripe(lanes, last.data());
  }
  std::uint64_t hash = mixed(bytes.size());
  for (const std::uint64_t lane : lanes) hash = join_hashes(hash, lane);
  return hash;
}

std::string hex_of(std::uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace carryover
