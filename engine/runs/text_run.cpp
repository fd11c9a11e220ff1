// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/text_run.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <chrono>

#include "engine/base/error.h"
#include "engine/cost/cost_model.h"
#include "engine/cost/policy_table.h"
#include "engine/method/segment_loss.h"
#include "engine/runs/memory_forecast.h"
#include "engine/runs/sink_watch.h"
#include "engine/runs/values/partition.h"
#include "engine/runtime/device_copy.h"
#include "engine/runtime/memory_meter.h"
#include "engine/runtime/time_meter.h"

namespace carryover {

namespace {

constexpr std::int64_t kMostNewTokens = std::int64_t{1} << 40;

/// Checks the positions before anything is computed: they must ascend inside the text, and all of their logits must
/// find room, in the answer and in the message that may carry it.
void check_positions(const Decoder& decoder, const std::vector<std::int64_t>& positions, std::int64_t tokens) {
  const auto refuse = [tokens](std::int64_t position, const char* problem) {
    throw EngineError(Fault::BadInput, "position " + std::to_string(position), problem,
                      "Positions ascend from 0 to " + std::to_string(tokens - 1) + ".");
  };
  if (positions.empty()) return;
  if (const auto falls = std::ranges::is_sorted_until(positions); falls != positions.end())
    refuse(*falls, "follows a later one");
  if (positions.front() < 0) refuse(positions.front(), "is before the text's first token");
  if (positions.back() >= tokens) refuse(positions.back(), "is past the text's last token");
  constexpr double kCopies = 3;  // the values, and a message that grows
  require_memory(
      "logits of " + std::to_string(positions.size()) + " positions",
      kCopies * sizeof(float) * static_cast<double>(positions.size()) * static_cast<double>(decoder.config.vocabulary),
      "Ask for fewer positions at a time.");
}

/// The time that a run works: what passes while it is paused is left out.
class WorkClock {
 public:
  explicit WorkClock(const RunControl& control) : control_(control), paused_before_(control.paused_seconds()) {}
  double paused() const { return control_.paused_seconds() - paused_before_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count() - paused(); }

 private:
  using Clock = std::chrono::steady_clock;
  const RunControl& control_;
  double paused_before_;
  Clock::time_point start_ = Clock::now();
};

/// One run's loop: what run_text() keeps between segments.
class TextRun {
 public:
  TextRun(const Decoder& decoder, const RunRequest& request, RunObserver& observer, RunControl& control,
          StateArchive* archive)
      : decoder_(decoder),
        request_(request),
        observer_(observer),
        control_(control),
        archive_(archive),
        ids_(*request.ids),
        meter_(decoder.options().device()),
        time_(decoder.options().device()),
        sinks_(decoder.config, request.config),
        prepared_(decoder, setup()) {
    if (archive_ && request.capture.states && decoder.options().device().is_cpu()) kept_before_ = archive_->bytes();
    summary_ = request.resume.before;
    first_sinks_ = request.resume.first_sinks;
  }

  RunSummary run() {
    const WorkClock clock(control_);
    try {
      catch_up();
      while (done_ < tokens()) run_segment();
    } catch (const EngineError& error) {
      if (error.fault() != Fault::Cancelled) throw;
      summary_.cancelled = true;
    }
    summary_.seconds += clock.seconds();
    summary_.peak_memory_bytes = held_peak_bytes();
    return summary_;
  }

  const PolicyState& state() { return runner().state(); }

 private:
  RunSetup setup() {
    RunSetup setup{request_.policy, request_.config, tokens(), request_.forced_hits};
    setup.after_layer = [this](int layer) { after_layer(layer); };
    setup.time = &time_;
    if (request_.capture.sinks) setup.watch_attention = [this](const AttentionSight& sight) { sinks_.see(sight); };
    return setup;
  }
  std::int64_t tokens() const { return static_cast<std::int64_t>(ids_.size()); }
  SegmentRunner& runner() { return prepared_.runner(); }

  void after_layer(int layer) {
    if (runner().state().next.index == request_.latch_segment && layer == decoder_.config.layers / 2) control_.pause();
    observer_.progress(done_ + length_ * (layer + 1) / decoder_.config.layers, tokens());
    control_.checkpoint();
  }

  void begin_segment() {
    length_ = std::min(request_.config.segment_length, tokens() - done_);
    if (archive_ && request_.capture.states) archive_->keep(runner().state());
    if (request_.capture.sinks) sinks_.start(runner().state(), length_);
  }

  /// Brings the run to the segment where it continues, from the latest kept state or else from the beginning. Reports
  /// nothing.
  void catch_up() {
    const std::int64_t until = request_.resume.segment;
    if (until == 0) return;
    if (const PolicyState* kept = archive_ ? archive_->nearest(request_, until) : nullptr)
      runner().resume(kept->clone());
    for (done_ = runner().state().next.first_token; runner().state().next.index < until; done_ += length_) {
      begin_segment();
      runner().run_segment(ids_tensor(decoder_, part_of(ids_, done_, length_)));
    }
  }

