// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>

#include "widgets/lab/lab_context.h"

namespace carryover {

/// A what-if as words spell it, of the selected segment.
struct WordedWhatIf {
  WhatIfPlan plan;
  QString name;
};

/// "no-carry"; "no-sinks"; "prefix" search, off, random, recent or oracle; "drop" and "add" top-hit, selected, or a
/// position, for the selected head; "drop-tokens" FIRST LAST, for every head that reads them; "ban" FIRST LAST; "patch"
/// carry, head (the selected one) or layer (all heads of the selected one), from the pinned run; "name" TEXT; else a
/// field of the configuration and its value. Several make one edit. Throws EngineError{Usage}.
WordedWhatIf what_if_of_words(LabContext& context, const QStringList& words);

}  // namespace carryover
