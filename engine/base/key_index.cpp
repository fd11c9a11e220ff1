// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/key_index.h"

#include <algorithm>

namespace carryover {

KeyIndex KeyIndex::of_tiles(std::int64_t rows, std::int64_t tile, std::int64_t place, std::int64_t m) {
  KeyIndex index;
  index.rows = rows;
  index.queries = m;
  for (std::int64_t first = 0; first < m; first += tile - (place + first) % tile) index.starts.push_back(first);
  index.lists.resize(static_cast<std::size_t>(rows * index.tiles()));
  return index;
}

void unite(std::vector<KeyRange>& ranges) {
  std::erase_if(ranges, [](const KeyRange& range) { return range.first >= range.end; });
  std::ranges::sort(ranges, {}, &KeyRange::first);
  std::size_t last = 0;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first <= ranges[last].end)
      ranges[last].end = std::max(ranges[last].end, ranges[i].end);
    else
      ranges[++last] = ranges[i];
  }
  if (!ranges.empty()) ranges.resize(last + 1);
}

}  // namespace carryover
