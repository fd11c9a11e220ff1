// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/prepared_run.h"

#include "engine/cost/policy_table.h"
#include "engine/policies/registry.h"

namespace carryover {

Ropes make_ropes(const Decoder& decoder, const std::string& policy, const SegmentConfig& config, std::int64_t tokens) {
  return {decoder.config, config.rope.value_or(decoder.config.rope), rope_length(policy, config, tokens),
          decoder.options()};
}

PreparedRun::PreparedRun(const Decoder& decoder, RunSetup setup)
    : policy_(make_policy(setup.policy, {setup.config, decoder.config, decoder.options(), setup.tokens,
                                         setup.forced_hits, setup.banned})),
      ropes_(make_ropes(decoder, setup.policy, setup.config, setup.tokens)),
      runner_({decoder, *policy_, ropes_, std::move(setup.after_layer), setup.checkpointing, setup.dropout,
               std::move(setup.watch), setup.time, std::move(setup.watch_attention)},
              setup.config) {}

}  // namespace carryover
