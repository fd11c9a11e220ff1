// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/formats/output_file.h"

namespace carryover {

/// A TensorBoard event file: TFRecords (length, masked CRC-32C) of Event messages with scalar summaries. The file is
/// whole after each call. Owner: one thread. Throws EngineError{Io}.
class EventFile {
 public:
  /// Creates events.out.tfevents.<seconds>.carryover in `directory`; `seconds`: since 1970. If a file of that name
  /// exists, the next free second is taken, because readers take files in the order of their names.
  EventFile(const std::string& directory, double seconds);
  void add_scalars(std::int64_t step, double seconds, const std::vector<std::pair<std::string, double>>& scalars);
  /// Tells readers to forget what earlier files say about this step and later ones.
  void forget_from(std::int64_t step, double seconds);

 private:
  void add_record(const std::string& event);
  OutputFile file_;
};

/// Returns the CRC-32 with Castagnoli's polynomial.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace carryover
