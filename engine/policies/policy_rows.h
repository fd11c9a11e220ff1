// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "engine/cost/policy_table.h"

/// Each policy's row, which its file NAME_cost.cpp defines. policy_rows.cpp lists them.
namespace carryover {

extern const PolicyRow segmented_row, full_row, sliding_row, streaming_row, duo_row, minference_row, snapkv_row,
    infllm_row, cca_row, nsa_row;

}  // namespace carryover
