// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/core/cost_model.h"
#include "engine/core/snapshot.h"
#include "engine/session.h"

namespace carryover {

class Tokenizer;

/// Where a run comes from, so that it and its figures can be made again. A plain value.
struct RunOrigin {
  std::string id;                         ///< engine/io/run_id.h
  std::string text;                       ///< path or name of what was read
  std::vector<std::string> command_line;  ///< that makes the run again; empty: no command does
  std::string folder;                     ///< where it is kept; empty: nowhere yet
};

/// What the window knows of one run: grows as the engine's snapshots arrive, at most 30 times a second. The panels read
/// it; only RunController (app/) writes it. GUI thread.
///
/// Heavy parts (carry maps) are kept for every segment up to a bound (`map_budget_bytes`); older ones are dropped first
/// and `snapshot(i)` then has empty maps. Token losses, ids and hits are kept for all segments.
class RunModel : public QObject {
  Q_OBJECT
 public:
  explicit RunModel(QObject* parent = nullptr);
  ~RunModel() override;

  /// Starts anew: a run is about to begin. `tokenizer` may be null (ids only).
  void begin(const ModelInfo& model, const RunRequest& request, std::shared_ptr<const Tokenizer> tokenizer);
  void append(std::shared_ptr<const SegmentSnapshot> snapshot);
  void finish(const RunSummary& summary);
  void set_progress(std::int64_t tokens_done);
  void set_origin(const RunOrigin& origin);  ///< after begin(), which leaves the id alone in it

  /// What is known now, for good: to compare with when this run has made way. Carry maps are left out.
  std::shared_ptr<const RunModel> kept() const;

  bool is_empty() const;  ///< no run yet
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
  const SegmentSnapshot& snapshot(int segment) const;
  std::shared_ptr<const SegmentSnapshot> shared_snapshot(int segment) const;  ///< to hand on to another thread
  const SegmentRecord& record(int segment) const { return snapshot(segment).record; }
  int segment_of_token(std::int64_t position) const;  ///< by S; also for tokens not run yet
  /// Loss of predicting the token at `position` in nats, or NaN where it has none (yet).
  float nll_of_token(std::int64_t position) const;
  /// R as read by (segment, layer, head); null where there is none.
  const HeadHits* hits(int segment, int layer, int head) const;
  /// How many heads fetched each position for `segment` (all its hits but padding): pairs sorted by position.
  std::vector<std::pair<std::int64_t, int>> hit_counts(int segment) const;
  QString token_text(std::int64_t position) const;  ///< printable: spaces and newlines as they are
  bool finished() const;
  const RunSummary& summary() const;

 Q_SIGNALS:
  void reset();  ///< after begin()
  void segments_appended(int first, int last);
  void progressed();
  void ended();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Of the segments that are there, where the engine gives no summary of them.
RunSummary sum_of_segments(const RunModel& run);

}  // namespace carryover
