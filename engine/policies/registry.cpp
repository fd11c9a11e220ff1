// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/registry.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/policies/policy_rows.h"

namespace carryover {

std::unique_ptr<AttentionPolicy> make_policy(const std::string& name, const PolicyRequest& request) {
  static constexpr std::pair<const PolicyRow*, PolicyMaker*> makers[] = {{&segmented_row, make_segmented},
                                                                         {&full_row, make_full},
                                                                         {&sliding_row, make_sliding},
                                                                         {&streaming_row, make_streaming},
                                                                         {&duo_row, make_duo},
                                                                         {&minference_row, make_minference},
                                                                         {&snapkv_row, make_snapkv},
                                                                         {&infllm_row, make_infllm},
                                                                         {&cca_row, make_cca},
                                                                         {&nsa_row, make_nsa}};
  const std::string_view known = policy_row(name).name;
  const auto* const found =
      std::ranges::find_if(makers, [known](const auto& maker) { return known == maker.first->name; });
  CARRYOVER_CHECK(found != std::end(makers));
  return found->second(request);
}

}  // namespace carryover
