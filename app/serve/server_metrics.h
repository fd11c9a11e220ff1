// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "app/serve/answer.h"

namespace carryover {

/// Counts a server's work since it started, for Prometheus. Any thread.
class ServerMetrics {
 public:
  /// `endpoint`: one of the server's own list, so that no client can add rows; `seconds`: time until the answer was
  /// complete.
  void add(const std::string& endpoint, int status, const Usage& usage, double seconds);
  /// Returns the text format 0.0.4. `waiting`: requests in the queue; `connections`: open ones.
  std::string text(std::size_t waiting, std::size_t connections) const;

 private:
  struct Times {
    std::int64_t count = 0;
    double seconds = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::int64_t> requests_;
  std::map<std::string, Times> times_;
  Usage usage_;
};

}  // namespace carryover
