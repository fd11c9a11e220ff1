// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover::fuzz {

/// The sections of a run folder's input, in this order.
enum RunFile { kConfig, kIds, kSegments, kHits, kLosses, kSummary, kIndex, kMaps, kSinks, kRunFiles };
inline constexpr const char* kRunFileNames[kRunFiles] = {"config.json", "ids.npy",        "segments.jsonl",
                                                         "hits.jsonl",  "nll.json",       "summary.json",
                                                         "index.bin",   "carry_maps.npy", "sinks.npy"};

}  // namespace carryover::fuzz
