// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace carryover {

/// How alike two texts are, from 0 to 1: 2·M/T, where M is the number of characters in matching blocks and T that of
/// all characters. The blocks are those of Python's difflib.SequenceMatcher(None, a, b), which are not those of b and
/// a: the longest one, the first in `a` and then in `b` of several, and so on to its left and right; where `b` has 200
/// characters or more, blocks only grow over, and don't start from, those that make up more than a hundredth of it
/// (autojunk). Two empty texts: 1. Time: at worst cubic. Pure; any thread.
double sequence_ratio(std::u32string_view a, std::u32string_view b);

}  // namespace carryover
