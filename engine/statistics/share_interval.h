// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/statistics/bootstrap.h"

namespace carryover {

/// Returns Wilson's 95 % score interval of a share, 0 to 1, of `samples` independent samples. Unlike a bootstrap
/// interval, it has a width even if all samples agree: 10 of 10 give [0.722, 1]. A sample may count in parts (3 of 4
/// words found); its variance is at most that of right or wrong, so the interval is not too narrow. Correlated samples
/// count as one: a book, not its segments (docs/adr/0049-intervals-of-shares.md). There are no bounds for fewer than
/// kFewestForInterval samples or if `share` is not a share. Pure; any thread.
MeanInterval wilson_interval(double share, double samples);

}  // namespace carryover
