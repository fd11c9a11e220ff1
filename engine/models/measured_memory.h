// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carryover {

/// What the memory of some weights was worth on held-out books (docs/results.md): the loss minus that of the same
/// weights at M = R = 0, nats a target, mean over the books, and how many books had the lower loss with memory.
struct MeasuredMemory {
  struct Difference {
    double nats = 0;
    std::int64_t lower_on = 0;
  };
  std::string weights_hash;
  std::int64_t books = 0, tokens = 0, segment_length = 0, carry_length = 0, sink_length = 0;
  Difference all_local;                        ///< R = 0, every head reads sinks and carry
  std::optional<Difference> default_grouping;  ///< with the long-range heads that the model opens with
};

/// Of the weights with this hash; nothing for weights that were not measured. resources/measured_memory.json, which
/// `./lab bench publish` makes, is part of the program. Any thread.
std::optional<MeasuredMemory> measured_memory(std::string_view weights_hash);

/// In a sentence: what was measured, on what, against what.
std::string measured_text(const MeasuredMemory& measured);

}  // namespace carryover
