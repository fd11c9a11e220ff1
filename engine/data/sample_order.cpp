// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/split_mix.h"
#include "engine/data/corpus.h"

namespace carryover {

namespace {

/// Returns the random numbers of one stream of a seed.
SplitMix numbers_of(std::uint64_t seed, std::uint64_t stream) {
  return SplitMix(mixed(seed) ^ mixed(stream + 0x632be59bd9b4e019u));
}

/// Returns the number of samples that a document of `tokens` gives.
std::int64_t windows(std::int64_t tokens, std::int64_t length) {
  if (tokens >= length) return tokens / length;
  return tokens >= 2 ? 1 : 0;
}

}  // namespace

SampleOrder::SampleOrder(const std::vector<Document>& documents, std::int64_t length, std::uint64_t seed)
    : length_(length), seed_(seed) {
  CARRYOVER_CHECK(length >= 2);
  for (const Document& document : documents) {
    document_lengths_.push_back(std::ssize(document.ids));
    samples_per_epoch_ += windows(document_lengths_.back(), length);
  }
  if (samples_per_epoch_ == 0)
    throw EngineError(Fault::BadInput, "data", "holds no document of two tokens or more",
                      "Give longer texts, or hold out less (validation_fraction).");
}

SampleSpan SampleOrder::sample(std::int64_t n) {
  CARRYOVER_CHECK(n >= 0);
  prepare(n / samples_per_epoch_);
  return spans_[static_cast<std::size_t>(n % samples_per_epoch_)];
}

void SampleOrder::prepare(std::int64_t epoch) {
  if (epoch == epoch_) return;
  SplitMix numbers = numbers_of(seed_, static_cast<std::uint64_t>(epoch));
  spans_.clear();
  spans_.reserve(static_cast<std::size_t>(samples_per_epoch_));
  for (std::size_t document = 0; document < document_lengths_.size(); ++document) {
    const std::int64_t tokens = document_lengths_[document], count = windows(tokens, length_);
    const std::int64_t size = std::min(tokens, length_), spare = tokens - count * size;
    if (count == 0) continue;
    const auto start = static_cast<std::int64_t>(numbers.below(static_cast<std::uint64_t>(spare) + 1));
    for (std::int64_t i = 0; i < count; ++i) spans_.push_back({document, start + i * size, size});
  }
  for (std::size_t i = spans_.size(); i > 1; --i) std::swap(spans_[i - 1], spans_[numbers.below(i)]);
  epoch_ = epoch;
}

}  // namespace carryover
