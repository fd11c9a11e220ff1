// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/recall_samples.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/split_mix.h"
#include "engine/data/needles.h"

namespace carryover {

std::vector<std::int64_t> recall_lengths(std::int64_t most) {
  std::vector<std::int64_t> lengths{2};
  while (2 * lengths.back() <= most) lengths.push_back(2 * lengths.back());
  return lengths;
}

RecallSamples::RecallSamples(const std::vector<Document>& documents, const Tokenizer& tokenizer,
                             const TrainingConfig& training, const SegmentConfig& config)
    : documents_(documents),
      tokenizer_(tokenizer),
      segment_length_(config.segment_length),
      most_segments_(training.recall_segments),
      bos_(config.bos),
      seed_(training.seed) {
  std::int64_t longest = 0;
  for (const Document& document : documents) longest = std::max<std::int64_t>(longest, std::ssize(document.ids));
  if (longest < 2 * segment_length_)
    throw EngineError(Fault::BadInput, "data",
                      "has no text of two segments for needles: the longest has " + std::to_string(longest) + " tokens",
                      "Give longer texts, or set recall_samples to 0.");
  while (most_segments_ > 2 && longest < most_segments_ * segment_length_) most_segments_ /= 2;
}

NeedleDocument RecallSamples::sample(std::int64_t n) const {
  SplitMix draw(mixed(seed_ + kSplitMixStep) ^ mixed(static_cast<std::uint64_t>(n) + 0x5851f42d4c957f2du));
  NeedlePlan plan;
  plan.words = NeedleWords::Train;
  plan.segment_length = segment_length_;
  plan.bos = bos_;
  const std::vector<std::int64_t> lengths = recall_lengths(most_segments_);
  plan.segments = lengths[draw.below(lengths.size())];
  plan.of_each_kind = 1;
  plan.rivals = static_cast<std::int64_t>(4 * draw.below(3));
  std::vector<std::size_t> long_enough;
  for (std::size_t i = 0; i < documents_.size(); ++i)
    if (std::ssize(documents_[i].ids) >= plan.segments * segment_length_) long_enough.push_back(i);
  return make_document(plan, documents_[long_enough[draw.below(long_enough.size())]].ids, tokenizer_, draw);
}

}  // namespace carryover
