// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/what_if/sweep.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "engine/base/error.h"
#include "engine/inspection/prediction.h"
#include "engine/inspection/replay.h"
#include "engine/inspection/replay_check.h"
#include "engine/policies/ablated.h"
#include "engine/runs/memory_forecast.h"
#include "engine/runs/text_run.h"
#include "engine/what_if/patch_values.h"

namespace carryover {

namespace {

ForwardPoint point_of(SweepSite site) {
  switch (site) {
    case SweepSite::Attention:
      return ForwardPoint::Attention;
    case SweepSite::FeedForward:
      return ForwardPoint::FeedForward;
    case SweepSite::Residual:
      return ForwardPoint::Entering;
    default:
      return ForwardPoint::HeadOutputs;
  }
}

/// Rows and columns of a point's values, [m, width].
struct Block {
  TokenRange rows, columns;

  at::Tensor of(const at::Tensor& values) const {
    return values.narrow(0, rows.first, rows.last - rows.first).narrow(1, columns.first, columns.last - columns.first);
  }
};

/// A sweep over one segment. It runs once as it was, which keeps the residual stream that enters each layer; each cell
/// then runs from its layer and its first replaced token on.
class SweepRun {
 public:
  SweepRun(const Decoder& decoder, const SweepRequest& request, RunControl& control, StateArchive& archive,
           StateArchive& patch_archive)
      : request_(request),
        replay_(decoder, request.run, request.segment, archive, control),
        before_(replay_.state_before(request.segment)) {
    check();
    if (request.source == SweepSource::Zero) return;
    const PatchSource source = request.patch_source ? *request.patch_source : PatchSource{request.run};
    std::set<PointRef> places;
    for (int layer = 0; layer < static_cast<int>(model().layers); ++layer)
      places.insert({layer, point_of(request.site)});
    values_.emplace(decoder, source, request.segment, places, control,
                    same_run(source.run, request.run) ? archive : patch_archive);
  }

  SweepBase base() {
    check_hits(request_.record, before_->hits, request_.segment);
    const auto watch = [this](const LayerSight& sight) {
      entering_.push_back(sight.entering);
      for (const HeadGroup& group : sight.groups)
        for (const PrefixSpan& span : group.spans)
          for (const int head : group.heads)
            if (span.length > 0) reads_[{sight.layer, head}].insert(span.part);
    };
    hidden_ = replay_.look(replay_.policy(), before_->clone(), watch);
    check_losses(request_.record, replay_.losses(hidden_, request_.segment), request_.segment);
    SweepBase base{predict(replay_.decoder(), hidden_, request_.question, target()), measure(hidden_, 0), 0};
    base.segments_run = replay_.segments_run() + (values_ ? values_->segments_run() : 0);
    as_it_was_ = base.as_it_was;
    return base;
  }

  void run(const std::function<void(const SweepCell&)>& done) {
    for (const SweepPlace& place : sweep_places(request_, model())) {
      SweepCell cell = removes_reading(request_.site) ? without_part(place) : replaced(place);
      cell.place = place;
      done(cell);
    }
  }

 private:
  const ModelConfig& model() const { return replay_.decoder().config; }
  std::int32_t target() const { return replay_.target_of(request_.question.token); }

  void check() const {
    const std::string problem = sweep_problem(request_);
    if (!problem.empty())
      throw EngineError(Fault::BadInput, "sweep", problem, "Change what the sweep replaces, or its tokens.");
    if (replay_.policy().selects() || (removes_reading(request_.site) && replay_.policy().name() != "segmented"))
      throw EngineError(Fault::Usage, "sweep", "can't be made of a run under the policy " + replay_.policy().name(),
                        "Run the text under the policy segmented, full or streaming first.");
    check_foil(model(), request_.question.foil);
    const auto floats = static_cast<double>(model().layers * sweep_length(request_)) *
                        static_cast<double>(2 * model().hidden + 2 * model().kv_heads * model().head_dim);
    require_memory("a sweep", floats * static_cast<double>(bytes_per_value()), "Run shorter segments.");
  }
  std::int64_t bytes_per_value() const {
    return static_cast<std::int64_t>(replay_.decoder().options().dtype().itemsize());
  }

  /// Returns the rows of the residual stream that enter a layer, from a token on and as far as cells have to run.
  LayerInput input(int layer, std::int64_t first) const {
    return {layer, entering_[static_cast<std::size_t>(layer)].narrow(0, first, sweep_end(request_) - first)};
  }

