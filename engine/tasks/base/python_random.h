// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carryover {

/// The module `random` of Python 3.9 and later: the same seed gives the same draws. Owner: one thread.
class PythonRandom {
 public:
  explicit PythonRandom(std::uint64_t seed);

  double real();                                                ///< random(): in [0, 1), 53 bits
  std::uint64_t bits(int count);                                ///< getrandbits(count), count in 1..64
  std::uint64_t below(std::uint64_t limit);                     ///< in [0, limit), limit > 0; choice() of so many
  std::int64_t integer(std::int64_t first, std::int64_t last);  ///< randint(first, last): both may come

  /// Indices of sample(population of `size`, `count`); count ≤ size.
  std::vector<std::size_t> sample(std::size_t size, std::size_t count);
  /// ''.join(choices(alphabet, k=count))
  std::string letters(std::string_view alphabet, std::size_t count);
  /// str(uuid.UUID(int=getrandbits(128), version=4))
  std::string uuid();

  template <typename Element>
  void shuffle(std::vector<Element>& elements) {
    for (std::size_t i = elements.size(); i > 1; --i) std::swap(elements[i - 1], elements[below(i)]);
  }

 private:
  std::mt19937 engine_;
};

}  // namespace carryover
