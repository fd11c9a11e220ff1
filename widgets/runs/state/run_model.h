// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/cost/cost_model.h"
#include "engine/runs/values/model_info.h"
#include "engine/runs/values/run_outline.h"
#include "engine/runs/values/run_request.h"
#include "engine/runs/values/segment_source.h"

namespace carryover {

class Tokenizer;

/// The origin of a run, from which it and its figures can be made again. A plain value.
struct RunOrigin {
  std::string id;                         ///< engine/runs/records/run_id.h
  std::string text;                       ///< path or name of what was read
  std::vector<std::string> command_line;  ///< that makes the run again; empty: no command does
  std::string folder;                     ///< where it is kept; empty: nowhere yet
};

/// One run as the window knows it: it grows as the engine's snapshots arrive, at most 30 times a second. The panels
/// read it; only RunController (app/) writes it. GUI thread.
///
/// An outline of every segment stays in memory (engine/runs/values/run_outline.h): numbers, losses, hits in brief. Code
/// that walks through many segments reads the outline. Whole segments come one at a time, from a cache of `cache_bytes`
/// that is filled from the run's source on disk; without a source, all segments stay in memory.
class RunModel : public QObject {
  Q_OBJECT
 public:
  static constexpr std::int64_t default_cache_bytes = 64ll << 20;
  static constexpr std::size_t least_cached = 32;  ///< segments that stay whatever their size

  explicit RunModel(QObject* parent = nullptr, std::int64_t cache_bytes = default_cache_bytes);
  ~RunModel() override;

  /// Starts again, for a run that is about to begin. `tokenizer` may be null (ids only).
  void begin(const ModelInfo& model, const RunRequest& request, std::shared_ptr<const Tokenizer> tokenizer);
  void append(std::shared_ptr<const SegmentSnapshot> snapshot) { append(std::vector{std::move(snapshot)}); }
  void append(const std::vector<std::shared_ptr<const SegmentSnapshot>>& snapshots);
  void clear();  ///< no run, as at first
  /// Shows all segments of a run that is on disk at once. Nothing of it is loaded before it is looked at.
  void show(std::shared_ptr<RunOutline> outline, std::shared_ptr<const SegmentSource> source);
  /// Sets the source to which segments are spilled: segments that it has need not stay in memory.
  void set_source(std::shared_ptr<const SegmentSource> source);
  void finish(const RunSummary& summary);
  void set_progress(std::int64_t tokens_done);
  void set_origin(const RunOrigin& origin);  ///< after begin(), which leaves the id alone in it

  /// Returns the run as it is now. The copy does not change: another run is compared with it.
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
  /// Returns the whole segment, which is loaded if it is not in memory. The reference is valid until `least_cached`
  /// others have been asked for. If the segment cannot be loaded, returns what the outline has of it, and unreadable()
  /// says so once.
  const SegmentSnapshot& snapshot(int segment) const { return *shared_snapshot(segment); }
  std::shared_ptr<const SegmentSnapshot> shared_snapshot(int segment) const;  ///< to keep, or hand to another thread
  const SegmentDigest& digest(int segment) const;
  const SegmentRecord& record(int segment) const { return digest(segment).record; }
  const RunOutline& outline() const;                              ///< of all segments so far
  const HitIndex& hit_index() const { return outline().hits(); }  ///< all hits in brief
  int segment_of_token(std::int64_t position) const;              ///< by S; also for tokens not run yet
  std::int64_t tokens_after(int segment) const;                   ///< tokens read when it closes; also one not run yet
  /// Returns the loss of predicting the token at `position` in nats; NaN if it has none (yet).
  float nll_of_token(std::int64_t position) const;
  /// Returns the head whose list a head reads: its own, or that of a shared search, which is named after the first
  /// searcher. Returns nothing if the list is shared and the head neither reads nor names it.
  std::optional<HeadRef> list_of(int layer, int head) const;
  /// Returns R as read by (segment, layer, head); null if there is none. Valid as long as snapshot()'s.
  const HeadHits* hits(int segment, int layer, int head) const;
  BriefHits brief_hits(int segment, int layer, int head) const;  ///< the same in brief
  /// Returns how many heads fetched each position for `segment` (all its hits but padding): pairs sorted by position.
  std::vector<std::pair<std::int64_t, int>> hit_counts(int segment) const;
  QString token_text(std::int64_t position) const;  ///< printable: spaces and newlines as they are
  /// Returns all segments that there are now, for another thread to read. It holds those that are only in memory.
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

/// Returns what every panel of a run says while the run has no complete segment to show.
QString no_run_text(const RunModel& run);

}  // namespace carryover
