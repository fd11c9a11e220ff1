// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/base/run_control.h"
#include "engine/data/corpus.h"
#include "engine/decoder/decoder.h"
#include "engine/training/records/training_plan.h"
#include "engine/training/records/training_values.h"

namespace carryover {

/// Held-out loss under the plan's policy, by length: the first windows of each of the corpus's held-out documents, at
/// most `validation_windows` of a length. Lengths that no document has are left out. Thread: engine.
inline constexpr std::int64_t validation_windows = 8;
ValidationRecord validate_model(const Decoder& decoder, const TrainingPlan& plan, const Corpus& corpus,
                                std::int64_t step, RunControl& control);

}  // namespace carryover
