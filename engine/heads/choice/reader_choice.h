// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>

#include "engine/heads/choice/recall_heads.h"

namespace carryover {

/// Measures readers: returns the loss and the answers of a grouping whose long-range heads read what was found. May
/// throw, which ends the choice with what was found so far.
using MeasureReaders = std::function<ReaderStep(const Grouping& readers)>;

/// Chooses the heads that read. Begins with every head of every layer; first whole layers are dropped, then KV heads,
/// which are what a pool stores. The units whose removal gives the lowest loss are dropped: a quarter of the remaining
/// units at a time, or fewer if that is too many, until no unit can be dropped without a loss above (1 + loss_rise)
/// times the first one. Continues from `heads.readers`, appends its steps there, and calls `kept` after each.
/// `progress` gets a description of what remains.
void choose_readers(const ModelConfig& model, double loss_rise, const MeasureReaders& measure, RecallHeads& heads,
                    const std::function<void()>& kept,
                    const std::function<void(double share, const std::string& what)>& progress);

}  // namespace carryover
