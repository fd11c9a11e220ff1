// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/eval/state_archive.h"

namespace carryover {

bool same_run(const RunRequest& a, const RunRequest& b) {
  const bool same_ids = a.ids == b.ids || (a.ids && b.ids && *a.ids == *b.ids);
  return same_ids && a.policy == b.policy && a.config == b.config && a.forced_hits == b.forced_hits;
}

void StateArchive::open(const RunRequest& request) {
  if (same_run(request, request_)) return;
  clear();
  request_ = request;
}

void StateArchive::clear() {
  states_.clear();
  request_ = {};
  bytes_ = 0;
  step_ = 1;
}

void StateArchive::keep(const PolicyState& state) {
  const std::int64_t segment = state.next.index;
  if (segment == 0 || segment % step_ != 0 || states_.contains(segment)) return;
  bytes_ += state.own_bytes();
  states_[segment] = state.clone();
  while (bytes_ > budget_ && !states_.empty()) thin();
}

void StateArchive::thin() {
  step_ *= 2;
  std::erase_if(states_, [this](const auto& entry) {
    if (entry.first % step_ == 0) return false;
    bytes_ -= entry.second->own_bytes();
    return true;
  });
}

const PolicyState* StateArchive::nearest(const RunRequest& request, std::int64_t segment) const {
  if (!same_run(request, request_)) return nullptr;
  const auto after = states_.upper_bound(segment);
  return after == states_.begin() ? nullptr : std::prev(after)->second.get();
}

}  // namespace carryover