  void run_segment() {
    control_.checkpoint();
    const WorkClock clock(control_);
    time_.restart();
    // The state that this segment starts from counts as the run's memory until the next state replaces it.
    const std::int64_t kept = kept_before_ ? archive_->bytes() - *kept_before_ : 0;
    begin_segment();
    auto snapshot = std::make_shared<SegmentSnapshot>();
    if (request_.capture.hits) snapshot->hits = runner().state().hits;
    const CarriedState before = runner().state().carry;
    meter_.reset_peak();
    const std::int64_t live_before = meter_.live_bytes();
    const at::Tensor hidden = runner().run_segment(ids_tensor(decoder_, part_of(ids_, done_, length_)));
    SegmentRecord& record = snapshot->record;
    record.index = runner().state().next.index - 1;
    record.first_token = done_;
    record.length = length_;
    time_.spend(&SegmentTime::logits);
    lose(hidden, *snapshot);
    time_.spend(&SegmentTime::host);

    record.pool_entries = runner().state().pool_entries();
    record.near_ties = runner().state().near_ties;
    record.memory.activations = std::max<std::int64_t>(0, meter_.peak_bytes() - live_before);
    most_held_ = std::max(most_held_, meter_.peak_bytes() - kept);
    record.time = time_.take();
    record.time->host = std::max(0.0, record.time->host - clock.paused());  // a pause waits behind a layer's last part
    record.seconds = clock.seconds();
    measure(record.memory);
    snapshot->ids.assign(ids_.begin() + done_, ids_.begin() + done_ + length_);
    if (request_.capture.carry_maps) {
      CarryMaps maps = carry_maps(runner().state().carry, before);
      snapshot->carry_key_norm = std::move(maps.key_norm);
      snapshot->carry_value_norm = std::move(maps.value_norm);
      snapshot->carry_drift = std::move(maps.drift);
    }
    if (request_.capture.sinks) keep_sinks(*snapshot);
    add(record);
    done_ += length_;
    observer_.segment_done(std::move(snapshot));
  }

  void lose(const at::Tensor& hidden, SegmentSnapshot& snapshot) {
    if (!request_.loss) {
      // .cpu() waits for a GPU: a prefill is done when its logits are there.
      if (done_ + length_ == tokens()) decoder_.logits(hidden.narrow(0, length_ - 1, 1)).cpu();
      return;
    }
    const at::Tensor nll = segment_nll(decoder_, request_, done_, hidden);
    if (!nll.defined()) return;
    snapshot.record.targets = nll.numel();
    snapshot.record.nll_sum = nll.sum(at::kDouble).item<double>();
    if (!request_.capture.target_nll) return;
    const at::Tensor host = nll.to(at::kFloat).cpu().contiguous();
    snapshot.target_nll.assign(host.const_data_ptr<float>(), host.const_data_ptr<float>() + host.numel());
  }

  void measure(MemoryBytes& memory) {
    memory.weights = decoder_.weights.bytes();
    memory.attention_kv = runner().attention_kv_bytes();
    memory.carry = runner().state().carry.bytes();
    memory.pool = runner().state().pool_bytes();
    memory.device_peak = held_peak_bytes();
  }

  /// Excludes the states that are kept for looking at segments again: they are no part of the method.
  std::int64_t held_peak_bytes() const {
    const std::int64_t weights = decoder_.weights.bytes();
    return kept_before_ ? weights + most_held_ : meter_.held_peak_bytes(weights);
  }

  /// Keeps the segment's sink map, unless the model's numbers are NaN or infinite.
  void keep_sinks(SegmentSnapshot& snapshot) {
    Map sinks = sinks_.take();
    if (!are_possible(sinks)) return;
    SinkSummary summary = summarize_sinks(sinks, decoder_.config.window_layers);
    if (snapshot.record.index == 0) first_sinks_ = summary;
    summary.lost = first_sinks_ && lost_sink(summary, length_, *first_sinks_);
    snapshot.record.sinks = summary;
    snapshot.sinks = std::move(sinks);
  }

  void add(const SegmentRecord& record) {
    summary_.add(record);
    summary_.memory.raise_to(record.memory);
  }

