// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/fingerprint.h"
#include "engine/runs/values/run_outline.h"

namespace carryover {

/// One segment in the index.bin of a run folder, with which a run opens without reading its hits: the digest (without
/// its record, which is in segments.jsonl), a summary of the hits, and the end of the segment's lines in hits.jsonl.
struct IndexedSegment {
  SegmentDigest digest;
  std::vector<BriefHead> heads;
  std::int64_t hits_end = 0;
  std::uint64_t lines_print = 0;  ///< fingerprint of the segment's lines
};

/// Makes the file's contents. Each entry ends with a fingerprint of the file up to there. Owner: one thread.
class RunIndexWriter {
 public:
  std::string_view head();  ///< the file's first bytes
  /// Returns the bytes to append to the file for one segment. `lines` are the segment's lines in hits.jsonl, `hits_end`
  /// their end in that file. Numbers are in the machine's byte order.
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
