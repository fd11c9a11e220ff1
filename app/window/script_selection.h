// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>

#include "widgets/lab/lab_context.h"

namespace carryover {

/// Selects the last segment that has hits, its first head and that head's best anchor, so that pictures show something
/// of each view.
void select_something(LabContext& context);

/// Selects by pairs of words: "segment" N, first, last or most-anchors (summed over heads); "layer" N; "head" N or
/// first (the first layer and head that read hits there); "token" N or top-hit (the best anchor of the selected head).
/// None: select_something(). Throws EngineError{Usage} where there is no such thing.
void select_by_words(LabContext& context, const QStringList& words);

}  // namespace carryover
