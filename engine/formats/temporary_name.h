// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace carryover {

/// Returns `start` followed by digits that nobody can foresee. It is for something that is either created under that
/// name or not at all, so that an existing file, such as a link that somebody put there, is neither opened nor removed.
/// Any thread.
std::string temporary_name(const std::string& start);

/// Returns true if temporary_name() may have made `name` from `start`, in this version or an older one.
bool is_temporary_name(std::string_view name, std::string_view start);

}  // namespace carryover
