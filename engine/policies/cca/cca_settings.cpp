// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/cca/cca_settings.h"

#include "engine/base/translated_text.h"
#include "engine/config/segment_fields.h"

namespace carryover {
namespace {

constexpr SegmentField cca_rows[] = {
    {"core_group_length", "g", TEXT("Core group"), TEXT(" tokens"),
     TEXT("Policy cca: tokens per group; each group is pooled into one core token, which queries see beyond the "
          "attention window"),
     setting<&CcaSettings::core_group_length>(), 1},
};

}  // namespace

constinit const PolicyFields cca_fields{cca_rows};

}  // namespace carryover
