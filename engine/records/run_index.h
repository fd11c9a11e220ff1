// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/run/run_outline.h"
#include "engine/formats/fingerprint.h"

namespace carryover {

/// One segment in index.bin of a run folder, which makes a run open without reading its hits: the digest (its record
/// aside, which is in segments.jsonl), the hits in brief, and where the segment's lines of hits.jsonl end.
struct IndexedSegment {
  SegmentDigest digest;
  std::vector<BriefHead> heads;
  std::int64_t hits_end = 0;
  std::uint64_t lines_print = 0;  ///< fingerprint of the segment's lines
};

/// Makes the file's contents. Each entry ends with a fingerprint of the file up to there. Owner: one thread.
class RunIndexWriter {
 public:
  std::string_view head();  ///< what stands at the file's beginning
  /// What is added to the file for one segment. `lines` are the segment's in hits.jsonl, `hits_end` where they end.
  /// Numbers lie as in memory.
  std::string entry(const SegmentSnapshot& snapshot, std::string_view lines, std::int64_t hits_end);

 private:
  Fingerprint contents_;
};

/// Reads index.bin of a run over `tokens` tokens from its beginning to the first entry that is not whole, was
/// changed or can't be true; hits.jsonl has the rest.
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
  Fingerprint contents_;
};

}  // namespace carryover
