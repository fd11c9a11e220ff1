// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <cstdint>

namespace carryover {

/// Seeds of requests that name none. Any thread.
class SeedSource {
 public:
  SeedSource();  ///< others in each process
  /// The same ones in each process.
  explicit SeedSource(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();

 private:
  std::atomic<std::uint64_t> state_;
};

/// The seed of one of several answers to a request with this seed. The first one's is the request's own.
std::uint64_t answer_seed(std::uint64_t seed, std::int64_t index);

}  // namespace carryover
