// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/records/forced_hits.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "engine/core/base/error.h"
#include "engine/formats/fingerprint.h"
#include "engine/formats/npy.h"
#include "engine/records/run_folder.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;

std::string named(std::span<const std::int32_t> ids) {
  return text_hash(ids) + " (" + std::to_string(ids.size()) + " tokens)";
}

void check_text(const std::string& path, std::span<const std::int32_t> recorded, std::span<const std::int32_t> ids) {
  const std::size_t common = std::min(recorded.size(), ids.size());
  const auto differs = std::mismatch(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(common), recorded.begin());
  if (common == ids.size() && differs.first == ids.end()) return;
  const auto first = differs.first - ids.begin();
  throw EngineError(
      Fault::BadInput, path,
      "was recorded on text " + named(recorded) + ", and this run reads text " + named(ids) + "; " +
          (static_cast<std::size_t>(first) == common ? "the recorded one ends at token " : "they differ from token ") +
          std::to_string(first),
      "Run the recorded text, or the beginning of it (--input-ids of the folder's ids.npy, --tokens).");
}

/// Every long head of every retrieving layer from the second segment on; the first one reads nothing.
void require_every_head(const std::string& path, const std::vector<HeadHits>& hits, std::int64_t segments,
                        const SegmentConfig& config, const ModelConfig& model) {
  std::set<std::tuple<std::int64_t, int, int>> recorded;
  for (const HeadHits& head : hits) recorded.insert({head.segment, head.layer, head.head});
  for (std::int64_t segment = 1; segment < segments; ++segment) {
    if (segment * config.segment_length <= config.sink_length + config.carry_length) continue;  // nothing to search
    for (const HeadHits& list : hit_lists(config, model, segment))
      if (!recorded.contains({segment, list.layer, list.head}))
        throw EngineError(Fault::BadInput, path,
                          "has no hits of segment " + std::to_string(segment) + ", layer " +
                              std::to_string(list.layer) + ", head " + std::to_string(list.head) +
                              ", which this run reads",
                          "Use the whole hits.jsonl of a run with the same grouping and segment length.");
  }
}

}  // namespace

std::string text_hash(std::span<const std::int32_t> ids) {
  Fingerprint hash;
  hash.add(std::as_bytes(ids));
  return hash.hex();
}

std::vector<HeadHits> read_forced_hits(const std::string& path, std::span<const std::int32_t> ids,
                                       const SegmentConfig& config, const ModelConfig& model) {
  std::vector<HeadHits> hits = read_hits(path);
  const std::int64_t segments = (std::ssize(ids) + config.segment_length - 1) / config.segment_length;
  std::erase_if(hits, [&](const HeadHits& head) { return head.segment >= segments; });
  const fs::path folder = fs::path(path).parent_path();
  std::error_code ignored;
  if (fs::exists(folder / "config.json", ignored) || fs::exists(folder / "ids.npy", ignored)) {
    const std::string ids_path = (folder / "ids.npy").string();
    check_text(path, npy_ints(read_npy(ids_path), ids_path), ids);
  }
  if (config.retrieval_length > 0) require_every_head(path, hits, segments, config, model);
  return hits;
}

}  // namespace carryover
