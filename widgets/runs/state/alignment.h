// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <string>

#include "engine/checkpoints/trained_under.h"

namespace carryover {

/// Says how a run's settings differ from those that the weights were trained under: "grouping", "S 512 (64)" …; empty:
/// aligned.
QStringList misalignments(const TrainedUnder& trained, const SegmentConfig& config, const std::string& policy);

}  // namespace carryover
