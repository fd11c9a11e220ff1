// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <string>

#include "engine/core/analysis/recall_heads.h"

namespace carryover {

/// What is asked of readers: the loss and the answers of a grouping whose long heads read what was found. May throw,
/// which ends the choice with what was found so far.
using MeasureReaders = std::function<ReaderStep(const Grouping& readers)>;

/// Who reads: from every head of every layer on, whole layers are dropped first, then KV heads (what a pool stores),
/// always those without which the loss is lowest, a quarter of what is left at a time and fewer where that is too many,
/// until nothing can be dropped without a loss above (1 + loss_rise) times the first one. Continues with
/// `heads.readers`, appends its steps there, and calls `kept` after each; `progress` is told what is left.
void choose_readers(const ModelConfig& model, double loss_rise, const MeasureReaders& measure, RecallHeads& heads,
                    const std::function<void()>& kept,
                    const std::function<void(double share, const std::string& what)>& progress);

}  // namespace carryover
