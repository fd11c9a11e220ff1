// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/seed_source.h"

#include <random>

namespace carryover {

namespace {

constexpr std::uint64_t kGamma = 0x9E3779B97F4A7C15;

/// The output function of SplitMix64 makes unrelated seeds of neighbouring states.
std::uint64_t mixed(std::uint64_t state) {
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EB;
  return state ^ (state >> 31);
}

std::uint64_t random_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

SeedSource::SeedSource() : SeedSource(random_seed()) {}

std::uint64_t SeedSource::next() {
  return mixed(state_ += kGamma);
}

std::uint64_t answer_seed(std::uint64_t seed, std::int64_t index) {
  return index == 0 ? seed : mixed(seed + static_cast<std::uint64_t>(index) * kGamma);
}

}  // namespace carryover
