// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <cstdint>

namespace carryover {

/// Draws the seeds of requests that name none. Any thread.
class SeedSource {
 public:
  SeedSource();                                              ///< each process draws others
  explicit SeedSource(std::uint64_t seed) : state_(seed) {}  ///< each process draws the same

  std::uint64_t next();

 private:
  std::atomic<std::uint64_t> state_;
};

/// Gives each answer to a request a seed of its own. The first one has the request's.
std::uint64_t answer_seed(std::uint64_t seed, std::int64_t index);

}  // namespace carryover
