// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "engine/config/head_ref.h"
#include "engine/config/segment_config.h"
#include "engine/runs/values/hits.h"
#include "widgets/runs/state/run_model.h"

namespace carryover {

/// Returns the prefix of a head in words: "4 sinks, 128 retrieved tokens, the carried tail"; empty if it reads the
/// segment alone. Pure; GUI thread.
QString prefix_text(const SegmentConfig& config, const ModelConfig& model, HeadRef head);

/// Says how a retrieved position was selected, such as "anchor". Files keep hit_kind_name(). Pure; GUI thread.
QString hit_kind_text(HitKind kind);

/// Says why the head read nothing retrieved for a segment in which it has no hits; with head −1, why no head did.
QString why_nothing_retrieved(const RunModel& run, int segment, HeadRef head);

}  // namespace carryover
