// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace carryover {

/// Returns the name of a tensor in a model of text alone; nothing for one that only images need. A model that reads
/// images, too, has a prefix before the names of its text half, and so have some that were saved as a model of text.
std::optional<std::string> name_in_text_half(std::string_view name);

}  // namespace carryover
