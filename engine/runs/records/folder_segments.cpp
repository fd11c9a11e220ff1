// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/folder_segments.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/config/head_reads.h"
#include "engine/formats/fingerprint.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/input_file.h"
#include "engine/formats/input_lines.h"
#include "engine/formats/json_file.h"
#include "engine/formats/npy.h"
#include "engine/runs/records/run_index.h"
#include "engine/runs/values/snapshot_check.h"

namespace carryover {
namespace {

namespace fs = std::filesystem;

/// carry_maps.npy, [segments, 3, L, slots], row by row. Earlier versions kept no windowed layers and M slots, of which
/// a short segment filled the first.
class CarryMaps {
 public:
  CarryMaps(const std::string& path, const ModelConfig& model, const SegmentConfig& config)
      : rows_(path), layers_(model.layers) {
    const auto& shape = rows_.shape();
    if (shape.size() == 4) slots_ = shape[3];
    const bool right_slots = slots_ == carry_slots(config, model) || slots_ == config.carry_length;
    if (shape.size() != 4 || shape[1] != 3 || shape[2] != layers_ || !right_slots)
      throw EngineError(Fault::BadInput, path, "doesn't have the run's layers and carry length", kRunFolderAdvice);
  }

  void fill(SegmentSnapshot& snapshot) const {
    if (snapshot.record.index >= rows_.shape().front()) return;
    const std::vector<float> row = rows_.row(snapshot.record.index);
    snapshot.carry_key_norm = plane(row, 0);
    snapshot.carry_value_norm = plane(row, 1);
    snapshot.carry_drift = plane(row, 2);
  }

 private:
  /// Slots that no layer has are NaN in all of them, before or behind the others.
  Map plane(const std::vector<float>& row, std::int64_t index) const {
    const auto value = [&](std::int64_t layer, std::int64_t slot) {
      return row[static_cast<std::size_t>((index * layers_ + layer) * slots_ + slot)];
    };
    const auto is_empty = [&](std::int64_t slot) {
      for (std::int64_t layer = 0; layer < layers_; ++layer)
        if (!std::isnan(value(layer, slot))) return false;
      return true;
    };
    std::int64_t first = 0, end = slots_;
    while (first < end && is_empty(first)) ++first;
    while (end > first && is_empty(end - 1)) --end;
    if (first == end) return {};
    Map map{layers_, end - first, {}};
    for (std::int64_t layer = 0; layer < layers_; ++layer)
      for (std::int64_t slot = first; slot < end; ++slot) map.values.push_back(value(layer, slot));
    return map;
  }

  NpyRows rows_;
  std::int64_t layers_, slots_ = 0;
};

/// sinks.npy, [segments, L, kSinkColumns], row by row.
class SinkRows {
 public:
  SinkRows(const std::string& path, std::int64_t layers) : path_(path), rows_(path) {
    const auto& shape = rows_.shape();
    if (shape.size() != 3 || shape[1] != layers || shape[2] != std::ssize(kSinkColumns))
      throw EngineError(Fault::BadInput, path, "doesn't have the run's layers and the columns of sinks",
                        kRunFolderAdvice);
  }

  /// Returns a segment's map; empty where it has none: a row of NaN, or no row. Throws EngineError{BadInput} on
  /// impossible values.
  Map map(std::int64_t segment) const {
    if (segment >= rows_.shape().front()) return {};
    std::vector<float> row = rows_.row(segment);
    if (std::all_of(row.begin(), row.end(), [](float value) { return std::isnan(value); })) return {};
    Map map{rows_.shape()[1], rows_.shape()[2], std::move(row)};
    if (!are_possible(map))
      throw EngineError(Fault::BadInput, path_ + ", segment " + std::to_string(segment),
                        "has norms or shares of attention that can't be", kRunFolderAdvice);
    return map;
  }

