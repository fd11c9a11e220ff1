// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/forced_hits.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "engine/base/error.h"
#include "engine/config/head_reads.h"
#include "engine/formats/fingerprint.h"
#include "engine/formats/npy.h"
#include "engine/runs/records/run_folder.h"
#include "engine/runs/values/prefix_control.h"

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

/// Every long head of every retrieving layer from the second segment on; the first one reads nothing. A shared list is
/// not that of the head whose name it has.
void require_every_head(const std::string& path, const std::vector<HeadHits>& hits, std::int64_t segments,
                        const SegmentConfig& config, const ModelConfig& model) {
  std::set<std::tuple<std::int64_t, int, int, bool>> recorded;
  for (const HeadHits& head : hits) recorded.insert({head.segment, head.layer, head.head, head.shared});
  for (std::int64_t segment = 1; segment < segments; ++segment) {
    for (const HeadHits& list : hit_lists(config, model, segment)) {
      const std::int64_t carried = search_skips_carry(config, model, list) ? config.carry_length : 0;
      if (segment * config.segment_length <= config.sink_length + carried) continue;  // nothing to search
      if (!recorded.contains({segment, list.layer, list.head, list.shared}))
        throw EngineError(Fault::BadInput, path,
                          std::string("has no ") + (list.shared ? "shared " : "") + "hits of segment " +
                              std::to_string(segment) + ", layer " + std::to_string(list.layer) + ", head " +
                              std::to_string(list.head) + ", which this run reads",
                          "Use the whole hits.jsonl of a run with the same grouping, search and segment length.");
    }
  }
}

/// Returns true if the run forces no more hits than a run of today's largest models reads: a crafted record may ask for
/// anything.
bool is_likely(const RunDescription& run) {
  constexpr double kMostHits = 1 << 24, kMostHeads = 1 << 27;
  constexpr double kListHits = 4;  // as many take the memory of a list that is empty
  const ModelConfig& model = run.model.config;
  const SegmentConfig& config = run.request.config;
  const auto tokens = static_cast<double>(run.request.ids->size());
  const double segments = tokens / static_cast<double>(config.segment_length) + 1;
  const double hits = kListHits + std::min(tokens, static_cast<double>(config.retrieval_length));
  if (segments * static_cast<double>(model.layers) * static_cast<double>(model.heads) > kMostHeads) return false;
  double lists = config.search == SearchBy::Shared ? 1 : 0;
  for (int layer = 0; layer < model.layers && config.search == SearchBy::PerHead; ++layer)
    lists += static_cast<double>(reader_heads(config, model, layer).size());
  return segments * lists * hits <= kMostHits;
}

}  // namespace

std::string text_hash(std::span<const std::int32_t> ids) {
  Fingerprint hash;
  hash.add(std::as_bytes(ids));
  return hash.hex();
}

std::vector<HeadHits> read_forced_hits(const std::string& path, std::span<const std::int32_t> ids,
                                       const SegmentConfig& config, const ModelConfig& model) {
  require_lists(config, model, path);
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

std::vector<HeadHits> forced_hits_of(const RunDescription& run, const ModelConfig& model) {
  const RunRequest& request = run.request;
  const auto prefix = prefix_source(run.prefix);
  if (!prefix || *prefix == PrefixSource::Oracle)
    throw EngineError(Fault::BadInput, "the run", "has the prefix '" + run.prefix.substr(0, 60) + "', which is unknown",
                      "Use the version of the program that made it.");
  if (is_position_control(*prefix))
    return control_hits(*prefix, request.config, model, std::ssize(*request.ids), run.seed);
  if (run.force_hits.empty()) return {};
  return read_forced_hits(run.force_hits, *request.ids, request.config, model);
}

void restore_forced_hits(RunDescription& run) {
  const auto prefix = prefix_source(run.prefix);
  if (run.force_hits.empty() && (prefix == PrefixSource::Search || prefix == PrefixSource::Off)) return;
  if (!is_likely(run)) {
    run.missing_hits = "its settings prescribe more hits than a run can read";
    return;
  }
  try {
    run.request.forced_hits = forced_hits_of(run, run.model.config);
  } catch (const EngineError& error) {
    run.missing_hits = error.where() + " " + error.problem();
  }
}

void check_forced_hits(const RunRequest& run, const SegmentSnapshot& given) {
  for (const HeadHits& list : given.hits) {
    const auto forced = std::ranges::find_if(run.forced_hits, [&](const HeadHits& one) {
      return one.segment == list.segment && one.layer == list.layer && one.head == list.head &&
             one.shared == list.shared;
    });
    if (forced == run.forced_hits.end() ||
        std::ranges::equal(forced->hits, list.hits, {}, &Hit::position, &Hit::position))
      continue;
    throw EngineError(
        Fault::BadInput, "the run",
        "read other hits in segment " + std::to_string(list.segment) + " than --force-hits or --prefix give now",
        "Run the text again from the beginning.");
  }
}

}  // namespace carryover
