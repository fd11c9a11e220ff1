// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover {

/// Segments `first` to `last`, both included; all of them where it is not set. A plain value.
struct SegmentRange {
  int first = -1, last = -1;

  bool is_set() const { return first >= 0; }
  bool contains(int segment) const { return !is_set() || (segment >= first && segment <= last); }
  bool operator==(const SegmentRange&) const = default;
};

}  // namespace carryover