  /// Returns what a cell gives. `hidden`: rows from token `first` of the segment on.
  SweepCell measure(const at::Tensor& hidden, std::int64_t first) const {
    PredictionQuestion question = request_.question;
    question.token -= first;
    question.top = 0;
    SweepCell cell;
    if (question.token >= 0) {
      const Prediction seen = predict(replay_.decoder(), hidden, question, target());
      cell.logit = seen.logit;
      cell.foil_logit = seen.foil_logit;
      cell.logprob = std::log(seen.probability);
    } else {  // only later tokens were replaced
      cell = as_it_was_;
    }
    if (request_.losses) {
      const at::Tensor all = first == 0 ? hidden : at::cat({hidden_.narrow(0, 0, first), hidden});
      cell.nll_sum = 0;
      for (const float nll : replay_.losses(all, request_.segment)) cell.nll_sum += static_cast<double>(nll);
    }
    return cell;
  }

  /// A head without a part of its prefix, which changes what its layer reads.
  SweepCell without_part(const SweepPlace& place) {
    const HeadRef head{place.layer, static_cast<int>(place.column)};
    if (!reads_[head].contains(part_removed(request_.site))) return as_it_was_;
    SegmentEdit edit;
    edit.unread.push_back({head, part_removed(request_.site)});
    const AblatedPolicy policy(replay_.policy(), edit, model().group_size());
    SegmentRunner runner = replay_.runner(policy);
    runner.resume(before_->clone());
    return measure(runner.peek(input(place.layer, 0)), 0);
  }

  /// Values of a point of a layer, replaced at their tokens. Tokens before them are run once for all cells.
  SweepCell replaced(const SweepPlace& place) {
    const TokenRange tokens = sweep_tokens(request_);
    const bool heads = has_head_columns(request_.site);
    const std::int64_t first = heads ? tokens.first : place.column;
    const std::int64_t end = heads ? tokens.last : place.column + 1;
    run_up_to(first);
    place_ = place;
    rows_ = {first, end};
    return measure(runner_->peek(input(place.layer, first)), first);
  }

  /// Brings the segment to a token from which cells run; the tokens ascend.
  void run_up_to(std::int64_t first) {
    if (!runner_) {
      ForwardHook hook{{point_of(request_.site)}, [this](ForwardPoint point, int layer, const at::Tensor& values) {
                         return layer == place_.layer ? replace(point, values) : values;
                       }};
      runner_.emplace(replay_.runner(replay_.policy(), {}, std::move(hook)));
      runner_->resume(before_->clone());
    }
    place_.layer = -1;
    if (const std::int64_t done = runner_->open_length(); done < first)
      runner_->extend(replay_.ids(request_.segment).narrow(0, done, first - done));
  }

  at::Tensor replace(ForwardPoint point, const at::Tensor& values) const {
    const std::int64_t d = model().head_dim;
    const bool head = request_.site == SweepSite::Heads;
    const TokenRange columns =
        head ? TokenRange{place_.column * d, (place_.column + 1) * d} : TokenRange{0, values.size(1)};
    at::Tensor changed = values.clone();
    at::Tensor block = Block{{0, rows_.last - rows_.first}, columns}.of(changed);
    if (request_.source == SweepSource::Zero) {
      block.zero_();
    } else {
      const at::Tensor& other = values_->at({place_.layer, point});
      const bool mean = request_.source == SweepSource::Mean;
      const at::Tensor taken = Block{mean ? TokenRange{0, other.size(0)} : rows_, columns}.of(other);
      block.copy_(mean ? taken.mean(0, true).expand_as(block) : taken);
    }
    return changed;
  }

  const SweepRequest& request_;
  Replay replay_;
  std::unique_ptr<PolicyState> before_;
  std::optional<PatchValues> values_;              ///< set where values are taken from a run
  std::vector<at::Tensor> entering_;               ///< [L] of [m, D]
  std::map<HeadRef, std::set<PrefixPart>> reads_;  ///< the parts that heads read
  at::Tensor hidden_;                              ///< [m, D] as it was
  SweepCell as_it_was_;
  std::optional<SegmentRunner> runner_;
  SweepPlace place_;   ///< cell whose values the hook replaces; layer −1: none
  TokenRange rows_{};  ///< tokens that it replaces
};

}  // namespace

void run_sweep(const Decoder& decoder, const SweepRequest& request, const SweepObserver& observer, RunControl& control,
               StateArchive& archive, StateArchive& patch_archive) {
  const at::NoGradGuard no_gradients;
  archive.open(request.run);
  SweepRun sweep(decoder, request, control, archive, patch_archive);
  observer.begun(sweep.base());
  sweep.run(observer.cell_done);
}

}  // namespace carryover
