// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/snapkv/snapkv_settings.h"

#include "engine/base/translated_text.h"
#include "engine/config/segment_fields.h"

namespace carryover {
namespace {

constexpr SegmentField snapkv_rows[] = {
    {"kv_budget", "", TEXT("KV budget"), TEXT(" tokens"),
     TEXT("Policy snapkv: tokens of a prompt whose keys and values a KV head keeps, including the last L_q tokens"),
     setting<&SnapKvSettings::kv_budget>(), 1},
};

}  // namespace

constinit const PolicyFields snapkv_fields{snapkv_rows};

}  // namespace carryover
