// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/byte_pair_merges.h"

#include <queue>
#include <utility>

namespace carryover {

namespace {

std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 | static_cast<std::uint32_t>(right);
}

/// A token of the word that is being merged, in a doubly linked list. Merging keeps the left one.
struct Link {
  std::int32_t id, previous, next;
};

struct Candidate {
  std::int32_t rank, left, result;
  bool operator>(const Candidate& other) const { return std::pair(rank, left) > std::pair(other.rank, other.left); }
};

}  // namespace

void BytePairMerges::add(std::int32_t left, std::int32_t right, std::int32_t rank, std::int32_t result) {
  merges_[pair_key(left, right)] = {rank, result};
}

const BytePairMerges::Merge* BytePairMerges::find(std::int32_t left, std::int32_t right) const {
  const auto found = merges_.find(pair_key(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

void BytePairMerges::merge(const std::vector<std::int32_t>& word, std::vector<std::int32_t>& out) const {
  if (word.empty()) return;
  std::vector<Link> links(word.size());
  const auto count = static_cast<std::int32_t>(word.size());
  for (std::int32_t i = 0; i < count; ++i)
    links[static_cast<std::size_t>(i)] = {word[static_cast<std::size_t>(i)], i - 1, i + 1 < count ? i + 1 : -1};
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto link = [&links](std::int32_t i) -> Link& { return links[static_cast<std::size_t>(i)]; };
  const auto merge_at = [&](std::int32_t left) {
    return link(left).next < 0 ? nullptr : find(link(left).id, link(link(left).next).id);
  };
  const auto offer = [&](std::int32_t left) {
    if (const Merge* merge = left < 0 ? nullptr : merge_at(left)) queue.push({merge->rank, left, merge->result});
  };
  for (std::int32_t i = 0; i < count; ++i) offer(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    // As in the `tokenizers` library, a candidate is valid while the current pair makes the same token.
    const Merge* merge = merge_at(best.left);
    if (merge == nullptr || merge->result != best.result) continue;
    Link& left = link(best.left);
    Link& right = link(left.next);
    left.id = best.result;
    right.id = -2;  // removed: no merge begins with it
    left.next = right.next;
    if (right.next >= 0) link(right.next).previous = best.left;
    offer(best.left);
    offer(left.previous);
  }
  for (std::int32_t i = 0; i >= 0; i = link(i).next) out.push_back(link(i).id);
}

}  // namespace carryover
