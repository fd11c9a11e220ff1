// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/core/cost/cost_model.h"
#include "engine/core/run/model_info.h"
#include "engine/core/run/run_outline.h"
#include "engine/core/run/run_request.h"
#include "engine/core/run/segment_source.h"

namespace carryover {

class Tokenizer;

/// Where a run comes from, so that it and its figures can be made again. A plain value.
struct RunOrigin {
  std::string id;                         ///< engine/records/run_id.h
  std::string text;                       ///< path or name of what was read
  std::vector<std::string> command_line;  ///< that makes the run again; empty: no command does
  std::string folder;                     ///< where it is kept; empty: nowhere yet
};

/// What the window knows of one run: grows as the engine's snapshots arrive, at most 30 times a second. The panels read
/// it; only RunController (app/) writes it. GUI thread.
///
/// An outline of every segment stays in memory (engine/core/run/run_outline.h): numbers, losses, hits in brief.
/// Whatever walks through many segments reads that. Whole segments come one at a time, from a cache of `cache_bytes`
/// that is filled from the run's source on disk; where there is no source, all segments stay in memory.
class RunModel : public QObject {
  Q_OBJECT
 public:
  static constexpr std::int64_t default_cache_bytes = 64ll << 20;
  static constexpr std::size_t least_cached = 32;  ///< segments that stay whatever their size

  explicit RunModel(QObject* parent = nullptr, std::int64_t cache_bytes = default_cache_bytes);
  ~RunModel() override;

  /// Starts again: a run is about to begin. `tokenizer` may be null (ids only).
  void begin(const ModelInfo& model, const RunRequest& request, std::shared_ptr<const Tokenizer> tokenizer);
  void append(std::shared_ptr<const SegmentSnapshot> snapshot) { append(std::vector{std::move(snapshot)}); }
  void append(const std::vector<std::shared_ptr<const SegmentSnapshot>>& snapshots);
  void clear();  ///< no run, as at first
  /// All segments at once, of a run that is on disk. Nothing of it is loaded before it is looked at.
  void show(std::shared_ptr<RunOutline> outline, std::shared_ptr<const SegmentSource> source);
  /// Where segments are spilled to: those that it has need not stay in memory.
  void set_source(std::shared_ptr<const SegmentSource> source);
  void finish(const RunSummary& summary);
  void set_progress(std::int64_t tokens_done);
  void set_origin(const RunOrigin& origin);  ///< after begin(), which leaves the id alone in it

  /// What is known now, for good: to compare with when another run is shown.
  std::shared_ptr<const RunModel> kept() const;

  bool is_empty() const;      ///< no run
  QString text_name() const;  ///< what it reads, for people; empty where that has no name
  const ModelInfo& model() const;
  const RunRequest& request() const;  ///< its ids are the whole text
  const RunOrigin& origin() const;
  const CostModel& cost() const;
  const Tokenizer* tokenizer() const;
  std::int64_t token_count() const;
  std::int64_t tokens_done() const;
  int segment_count() const;  ///< segments closed so far
  int expected_segments() const;
  /// The whole segment, loaded where it isn't in memory. A reference is good until `least_cached` others have been
  /// asked for. Where it can't be loaded, what the outline has of it, and unreadable() says so once.
  const SegmentSnapshot& snapshot(int segment) const { return *shared_snapshot(segment); }
  std::shared_ptr<const SegmentSnapshot> shared_snapshot(int segment) const;  ///< to keep, or hand to another thread
  const SegmentDigest& digest(int segment) const;
  const SegmentRecord& record(int segment) const { return digest(segment).record; }
  const RunOutline& outline() const;                              ///< of all segments so far
  const HitIndex& hit_index() const { return outline().hits(); }  ///< all hits in brief
  int segment_of_token(std::int64_t position) const;              ///< by S; also for tokens not run yet
  std::int64_t tokens_after(int segment) const;                   ///< tokens read when it closes; also one not run yet
  /// Loss of predicting the token at `position` in nats, or NaN where it has none (yet).
  float nll_of_token(std::int64_t position) const;
  /// Whose list a head reads: its own, or that of a shared search, which is named after the first searcher; none where
  /// it is shared, and the head neither reads it nor names it.
  std::optional<HeadRef> list_of(int layer, int head) const;
  /// R as read by (segment, layer, head); null where there is none. Good as long as snapshot()'s.
  const HeadHits* hits(int segment, int layer, int head) const;
  BriefHits brief_hits(int segment, int layer, int head) const;  ///< the same in brief
  /// How many heads fetched each position for `segment` (all its hits but padding): pairs sorted by position.
  std::vector<std::pair<std::int64_t, int>> hit_counts(int segment) const;
  QString token_text(std::int64_t position) const;  ///< printable: spaces and newlines as they are
  /// All segments there are now, to be read by another thread. What is only in memory is held by it.
  std::shared_ptr<const SegmentSource> segments() const;
  std::int64_t cached_bytes() const;  ///< whole segments in memory, about
  int segments_loaded() const;        ///< from the source so far
  bool finished() const;
  const RunSummary& summary() const;

 Q_SIGNALS:
  void reset();  ///< after begin() or clear()
  void segments_appended(int first, int last);
  void progressed();
  void ended();
  void unreadable(const QString& where, const QString& problem, const QString& advice) const;

 private:
  struct State;
  std::shared_ptr<const SegmentSnapshot> load(int segment) const;

  std::unique_ptr<State> state_;
  std::int64_t cache_bytes_;
};

}  // namespace carryover
