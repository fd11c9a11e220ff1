// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "engine/config/segment_config.h"
#include "engine/config/training_config.h"
#include "engine/data/corpus.h"
#include "engine/runs/values/needle.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// Returns the lengths of recall samples, which occur equally often: 2, 4, 8 … segments, none above `most`.
std::vector<std::int64_t> recall_lengths(std::int64_t most);

/// The recall samples of a training (TrainingConfig::recall_samples): training texts with needles, 2, 4, 8 … segments
/// long, never more than recall_segments or than the texts allow. Each one has a needle of every kind, and none, 4 or 8
/// rivals; all are asked for. Names, sentences and words are not those by which recall is measured
/// (NeedleWords::Train). sample(n) needs no history, so that a training can be resumed anywhere. Owner: one thread.
class RecallSamples {
 public:
  /// `documents` and `tokenizer` must outlive this. Throws EngineError{BadInput} if no text has two segments.
  RecallSamples(const std::vector<Document>& documents, const Tokenizer& tokenizer, const TrainingConfig& training,
                const SegmentConfig& config);

  /// Returns the n-th sample, n ≥ 0. Throws as make_document() does.
  NeedleDocument sample(std::int64_t n) const;

 private:
  const std::vector<Document>& documents_;
  const Tokenizer& tokenizer_;
  std::int64_t segment_length_, most_segments_;
  bool bos_;
  std::uint64_t seed_;
};

}  // namespace carryover
