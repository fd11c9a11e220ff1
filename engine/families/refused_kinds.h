// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace carryover {

/// Returns why models of an architecture are not run, as the end of a sentence: " (it is a mixture of experts)"; empty
/// if that is not known. `architecture`: `model_type` or a class of config.json, or `general.architecture` of a GGUF.
/// Pure; any thread.
std::string why_refused(std::string_view architecture);

}  // namespace carryover
