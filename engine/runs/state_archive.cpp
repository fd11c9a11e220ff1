// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/state_archive.h"

#include <ATen/ATen.h>

namespace carryover {

namespace {

constexpr std::size_t kSmall = 64 << 10;

std::int64_t bytes_of(PolicyState& state) {
  std::int64_t total = 0;
  for (const at::Tensor* tensor : state.own_tensors()) total += static_cast<std::int64_t>(tensor->nbytes());
  return total;
}

/// Moves a state's small tensors into one block: thousands of them, kept between the short-lived ones of the segments
/// that follow, would slow every later allocation down.
void pack(PolicyState& state) {
  std::vector<at::Tensor*> small;
  for (at::Tensor* tensor : state.own_tensors())
    if (tensor->is_cpu() && tensor->nbytes() < kSmall && (small.empty() || tensor->dtype() == small[0]->dtype()))
      small.push_back(tensor);
  if (small.empty()) return;
  std::vector<at::Tensor> flat;
  std::vector<std::int64_t> lengths;
  for (const at::Tensor* tensor : small) {
    flat.push_back(tensor->flatten());
    lengths.push_back(tensor->numel());
  }
  const std::vector<at::Tensor> parts = at::cat(flat).split_with_sizes(lengths);
  for (std::size_t i = 0; i < small.size(); ++i) *small[i] = parts[i].view(small[i]->sizes());
}

}  // namespace

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
  std::unique_ptr<PolicyState> kept = state.clone();
  pack(*kept);
  bytes_ += bytes_of(*kept);
  states_[segment] = std::move(kept);
  while ((bytes_ > budget_ || states_.size() > kMostStates) && !states_.empty()) thin();
}

void StateArchive::thin() {
  step_ *= 2;
  std::erase_if(states_, [this](const auto& entry) {
    if (entry.first % step_ == 0) return false;
    bytes_ -= bytes_of(*entry.second);
    return true;
  });
}

const PolicyState* StateArchive::nearest(const RunRequest& request, std::int64_t segment) const {
  if (!same_run(request, request_)) return nullptr;
  const auto after = states_.upper_bound(segment);
  return after == states_.begin() ? nullptr : std::prev(after)->second.get();
}

}  // namespace carryover
