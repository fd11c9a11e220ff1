// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/base/python_random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "engine/base/error.h"

namespace carryover {

namespace {

/// The start state that the Mersenne Twister's authors call init_by_array, of an integer's 32-bit words, lowest first.
/// std::mt19937 takes it as a seed sequence.
class WordSeed {
 public:
  using result_type = std::uint32_t;
  explicit WordSeed(std::uint64_t seed) : words_{static_cast<std::uint32_t>(seed)} {
    if (const auto high = static_cast<std::uint32_t>(seed >> 32)) words_.push_back(high);
  }

  template <typename Iterator>
  void generate(Iterator begin, Iterator end) const {
    std::vector<std::uint32_t> state(static_cast<std::size_t>(end - begin));
    state[0] = 19650218;
    for (std::size_t i = 1; i < state.size(); ++i)
      state[i] = 1812433253 * mixed(state[i - 1]) + static_cast<std::uint32_t>(i);
    std::size_t at = 1, word = 0;
    const auto step = [&](std::uint32_t factor) -> std::uint32_t& {
      if (at == state.size()) {
        state[0] = state.back();
        at = 1;
      }
      state[at] ^= mixed(state[at - 1]) * factor;
      return state[at];
    };
    for (std::size_t i = 0; i < state.size(); ++i, ++at) {
      step(1664525) += words_[word] + static_cast<std::uint32_t>(word);
      word = (word + 1) % words_.size();
    }
    for (std::size_t i = 1; i < state.size(); ++i, ++at) {
      std::uint32_t& value = step(1566083941);
      value -= static_cast<std::uint32_t>(at);
    }
    state[0] = 0x80000000u;
    std::copy(state.begin(), state.end(), begin);
  }

 private:
  static std::uint32_t mixed(std::uint32_t value) { return value ^ (value >> 30); }
  std::vector<std::uint32_t> words_;
};

std::mt19937 engine_of(std::uint64_t seed) {
  WordSeed words(seed);
  return std::mt19937(words);
}

/// Returns the number of elements up to which sample() copies them all instead of remembering those that it drew.
std::size_t pool_limit(std::size_t count) {
  if (count <= 5) return 21;
  const double fours = std::ceil(std::log(3.0 * static_cast<double>(count)) / std::log(4.0));
  return 21 + static_cast<std::size_t>(std::pow(4.0, fours));
}

}  // namespace

PythonRandom::PythonRandom(std::uint64_t seed) : engine_(engine_of(seed)) {}

double PythonRandom::real() {
  const auto high = static_cast<double>(engine_() >> 5), low = static_cast<double>(engine_() >> 6);
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

std::uint64_t PythonRandom::bits(int count) {
  CARRYOVER_CHECK(count >= 1 && count <= 64);
  if (count <= 32) return engine_() >> (32 - count);
  const std::uint64_t low = engine_();
  return low | static_cast<std::uint64_t>(engine_()) >> (64 - count) << 32;
}

std::uint64_t PythonRandom::below(std::uint64_t limit) {
  CARRYOVER_CHECK(limit > 0);
  const auto width = static_cast<int>(std::bit_width(limit));
  std::uint64_t value = bits(width);
  while (value >= limit) value = bits(width);
  return value;
}

std::int64_t PythonRandom::integer(std::int64_t first, std::int64_t last) {
  return first + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(last - first) + 1));
}

std::vector<std::size_t> PythonRandom::sample(std::size_t size, std::size_t count) {
  CARRYOVER_CHECK(count <= size);
  std::vector<std::size_t> drawn;
  if (size <= pool_limit(count)) {
    std::vector<std::size_t> pool(size);
    std::iota(pool.begin(), pool.end(), std::size_t{0});
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = below(size - i);
      drawn.push_back(pool[at]);
      pool[at] = pool[size - i - 1];
    }
    return drawn;
  }
  std::unordered_set<std::size_t> seen;
  while (drawn.size() < count)
    if (const std::size_t index = below(size); seen.insert(index).second) drawn.push_back(index);
  return drawn;
}

std::string PythonRandom::letters(std::string_view alphabet, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += alphabet[static_cast<std::size_t>(real() * static_cast<double>(alphabet.size()))];
  return text;
}

std::string PythonRandom::uuid() {
  std::uint64_t low = bits(64), high = bits(64);
  low = (low & ~(std::uint64_t{0xc000} << 48)) | std::uint64_t{0x8000} << 48;
  high = (high & ~std::uint64_t{0xf000}) | std::uint64_t{4} << 12;
  std::string text;
  for (int digit = 31; digit >= 0; --digit) {
    text += "0123456789abcdef"[(digit >= 16 ? high : low) >> (digit % 16 * 4) & 15];
    if (digit == 24 || digit == 20 || digit == 16 || digit == 12) text += '-';
  }
  return text;
}

}  // namespace carryover
