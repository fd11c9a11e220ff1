// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/recorded_run.h"

#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "engine/base/text_parts.h"
#include "engine/runs/records/forced_hits.h"

namespace carryover {

RunDescription describe_run(const RunSettings& settings, std::vector<std::int32_t> ids, const std::string& text,
                            const ModelConfig& model) {
  RunDescription description;
  description.text = text;
  description.token_limit = settings.tokens;
  description.seed = settings.seed;
  description.force_hits = settings.force_hits;
  description.prefix = settings.prefix;
  RunRequest& request = description.request;
  request.ids = std::make_shared<const std::vector<std::int32_t>>(std::move(ids));
  request.policy = settings.policy;
  request.config = settings.config;
  request.forced_hits = forced_hits_of(description, model);
  return description;
}

void RunRecorder::segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) {
  if (failure_) return;
  try {
    if (folder_ != nullptr) folder_->append(*snapshot);
  } catch (...) {
    failure_ = std::current_exception();
    control_.request_stop();
    return;
  }
  const SegmentRecord& record = snapshot->record;
  const std::string loss =
      record.targets > 0 ? ", nll " + fixed_text(record.nll_sum / static_cast<double>(record.targets), 3) : "";
  progress_.segment(record.index, record.first_token + record.length, total_, loss);
}

void RunRecorder::progress(std::int64_t done, std::int64_t total) {
  progress_.tokens(done, total);
}

void RunRecorder::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace carryover
