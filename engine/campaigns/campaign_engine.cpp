// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/campaign_engine.h"

#include <exception>

#include "engine/api/engine_library.h"
#include "engine/base/text_parts.h"
#include "engine/runs/records/forced_hits.h"

namespace carryover {

namespace {

/// Writes each segment and shows progress. What goes wrong here ends the run through its control, and is thrown after
/// it.
class RunRecorder : public RunObserver {
 public:
  RunRecorder(RunFolder* folder, CampaignObserver& observer, RunControl& control, std::int64_t total)
      : folder_(folder), observer_(observer), control_(control), total_(total) {}

  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override {
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
    observer_.segment(record.index, record.first_token + record.length, total_, loss);
  }
  void progress(std::int64_t done, std::int64_t total) override { observer_.tokens(done, total); }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  RunFolder* folder_;
  CampaignObserver& observer_;
  RunControl& control_;
  std::int64_t total_;
  std::exception_ptr failure_;
};

}  // namespace

std::unique_ptr<Session> open_session(const ModelRequest& request, CampaignObserver& observer, RunControl& control) {
  return load_session(request, [&](double fraction, const std::string& what) {
    control.checkpoint();
    observer.loading(fraction, what);
  });
}

MachineLimits measured_limits(const ModelConfig& model, DType dtype, Device device, int threads) {
  constexpr std::int64_t kRows = 512;
  ModelInfo info;
  info.config = model;
  info.dtype = dtype;
  info.device = device == Device::Cuda ? Device::Cuda : Device::Cpu;
  info.threads = threads;
  return measure_limits(info, kRows);
}

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

RunSummary run_recorded(Session& session, const RunDescription& description, RunFolder* folder,
                        CampaignObserver& observer, RunControl& control) {
  RunRecorder recorder(folder, observer, control, std::ssize(*description.request.ids));
  RunSummary summary = session.run(description.request, recorder, control);
  observer.clear();
  recorder.rethrow();
  return summary;
}

}  // namespace carryover
