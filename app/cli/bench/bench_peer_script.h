// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace carryover {

/// scripts/bench/peer_transformers.py, which the build puts into the program.
extern const std::string_view bench_peer_script;

}  // namespace carryover
