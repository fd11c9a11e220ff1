// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/formats/output_file.h"

namespace carryover {

/// A TensorBoard event file: TFRecords (length, masked CRC-32C) of Event messages with scalar summaries. Whole after
/// each call. Owner: one thread. Throws EngineError{Io}.
class EventFile {
 public:
  /// events.out.tfevents.<seconds>.carryover in `directory`; `seconds`: since 1970. Where a file of that name is there,
  /// the next free second's: readers take files in the order of their names.
  EventFile(const std::string& directory, double seconds);
  void add_scalars(std::int64_t step, double seconds, const std::vector<std::pair<std::string, double>>& scalars);
  /// Readers forget what earlier files say of this step and later ones.
  void forget_from(std::int64_t step, double seconds);

 private:
  void add_record(const std::string& event);
  OutputFile file_;
};

/// CRC-32 with Castagnoli's polynomial.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace carryover
