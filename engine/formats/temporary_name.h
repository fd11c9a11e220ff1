// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace carryover {

/// `start`, and digits that nobody can foresee: for something that is made anew under that name or not at all, so that
/// what lies there already, such as a link that somebody has laid, is neither opened nor removed. Any thread.
std::string temporary_name(const std::string& start);

/// Whether `name` is one that temporary_name() may have made of `start`, in this version or an older one.
bool is_temporary_name(std::string_view name, std::string_view start);

}  // namespace carryover
