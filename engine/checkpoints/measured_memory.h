// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carryover {

/// The value of memory for some weights, measured on held-out books (docs/results.md): their loss minus their loss at M
/// = R = 0, in nats per target, as a mean over the books, and the number of books with the lower loss with memory.
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

/// Returns the measurement for the weights with this hash, or nothing if they were not measured. The data are
/// resources/measured_memory.json, which `./lab bench publish` makes and which is part of the program. Any thread.
std::optional<MeasuredMemory> measured_memory(std::string_view weights_hash);

/// Says in a sentence what was measured, on what, and against what.
std::string measured_text(const MeasuredMemory& measured);

}  // namespace carryover
