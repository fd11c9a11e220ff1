// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/forward_audit.h"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <optional>

#include "engine/cost/policy_table.h"
#include "engine/method/segment_loss.h"
#include "engine/policies/prepared_run.h"
#include "engine/runs/text_run.h"
#include "engine/runs/values/partition.h"
#include "engine/training/records/audit_report.h"

namespace carryover {

namespace {

/// Returns chunk lengths that become shorter towards the segment's end, down to one token, so that every kernel's
/// shapes run.
std::int64_t chunk_length(Feed feed, std::int64_t left) {
  if (feed == Feed::Whole) return left;
  return feed == Feed::Chunks ? (left + 2) / 3 : 1;
}

SegmentConfig config_of(const AuditRequest& request) {
  return sample_config(request.policy, request.config, std::ssize(*request.ids));
}

at::Tensor run_segment(const Decoder& decoder, SegmentRunner& runner, Feed feed, std::span<const std::int32_t> ids) {
  if (feed == Feed::Whole) return runner.run_segment(ids_tensor(decoder, ids));
  std::vector<at::Tensor> hidden;
  for (std::int64_t done = 0; done < std::ssize(ids);) {
    const std::int64_t count = chunk_length(feed, std::ssize(ids) - done);
    hidden.push_back(runner.extend(ids_tensor(decoder, part_of(ids, done, count))));
    done += count;
  }
  runner.close();
  return at::cat(hidden, 0);
}

Decoder in_fp32(const Decoder& decoder) {
  Decoder fp32 = decoder;
  const auto to_fp32 = [](at::Tensor& tensor) { tensor = tensor.detach().to(at::kFloat); };
  const bool tied = fp32.weights.head.is_same(fp32.weights.embedding);
  for (at::Tensor* tensor : fp32.weights.tensors()) to_fp32(*tensor);
  if (tied) fp32.weights.head = fp32.weights.embedding;
  for (LowRankUpdate* update : fp32.adapter.updates()) {
    to_fp32(update->a);
    to_fp32(update->b);
  }
  return fp32;
}

double rms_difference(const ForwardPass& a, const ForwardPass& b) {
  return (a.hidden.to(at::kDouble) - b.hidden.to(at::kDouble)).square().mean().sqrt().item<double>();
}

/// Returns the largest difference of a target's loss, in nats.
double loss_difference(const Decoder& decoder, const AuditRequest& request, const ForwardPass& a,
                       const ForwardPass& b) {
  const std::int64_t targets = std::ssize(*request.ids) - 1;
  const at::Tensor ids = ids_tensor(decoder, part_of(*request.ids, 1, targets));
  const auto losses = [&](const ForwardPass& pass) {
    return target_nll(decoder, pass.hidden.narrow(0, 0, targets), ids).to(at::kDouble);
  };
  return (losses(a) - losses(b)).abs().max().item<double>();
}

struct Way {
  Feed feed;
  const char* name;
};
constexpr Way other_ways[] = {{Feed::Chunks, "forward: chunks = whole segments"},
                              {Feed::Tokens, "forward: token by token = whole segments"}};

}  // namespace

TextRunner text_runner(const AuditRequest& request, RunControl& control) {
  return [&request, &control](const Decoder& decoder, Feed feed, const std::vector<HeadHits>& forced) {
    const std::span<const std::int32_t> ids = *request.ids;
    const SegmentConfig config = config_of(request);
    PreparedRun prepared(decoder,
                         {request.policy, config, std::ssize(ids), forced, [&](int) { control.checkpoint(); }});
    std::optional<at::AutoDispatchBelowADInplaceOrView> as_generation_runs;
    if (feed == Feed::Tokens) as_generation_runs.emplace();
    ForwardPass pass;
    std::vector<at::Tensor> hidden;
    for (std::int64_t first = 0; first < std::ssize(ids); first += config.segment_length) {
      const std::vector<HeadHits>& read = prepared.runner().state().hits;
      pass.hits.insert(pass.hits.end(), read.begin(), read.end());
      const std::int64_t length = std::min(config.segment_length, std::ssize(ids) - first);
      hidden.push_back(run_segment(decoder, prepared.runner(), feed, part_of(ids, first, length)));
    }
    pass.hidden = at::cat(hidden, 0);
    return pass;
  };
}

std::vector<AuditCheck> forward_checks(const Decoder& decoder, const AuditRequest& request, const TextRunner& run) {
  const at::NoGradGuard inference;
  if (request.ids->size() < 2) return {};
  const at::ScalarType type = decoder.options().dtype().toScalarType();
  std::vector<AuditCheck> checks;
  if (type == at::kDouble || type == at::kFloat) {
    const ForwardPass whole = run(decoder, Feed::Whole, {});
    const bool one_segment = std::ssize(*request.ids) <= config_of(request).segment_length;
    const double bound = type == at::kDouble ? 1e-9 : one_segment ? 1e-4 : 5e-3;
    const std::vector<HeadHits> forced = type == at::kDouble ? std::vector<HeadHits>{} : whole.hits;
    for (const Way& way : other_ways)
      checks.push_back({way.name, "max |Δ| of a target's loss, nats",
                        loss_difference(decoder, request, whole, run(decoder, way.feed, forced)), bound});
    return checks;
  }
  const ForwardPass truth = run(in_fp32(decoder), Feed::Whole, {});
  const double whole = rms_difference(run(decoder, Feed::Whole, truth.hits), truth);
  for (const Way& way : other_ways)
    checks.push_back({way.name, "RMS error against fp32 / that of whole segments",
                      rms_difference(run(decoder, way.feed, truth.hits), truth) / whole, 2});
  return checks;
}

}  // namespace carryover