  const Decoder& decoder_;
  const RunRequest& request_;
  RunObserver& observer_;
  RunControl& control_;
  StateArchive* archive_;
  std::optional<std::int64_t> kept_before_;  ///< bytes of states that the archive had before this run added some
  std::int64_t most_held_ = 0;
  const std::vector<std::int32_t>& ids_;
  std::int64_t done_ = 0, length_ = 0;
  RunSummary summary_;
  MemoryMeter meter_;
  TimeMeter time_;
  SinkWatch sinks_;
  std::optional<SinkSummary> first_sinks_;  ///< the first segment's, what the others are judged by
  PreparedRun prepared_;
};

}  // namespace

at::Tensor ids_tensor(const Decoder& decoder, std::span<const std::int32_t> ids) {
  return ops::upload(at::tensor(std::vector<std::int64_t>(ids.begin(), ids.end())), decoder.options().device());
}

at::Tensor segment_nll(const Decoder& decoder, const RunRequest& request, std::int64_t first,
                       const at::Tensor& hidden) {
  const auto targets = segment_targets(request.config, *request.ids, first, hidden.size(0));
  if (targets.empty()) return {};
  return target_nll(decoder, hidden.narrow(0, 0, std::ssize(targets)), ids_tensor(decoder, targets));
}

void check_request(const Decoder& decoder, const RunRequest& request, std::optional<std::int64_t> new_tokens,
                   std::int64_t kept_pool) {
  request.config.validate(decoder.config, "configuration");
  if (!request.ids || request.ids->empty())
    throw EngineError(Fault::BadInput, "text", "there is no token to run", "Give a text with at least one character.");
  for (std::size_t i = 0; i < request.ids->size(); ++i)
    if ((*request.ids)[i] < 0 || (*request.ids)[i] >= decoder.config.vocabulary)
      throw EngineError(Fault::BadInput, "text",
                        "token " + std::to_string(i) + " is " + std::to_string((*request.ids)[i]) +
                            ", outside the model's vocabulary: its embedding has " +
                            std::to_string(decoder.config.vocabulary) + " rows",
                        "Give ids of these rows: the tokenizer and the weights may belong to different models.");
  const std::int64_t segments = (std::ssize(*request.ids) - 1) / request.config.segment_length + 1;
  if (request.resume.segment < 0 || request.resume.segment > segments)
    throw EngineError(
        Fault::BadInput, "the run",
        "can't continue at segment " + std::to_string(request.resume.segment) + " of " + std::to_string(segments),
        "Run it from the beginning.");
  if (new_tokens.value_or(0) < 0 || new_tokens.value_or(0) > kMostNewTokens)
    throw EngineError(Fault::BadInput, "the answer",
                      "is to have " + std::to_string(new_tokens.value_or(0)) + " tokens, which is out of range",
                      "Ask for 0 tokens or more, and for fewer than 2^40.");
  const std::int64_t tokens = std::ssize(*request.ids) + new_tokens.value_or(0);
  check_policy(request.policy, request.config, tokens, "configuration");
  const CostModel cost{decoder.config, request.config, static_cast<int>(decoder.options().dtype().itemsize()),
                       decoder.weights.packed()};
  const c10::Device device = decoder.options().device();
  const RunUse use{.loss = request.loss, .decoding = new_tokens.has_value()};
  const MemoryBytes memory = policy_row(request.policy).memory(cost, tokens, use);
  const bool pool_elsewhere =
      !device.is_cpu() && memory.pool <= available_memory_bytes(at::kCPU);  // it moves if it has to
  // The weights are in memory already, and so is the pool of a kept document, which this run takes over.
  const std::int64_t there = memory.weights + (pool_elsewhere ? memory.pool : 0) + (device.is_cpu() ? kept_pool : 0);
  require_memory(
      "this run", static_cast<double>(memory.device_peak) - static_cast<double>(there),
      "It has " + std::to_string(tokens) +
          " tokens. Lower *Tokens to run* (--tokens), or choose a shorter segment or fewer long-range layers.",
      device);
}

RunSummary run_text(const Decoder& decoder, const RunRequest& request, RunObserver& observer, RunControl& control,
                    StateArchive* archive, DocumentState* document) {
  const at::NoGradGuard no_gradients;
  if (archive) archive->open(request);
  check_request(decoder, request, std::nullopt, document ? document->pool_bytes() : 0);
  if (document) document->clear();
  TextRun run(decoder, request, observer, control, archive);
  const RunSummary summary = run.run();
  if (document && request.capture.states && !summary.cancelled)
    document->keep(request, run.state(), document_ntk_length(decoder, request, std::ssize(*request.ids)));
  return summary;
}

std::vector<float> logits_at(const Decoder& decoder, const RunRequest& request,
                             const std::vector<std::int64_t>& positions, RunControl& control) {
  const at::NoGradGuard no_gradients;
  check_request(decoder, request);
  const auto tokens = static_cast<std::int64_t>(request.ids->size());
  check_positions(decoder, positions, tokens);
  PreparedRun prepared(decoder, {request.policy, request.config, tokens, request.forced_hits,
                                 [&control](int) { control.checkpoint(); }});
  std::vector<float> all;
  all.reserve(positions.size() * static_cast<std::size_t>(decoder.config.vocabulary));
  auto wanted = positions.begin();
  for (std::int64_t done = 0; done < tokens && wanted != positions.end();) {
    const std::int64_t length = std::min(request.config.segment_length, tokens - done);
    const at::Tensor hidden = prepared.runner().run_segment(ids_tensor(decoder, part_of(*request.ids, done, length)));
    for (; wanted != positions.end() && *wanted < done + length; ++wanted) {
      const at::Tensor row = decoder.logits(hidden.narrow(0, *wanted - done, 1)).to(at::kFloat).cpu().contiguous();
      all.insert(all.end(), row.const_data_ptr<float>(), row.const_data_ptr<float>() + row.numel());
    }
    done += length;
  }
  return all;
}

}  // namespace carryover
