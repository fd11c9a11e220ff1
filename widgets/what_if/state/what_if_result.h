// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <utility>
#include <vector>

#include "engine/runs/values/what_if.h"
#include "engine/statistics/bootstrap.h"
#include "widgets/runs/state/prediction_change.h"
#include "widgets/runs/state/run_model.h"

namespace carryover {

/// A hit that one side has and the other has not.
struct HitChange {
  int layer = 0, head = 0;
  Hit hit;
  bool gained = false;  ///< by the what-if; else lost
};

/// A what-if that was run: a segment under an edit, beside the same segment as it was. A plain value.
struct WhatIfResult {
  QString name;
  QStringList tags;
  int segment = -1;
  std::int64_t first_token = 0;
  SegmentConfig run_config;  ///< what the run was made with
  SegmentEdit edit;
  std::vector<float> before, after;            ///< loss in nats; entry j belongs to the token first_token + j + 1
  std::vector<HitChange> changes;              ///< by layer, head and position
  MeanInterval change;                         ///< of after − before, mean over the targets
  std::optional<PredictionChange> prediction;  ///< of the token that was selected in the segment
  std::int64_t segments_run = 0;
  double seconds = 0;
  std::int64_t made_ms = 0;  ///< when it was run, since 1970, UTC; 0: not known
  QString provenance;        ///< the run it belongs to
  QString patched_from;      ///< the run that patches took their values from; empty: it has none

  /// Returns the change that the edit makes to the loss of the token at an absolute position, in nats; NaN if it is no
  /// target of the segment.
  float loss_change(std::int64_t token) const;
};

/// Returns after − before, entry by entry. The lists must be equally long.
std::vector<float> loss_changes(const std::vector<float>& before, const std::vector<float>& after);
/// Returns the hits that only one of the two sides has. Each side has a head at most once.
std::vector<HitChange> changed_hits(const std::vector<HeadHits>& before, const std::vector<HeadHits>& after);
/// Fills in `changes`, `change` and `prediction` of a result, which is of this run.
void compare(WhatIfResult& result, const RunModel& run, const WhatIfOutcome& as_it_was, const WhatIfOutcome& changed);

/// Returns the bounds of `change` as tables show them; with too few targets, their number and nothing.
std::pair<QString, QString> bound_texts(const WhatIfResult& result);

/// Returns the slots of all heads that hold one of these positions, for an edit that drops them.
std::vector<SlotRef> slots_at(const RunModel& run, int segment, const std::vector<TokenRange>& positions);
/// Returns a slot of what a head reads, for an edit that drops or adds it: of the head's own list, or of the one that
/// all readers share. If it reads none, the slot is of the head itself, and the engine says why it cannot be.
SlotRef slot_read_by(const RunModel& run, HeadRef head, std::int64_t position);

/// Returns "L6 H0 without the carry".
QString unread_text(const HeadPart& unread);
/// Returns a line that says what an edit does: "no carry, L6 H0 without 123, R 512 → 64"; "nothing changed" for none.
QString edit_text(const SegmentEdit& edit, const SegmentConfig& run_config);
/// Returns the fields of `edit` that differ from the run's, as "R 512 → 64".
QStringList config_changes(const SegmentConfig& from, const SegmentConfig& to);

/// name, segment, first_token, edit (with its settings where it has some), change, before, after, changed_hits, run,
/// and the prediction where there is one.
nlohmann::json what_if_json(const WhatIfResult& result);
/// A line a token: what-if, segment, position, loss before and after, and their difference.
QString what_if_csv(const std::vector<WhatIfResult>& results);

}  // namespace carryover
