// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

namespace carryover {

/// The step and the finaliser of splitmix64.
inline constexpr std::uint64_t kSplitMixStep = 0x9e3779b97f4a7c15u;
constexpr std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/// Generates numbers that follow from a seed alone and are the same on every machine; those of std::shuffle and
/// std::uniform_int_distribution are not. A plain value; any thread.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return mixed(state_ += kSplitMixStep); }
  /// Returns a number in [0, bound). The bias of at most bound/2^64 is far below what a shuffle could show.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace carryover