 private:
  std::string path_;
  NpyRows rows_;
};

/// The place of a segment's lines in hits.jsonl, in bytes.
struct Lines {
  std::int64_t begin, end;
  std::optional<std::uint64_t> print;  ///< fingerprint that an indexed segment's lines must still have
};

HeadHits hits_of_line(const std::string& line, const std::string& where, std::int64_t tokens) {
  HeadHits head = head_hits_from_json(parse_json(line, where), where);
  if (!head.hits.empty() && head.hits.back().position >= tokens)
    throw EngineError(Fault::BadInput, where, "has a position past the text's end", kRunFolderAdvice);
  return head;
}

/// Walks through hits.jsonl from a place where a line begins.
class HitLines {
 public:
  HitLines(const std::string& path, std::int64_t begin, std::int64_t tokens) : tokens_(tokens), input_(path) {
    std::string line;
    while (input_.offset() < begin && input_.next(line)) {
    }
    advance();
  }

  bool at_end() const { return !head_; }
  HeadHits& head() { return *head_; }
  std::int64_t begin() const { return begin_; }  ///< of head()'s line, or the file's end
  std::string where() const { return input_.path() + ":" + std::to_string(input_.number()); }

  void advance() {
    head_.reset();
    std::string line;
    do begin_ = input_.offset();
    while (input_.next(line) && line.empty());
    if (!line.empty()) head_ = hits_of_line(line, where(), tokens_);
  }

 private:
  std::int64_t tokens_, begin_ = 0;
  InputLines input_;
  std::optional<HeadHits> head_;
};

class FolderSegments : public SegmentSource {
 public:
  FolderSegments(const StoredRun& run, const RunDescription& description)
      : ids_(description.request.ids),
        limits_(snapshot_limits(description.model.config, description.request.config, std::ssize(*ids_))),
        outline_(std::make_shared<RunOutline>(std::ssize(*ids_))),
        hits_(path_in(run.directory, "hits.jsonl")) {
    const std::string maps = path_in(run.directory, "carry_maps.npy");
    std::error_code ignored;
    if (fs::exists(maps, ignored))
      maps_ = std::make_unique<CarryMaps>(maps, description.model.config, description.request.config);
    const std::string sinks = path_in(run.directory, "sinks.npy");
    if (fs::exists(sinks, ignored)) sinks_ = std::make_unique<SinkRows>(sinks, description.model.config.layers);
    read_outline(run);
  }

  const std::shared_ptr<RunOutline>& outline() const { return outline_; }
  int count() const override { return static_cast<int>(lines_.size()); }

  std::shared_ptr<const SegmentSnapshot> load(int segment) const override {
    const SegmentRecord& record = outline_->segment(segment).record;
    const Lines& place = lines_[static_cast<std::size_t>(segment)];
    auto snapshot = std::make_shared<SegmentSnapshot>(begin_of(record));
    const std::string lines = hits_.read(place.begin, place.end - place.begin);
    const std::string where = hits_.path() + ", segment " + std::to_string(segment);
    Fingerprint print;
    print.add(lines);
    for (const std::string& line : text_parts(lines, '\n'))
      if (!line.empty()) snapshot->hits.push_back(hits_of_line(line, where, std::ssize(*ids_)));
    if ((place.print && *place.print != print.value()) || !agrees_with_outline(*snapshot))
      throw EngineError(Fault::BadInput, where, "has other hits than index.bin, or than when it was opened",
                        "Remove index.bin and open the run again.");
    snapshot->target_nll = outline_->target_nll(segment);
    check_snapshot(*snapshot, place_of(record), limits_, where);
    return snapshot;
  }

 private:
  static SegmentPlace place_of(const SegmentRecord& record) { return {record.index, record.first_token}; }

  /// The outline came from the index, or from the lines as they were.
  bool agrees_with_outline(const SegmentSnapshot& snapshot) const {
    const auto same = [&](const HeadHits& head) {
      const BriefHead now = brief_of(head);
      const BriefHits then = outline_->hits().of(static_cast<int>(snapshot.record.index), head.layer, head.head);
      return head.segment == snapshot.record.index && std::ranges::equal(now.hits, then);
    };
    return std::all_of(snapshot.hits.begin(), snapshot.hits.end(), same);
  }

