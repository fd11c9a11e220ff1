// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover::parity {

/// select_hits and the kernels of a decoder layer against their references; prints a line for each. Throws
/// std::runtime_error where CUDA fails.
bool layer_kernels_agree();

/// Times the kernels at the size of one layer of a 7B model: a segment of 4096 tokens behind prefixes of 512, and one
/// decoded token.
void time_layer_kernels();

}  // namespace carryover::parity
