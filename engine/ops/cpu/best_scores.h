// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

// The best entries of a scan. Internal to the scans of a pool.
namespace carryover::ops {

/// Keeps the k best of the scores that are offered; of equal scores the first is the better one. It holds up to twice
/// as many, and cuts them back to the k best when it is full.
template <typename T>
class Best {
 public:
  explicit Best(std::int64_t k) : k_(static_cast<std::size_t>(k)) {}

  /// Returns the value that a score has to exceed. It is NaN while every number is kept, because no score is at or
  /// below NaN.
  T floor() const { return floor_; }

  void offer(T score, std::int64_t index) {
    if (score <= floor_ || score != score) return;  // NaN is never kept
    entries_.push_back({score, index});
    if (entries_.size() >= 2 * k_) cut();
  }
  /// Adds what another one holds, whose entries are in no order.
  void merge(const Best& other) {
    entries_.insert(entries_.end(), other.entries_.begin(), other.entries_.end());
    if (entries_.size() > k_) cut();
  }
  void write(double* scores, std::int64_t* indices) {
    if (entries_.size() > k_) cut();
    std::ranges::sort(entries_, Better());
    for (std::size_t rank = 0; rank < k_; ++rank) {
      const bool held = rank < entries_.size();
      scores[rank] = held ? static_cast<double>(entries_[rank].first) : -std::numeric_limits<double>::infinity();
      indices[rank] = held ? entries_[rank].second : -1;
    }
  }

 private:
  using Entry = std::pair<T, std::int64_t>;
  struct Better {
    bool operator()(const Entry& a, const Entry& b) const {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    }
  };
  void cut() {
    std::ranges::nth_element(entries_, entries_.begin() + static_cast<std::ptrdiff_t>(k_) - 1, Better());
    entries_.resize(k_);
    floor_ = entries_.back().first;
  }

  std::size_t k_;
  T floor_ = std::numeric_limits<T>::quiet_NaN();
  std::vector<Entry> entries_;
};

}  // namespace carryover::ops
