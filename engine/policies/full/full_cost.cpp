// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/base/translated_text.h"
#include "engine/cost/cache_costs.h"
#include "engine/policies/policy_rows.h"

namespace carryover {

constinit const PolicyRow full_row{
    .name = "full",
    .help = TEXT("plain attention over the whole text, for comparison"),
    .runs_in_chunks = true,
    .trained = true,
    .state_grows = true,
    .fields = fields_of_all,
    .visible_globally = visible_past,
    .memory_globally = memory_of_past,
};

}  // namespace carryover
