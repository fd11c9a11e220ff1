// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/validation.h"

#include "engine/runs/text_run.h"
#include "engine/runs/values/partition.h"
#include "engine/training/records/training_values.h"

namespace carryover {

namespace {

struct Silent final : RunObserver {
  void segment_done(std::shared_ptr<const SegmentSnapshot>) override {}
};

/// Returns windows of `length`: the first of every held-out document, then the second of every one, and so on.
std::vector<std::vector<std::int32_t>> windows_of(const Corpus& corpus, std::int64_t length, bool with_bos) {
  std::vector<std::vector<std::int32_t>> windows;
  for (std::int64_t round = 0;; ++round) {
    bool any = false;
    for (const Document& document : corpus.held_out) {
      if (std::ssize(document.ids) < (round + 1) * length) continue;
      if (std::ssize(windows) == validation_windows) return windows;
      windows.push_back(corpus.sample(part_of(document.ids, round * length, length), with_bos));
      any = true;
    }
    if (!any) return windows;
  }
}

}  // namespace

ValidationRecord validate_model(const Decoder& decoder, const TrainingPlan& plan, const Corpus& corpus,
                                std::int64_t step, RunControl& control) {
  ValidationRecord record{step, {}};
  std::vector<std::int64_t> lengths = plan.training.eval_lengths;
  if (lengths.empty()) lengths.push_back(plan.tokens_per_sample());
  for (std::int64_t length : lengths) {
    ValidationRecord::Length sum{length, 0, 0};
    for (std::vector<std::int32_t>& window : windows_of(corpus, length, plan.config.bos)) {
      RunRequest request;
      request.ids = std::make_shared<const std::vector<std::int32_t>>(std::move(window));
      request.policy = plan.policy;
      request.config = plan.config;
      request.capture = CaptureOptions::nothing();
      Silent observer;
      const RunSummary summary = run_text(decoder, request, observer, control);
      if (summary.cancelled) control.checkpoint();
      sum.targets += summary.targets;
      sum.nll_mean += summary.nll_sum;
    }
    if (sum.targets == 0) continue;
    sum.nll_mean /= static_cast<double>(sum.targets);
    record.lengths.push_back(sum);
  }
  return record;
}

}  // namespace carryover
