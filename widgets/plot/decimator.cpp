// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/decimator.h"

#include <algorithm>
#include <cmath>

namespace carryover {
namespace {

/// A number beats NaN; the earlier of two equal values stays.
bool lower(const std::vector<double>& values, std::size_t candidate, std::size_t held) {
  return std::isnan(values[held]) ? !std::isnan(values[candidate]) : values[candidate] < values[held];
}
bool higher(const std::vector<double>& values, std::size_t candidate, std::size_t held) {
  return std::isnan(values[held]) ? !std::isnan(values[candidate]) : values[candidate] > values[held];
}

void add_pair(std::vector<std::size_t>& picks, std::size_t low, std::size_t high) {
  picks.push_back(std::min(low, high));
  if (low != high) picks.push_back(std::max(low, high));
}

}  // namespace

void Decimator::clear() {
  blocks_.clear();
  size_ = 0;
  shift_ = 0;
}

void Decimator::extend(const std::vector<double>& values) {
  for (; size_ < values.size(); ++size_) {
    const std::size_t block = size_ >> shift_;
    if (block == most_blocks_) {
      for (std::size_t i = 0; 2 * i < blocks_.size(); ++i) {
        Block merged = blocks_[2 * i];
        if (2 * i + 1 < blocks_.size()) {
          const Block& second = blocks_[2 * i + 1];
          if (lower(values, second.low, merged.low)) merged.low = second.low;
          if (higher(values, second.high, merged.high)) merged.high = second.high;
        }
        blocks_[i] = merged;
      }
      blocks_.resize((blocks_.size() + 1) / 2);
      ++shift_;
      --size_;  // this point again, in the larger blocks
      continue;
    }
    if (block == blocks_.size()) {
      blocks_.push_back({size_, size_});
      continue;
    }
    Block& open = blocks_.back();
    if (lower(values, size_, open.low)) open.low = size_;
    if (higher(values, size_, open.high)) open.high = size_;
  }
}

std::vector<std::size_t> Decimator::picks(const std::vector<double>& values, std::size_t first,
                                          std::size_t last) const {
  std::vector<std::size_t> found;
  if (size_ == 0) return found;
  last = std::min(last, size_);
  found.push_back(0);
  for (const Block& block : blocks_)
    if (first >= last || block.high < first || block.low >= last) add_pair(found, block.low, block.high);
  if (first < last) {
    int shift = 0;
    while (((last - first) >> shift) > most_blocks_) ++shift;
    const std::size_t step = std::size_t{1} << shift;
    for (std::size_t begin = first / step * step; begin < last; begin += step) {
      const std::size_t start = std::max(begin, first), end = std::min(begin + step, last);
      std::size_t low = start, high = start;
      for (std::size_t i = start + 1; i < end; ++i) {
        if (lower(values, i, low)) low = i;
        if (higher(values, i, high)) high = i;
      }
      add_pair(found, low, high);
    }
  }
  found.push_back(size_ - 1);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace carryover
