// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include "engine/core/config/head_ref.h"
#include "engine/core/config/segment_config.h"

namespace carryover {

/// What a head reads before its segment: "4 sinks, 128 retrieved tokens, the carried tail"; empty where it reads the
/// segment alone. Pure; GUI thread.
QString prefix_text(const SegmentConfig& config, const ModelConfig& model, HeadRef head);

}  // namespace carryover
