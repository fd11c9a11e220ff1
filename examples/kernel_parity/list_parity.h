// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover::parity {

/// list_attention against its reference; prints a line. Throws std::runtime_error where CUDA fails.
bool list_attention_agrees();

/// Times attention at the size of one layer of a 7B model: 4096 queries that see an eighth of their keys in blocks, the
/// same in a window, and one decoded token.
void time_list_attention();

}  // namespace carryover::parity
