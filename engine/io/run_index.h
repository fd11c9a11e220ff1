// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/run_outline.h"

namespace carryover {

/// One segment in index.bin of a run folder, which makes a run open without reading its hits: the digest (its record
/// aside, which is in segments.jsonl), the hits in brief, and where the segment's lines of hits.jsonl end.
struct IndexedSegment {
  SegmentDigest digest;
  std::vector<BriefHead> heads;
  std::int64_t hits_end = 0;
};

/// What stands at the file's beginning.
std::string_view run_index_head();
/// What is added to the file for one segment. Numbers lie as in memory.
std::string run_index_entry(const SegmentSnapshot& snapshot, std::int64_t hits_end);

/// Reads index.bin of a run over `tokens` tokens from its beginning to the first entry that is not whole or can't be
/// true; what lacks, hits.jsonl has.
class RunIndexReader {
 public:
  RunIndexReader(std::string bytes, std::int64_t tokens);
  RunIndexReader(const RunIndexReader&) = delete;
  RunIndexReader& operator=(const RunIndexReader&) = delete;
  std::optional<IndexedSegment> next();

 private:
  std::string bytes_;
  std::string_view rest_;
  std::int64_t tokens_, hits_end_ = 0;
};

}  // namespace carryover
