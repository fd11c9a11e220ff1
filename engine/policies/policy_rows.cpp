// SPDX-License-Identifier: GPL-3.0-or-later
// All policies: their rows, and the fields of their own settings.
#include "engine/policies/policy_rows.h"

#include "engine/config/segment_fields.h"
#include "engine/config/window_settings.h"
#include "engine/policies/cca/cca_settings.h"
#include "engine/policies/infllm/infllm_settings.h"
#include "engine/policies/minference/minference_settings.h"
#include "engine/policies/nsa/nsa_settings.h"
#include "engine/policies/snapkv/snapkv_settings.h"
#include "engine/policies/streaming/streaming_settings.h"

namespace carryover {

std::span<const PolicyRow> policies() {
  static const PolicyRow all[] = {segmented_row,  full_row,   sliding_row, streaming_row, duo_row,
                                  minference_row, snapkv_row, infllm_row,  cca_row,       nsa_row};
  return all;
}

std::span<const PolicyFields* const> policy_fields() {
  static constexpr const PolicyFields* all[] = {&window_fields, &streaming_fields, &minference_fields, &snapkv_fields,
                                                &infllm_fields, &cca_fields,       &nsa_fields};
  return all;
}

}  // namespace carryover
