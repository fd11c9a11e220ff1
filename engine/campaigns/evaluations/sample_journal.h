// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/campaigns/kernel/loss_bins.h"
#include "engine/formats/output_file.h"
#include "engine/tasks/base/task.h"

namespace carryover {

/// The outcome of one sample, which is a line of a journal and all that results are made from. A plain value.
struct SampleEntry {
  std::string id, slice;
  std::string prompt_hash;  ///< SHA-256 of the prompt's text, or of its ids, that was read
  std::string text;         ///< the same as in TaskAnswer, like the next two fields
  std::vector<double> loglikelihoods;
  std::vector<bool> greedy;
  Scores scores;                ///< empty where it failed
  LossBins positions, offsets;  ///< Perplexity: by place in the text, and of the predicting token in its segment
  std::int64_t tokens = 0, new_tokens = 0;
  std::int64_t visible_bytes = 0;   ///< attention-visible KV at the prompt's end, all layers
  std::int64_t resident_bytes = 0;  ///< keys and values that are in memory there
  double prefill_seconds = 0, decode_seconds = 0;
  std::string error;  ///< the error with which the sample failed; else empty
};

nlohmann::json entry_json(const SampleEntry& entry);
/// Throws EngineError{BadInput} naming `where`.
SampleEntry entry_of(const nlohmann::json& object, const std::string& where);

/// The finished samples of a task at a length, in their order. The file has a line for each, which is on the disk when
/// append() returns. Owner: one thread.
class SampleJournal {
 public:
  /// Reads the file if it exists, and cuts off a last line that a killed process left unfinished. Throws
  /// EngineError{BadInput} naming file and line, {Io}.
  explicit SampleJournal(const std::string& path);
  ~SampleJournal();
  SampleJournal(const SampleJournal&) = delete;
  SampleJournal& operator=(const SampleJournal&) = delete;

  const std::vector<SampleEntry>& entries() const { return entries_; }
  const std::string& path() const { return file_->path(); }
  void append(SampleEntry entry);

 private:
  std::vector<SampleEntry> entries_;
  std::unique_ptr<OutputFile> file_;
};

}  // namespace carryover
