// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "engine/config/head_ref.h"
#include "widgets/runs/state/run_model.h"

namespace carryover {

/// The memory that a token can have been copied from.
enum class CopySource { Retrieved, Carried };

/// A token that the run predicts with a loss of at most `most_loss`, and that its segment has not seen before it, but
/// in this memory: in what heads retrieved, and not in the carried tail; or in the carried tail. It may still be
/// predicted without: only a what-if tells. A plain value.
struct CopiedToken {
  static constexpr float most_loss = 0.1F;  ///< nats: 90 %

  int segment = -1;                   ///< that predicts it
  std::int64_t target = 0;            ///< its position
  std::int64_t source = 0;            ///< the copy that most heads read
  std::vector<HeadRef> heads;         ///< that read `source`; none of the carried tail
  std::vector<std::int64_t> sources;  ///< all copies in the memory, ascending
};

/// The one that most heads read, three or more being alike; of those the token that is rarest in the run; of those the
/// farthest from its source.
/// None where the run has no such token. A walk over the run.
std::optional<CopiedToken> find_copied_token(const RunModel& run, CopySource source);

}  // namespace carryover
