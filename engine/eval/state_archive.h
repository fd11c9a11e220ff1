// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <memory>

#include "engine/core/run/run_request.h"
#include "engine/method/attention_policy.h"

namespace carryover {

/// Whether two requests run the same segments: what is captured or how it is driven does not count.
bool same_run(const RunRequest& a, const RunRequest& b);

/// What the segments of one run started from, so that a segment can be run again without the text before it. Within a
/// budget, of bytes and of kMostStates: when it is full, every second one goes. A kept state shares the run's pool.
/// Owner: Session. Thread: engine.
class StateArchive {
 public:
  /// A thousand small tensors more in the heap cost short segments more than the segments that a view has to run again.
  static constexpr std::size_t kMostStates = 512;

  explicit StateArchive(std::int64_t budget_bytes) : budget_(budget_bytes) {}

  /// Forgets another run's states.
  void open(const RunRequest& request);
  void clear();

  /// Keeps what segment state.next.index starts from, where the budget allows it.
  void keep(const PolicyState& state);

  /// The latest state at or before a segment of this run; none: from the beginning.
  const PolicyState* nearest(const RunRequest& request, std::int64_t segment) const;

  std::int64_t bytes() const { return bytes_; }

 private:
  void thin();

  std::int64_t budget_, bytes_ = 0, step_ = 1;
  RunRequest request_;
  std::map<std::int64_t, std::unique_ptr<PolicyState>> states_;
};

}  // namespace carryover