  /// Returns a segment without its hits and losses.
  SegmentSnapshot begin_of(const SegmentRecord& record) const {
    SegmentSnapshot snapshot;
    snapshot.record = record;
    const auto first = ids_->begin() + record.first_token;
    snapshot.ids.assign(first, first + record.length);
    if (maps_) maps_->fill(snapshot);
    if (sinks_) snapshot.sinks = sinks_->map(record.index);
    return snapshot;
  }

  void read_outline(const StoredRun& run) {
    std::int64_t target = 0;
    const auto losses = [&](const SegmentRecord& record) {
      const std::span<const float> all(run.target_nll);
      const bool there = target + record.targets <= std::ssize(all);  // they may have been left out
      const std::int64_t first = std::exchange(target, target + record.targets);
      return there ? all.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(record.targets))
                   : std::span<const float>();
    };
    const std::size_t indexed = read_index(run, losses);
    read_lines(std::span(run.segments).subspan(indexed), losses);
  }

  template <typename Losses>
  std::size_t read_index(const StoredRun& run, const Losses& losses) {
    const std::string path = path_in(run.directory, "index.bin");
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return 0;
    const InputFile file(path);
    RunIndexReader index(file.read(0, file.size()), std::ssize(*ids_));
    const std::int64_t hits_size = hits_.size();
    while (outline_->count() < static_cast<int>(run.segments.size())) {
      auto entry = index.next();
      if (!entry || entry->hits_end > hits_size) break;
      entry->digest.record = run.segments[static_cast<std::size_t>(outline_->count())];
      if (sinks_) entry->digest.sinks = sinks_->map(entry->digest.record.index);
      if (!are_possible(entry->heads, place_of(entry->digest.record), limits_)) break;
      outline_->append(entry->digest, entry->heads, losses(entry->digest.record));
      lines_.push_back({end_of_lines(), entry->hits_end, entry->lines_print});
    }
    return lines_.size();
  }

  /// The segments that the index lacks, from their lines, which come by segment.
  template <typename Losses>
  void read_lines(std::span<const SegmentRecord> records, const Losses& losses) {
    if (records.empty()) return;
    HitLines lines(hits_.path(), end_of_lines(), std::ssize(*ids_));
    for (const SegmentRecord& record : records) {
      const std::int64_t begin = lines.begin();
      std::vector<BriefHead> heads;
      for (; !lines.at_end() && lines.head().segment == record.index; lines.advance())
        heads.push_back(brief_of(lines.head()));
      if (!are_possible(heads, place_of(record), limits_))
        throw EngineError(Fault::BadInput, hits_.path() + ", segment " + std::to_string(record.index),
                          "has hits that the model or the text can't have", kRunFolderAdvice);
      if (!lines.at_end() && lines.head().segment < record.index)
        throw EngineError(Fault::BadInput, lines.where(), "these hits come after a later segment's", kRunFolderAdvice);
      outline_->append(digest_of(begin_of(record)), heads, losses(record));
      lines_.push_back({begin, lines.begin(), std::nullopt});
    }
  }

  std::int64_t end_of_lines() const { return lines_.empty() ? 0 : lines_.back().end; }

  std::shared_ptr<const std::vector<std::int32_t>> ids_;
  SnapshotLimits limits_;
  std::shared_ptr<RunOutline> outline_;
  InputFile hits_;
  std::unique_ptr<CarryMaps> maps_;
  std::unique_ptr<SinkRows> sinks_;
  std::vector<Lines> lines_;  ///< by segment
};

}  // namespace

FolderRun open_folder_segments(const StoredRun& run, const RunDescription& description) {
  auto segments = std::make_shared<FolderSegments>(run, description);
  auto outline = segments->outline();
  return {std::move(outline), std::move(segments)};
}

}  // namespace carryover
