// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <map>
#include <memory>

#include "engine/method/attention_policy.h"
#include "engine/runs/values/run_request.h"

namespace carryover {

/// Returns true if two requests run the same segments; what they capture and how the run is driven does not count.
bool same_run(const RunRequest& a, const RunRequest& b);

/// Keeps the states that segments of one run started from, so that a segment can run again without the text before it.
/// It holds at most a budget of bytes and kMostStates states; when it is full, it drops every second one. A kept state
/// shares the run's pool. Owner: Session. Thread: engine.
class StateArchive {
 public:
  /// With a thousand more small tensors in the heap, short segments lose more time than a view needs to run segments
  /// again.
  static constexpr std::size_t kMostStates = 512;

  explicit StateArchive(std::int64_t budget_bytes) : budget_(budget_bytes) {}

  /// Drops the states of any other run.
  void open(const RunRequest& request);
  void clear();

  /// Keeps the state that segment state.next.index starts from, if the budget allows it.
  void keep(const PolicyState& state);

  /// Returns the latest state at or before a segment of this run, or null where the run has to start from its
  /// beginning.
  const PolicyState* nearest(const RunRequest& request, std::int64_t segment) const;

  std::int64_t bytes() const { return bytes_; }

 private:
  void thin();

  std::int64_t budget_, bytes_ = 0, step_ = 1;
  RunRequest request_;
  std::map<std::int64_t, std::unique_ptr<PolicyState>> states_;
};

}  // namespace carryover
