// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/prepared_run.h"

#include "engine/cost/policy_table.h"
#include "engine/policies/registry.h"

namespace carryover {

PreparedRun::PreparedRun(const Decoder& decoder, RunSetup setup)
    : policy_(make_policy(setup.policy, {setup.config, decoder.config, decoder.options(), setup.tokens,
                                         setup.forced_hits, setup.banned})),
      rope_(decoder.config, setup.config.rope.value_or(decoder.config.rope),
            rope_length(setup.policy, setup.config, setup.tokens), decoder.options()),
      runner_({decoder, *policy_, rope_, std::move(setup.after_layer), setup.checkpointing, setup.dropout,
               std::move(setup.watch), setup.time, std::move(setup.watch_attention)},
              setup.config) {}

}  // namespace carryover
