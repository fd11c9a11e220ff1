// SPDX-License-Identifier: GPL-3.0-or-later
// Trainers and policies to break, which audits have to tell from the trainer, and what a report says of them.
#pragma once
#include "engine/method/segment_loss.h"
#include "engine/policies/registry.h"
#include "engine/training/audit.h"
#include "tests/support/tiny_decoder.h"

namespace carryover::test {

inline std::string failures(const AuditReport& report) {
  std::string text;
  for (const AuditCheck& check : report.checks)
    if (!check.passed()) text += check.name + ": " + std::to_string(check.difference) + "; ";
  return text;
}

inline bool fails(const AuditReport& report, const std::string& name) {
  return std::any_of(report.checks.begin(), report.checks.end(), [&](const AuditCheck& check) {
    return check.name.find(name) != std::string::npos && !check.passed();
  });
}

/// A policy that hands everything on: those below change one thing each.
class SamePolicy : public AttentionPolicy {
 public:
  explicit SamePolicy(const AttentionPolicy& right) : right_(right) {}
  std::string name() const override { return right_.name(); }
  std::unique_ptr<PolicyState> init_state() const override { return right_.init_state(); }
  std::int64_t first_position(const SegmentFrame& frame) const override { return right_.first_position(frame); }
  std::vector<HeadGroup> context(const PolicyState& state, int layer, Rope& rope) const override {
    return right_.context(state, layer, rope);
  }
  LayerTrace trace(int layer, const LayerKv& kv) const override { return right_.trace(layer, kv); }
  void commit(PolicyState& state, std::vector<LayerTrace> traces, std::int64_t m) const override {
    right_.commit(state, std::move(traces), m);
  }

 private:
  const AttentionPolicy& right_;
};

/// Every segment reaches the pool twice, as where a recomputation appends again.
class AppendsTwice final : public SamePolicy {
 public:
  using SamePolicy::SamePolicy;
  void commit(PolicyState& state, std::vector<LayerTrace> traces, std::int64_t m) const override {
    const SegmentFrame before = state.next;
    SamePolicy::commit(state, traces, m);
    state.next = before;
    SamePolicy::commit(state, std::move(traces), m);
  }
};

/// A trainer that goes through F_θ like the real one, but sends gradients back over `chain` segments at a time: 1 more
/// than K detaches every K transitions, N is plain backpropagation through everything.
template <typename Policy = SamePolicy>
AuditedTrainer chunked_trainer(Decoder& decoder, const AuditRequest& request, std::int64_t chain) {
  return [&decoder, &request, chain](TrainableParameters& parameters, const AuditedRun& run) {
    parameters.make_gradients();
    const at::AutoGradMode with_gradients(true);
    const std::int64_t S = request.config.segment_length, T = std::ssize(*request.ids);
    const auto right = make_policy(request.policy, {request.config, decoder.config, decoder.options(), T, {}});
    const Policy policy(*right);
    Ropes ropes(decoder.config, decoder.config.rope, T, decoder.options());
    SegmentRunner runner({decoder, policy, ropes, {}, run.checkpointing, {}, run.watch}, request.config);
    const at::Tensor ids = as_tensor(*request.ids);
    SampleGradient sample;
    at::Tensor sum;
    const auto send_back = [&] {
      if (sum.defined()) sum.backward();
      sum = at::Tensor();
    };
    for (std::int64_t first = 0, i = 0; first < T; first += S, ++i) {
      if (i % chain == 0 && i > 0) {
        send_back();
        runner.replace_carry(runner.state().carry.detached());
      }
      const std::int64_t length = std::min(S, T - first), targets = std::min(length, T - first - 1);
      const at::Tensor hidden = runner.run_segment(ids.narrow(0, first, length));
      sample.segment_nll.push_back(0);
      if (targets == 0) continue;
      const auto loss = [&]() -> at::Tensor {
        return target_nll(decoder, hidden.narrow(0, 0, targets), ids.narrow(0, first + 1, targets)).sum(at::kDouble);
      };
      sum = sum.defined() ? sum + loss() : loss();
      const at::NoGradGuard no_gradients;  // autograd's formula rounds otherwise than the one that trains and runs
      sample.segment_nll.back() = loss().item().toDouble();
      sample.nll_sum += sample.segment_nll.back();
    }
    send_back();
    sample.pool = runner.state().pool_contents();
    return sample;
  };
}

/// The trainer that runs, with a configuration that may be another than the audit's.
inline AuditedTrainer real_trainer(Decoder& decoder, const AuditRequest& request, const SegmentConfig& config) {
  return [&decoder, &request, config](TrainableParameters& parameters, const AuditedRun& run) {
    GradientSetup setup{request.policy, config, run.checkpointing};
    setup.watch = run.watch;
    setup.keep_pool = true;
    return add_sample_gradient(decoder, parameters, setup, *request.ids);
  };
}

/// One trainer without checkpointing and another with it.
inline AuditedTrainer two_trainers(AuditedTrainer plain, AuditedTrainer checkpointed) {
  return [plain, checkpointed](TrainableParameters& parameters, const AuditedRun& run) {
    return (run.checkpointing ? checkpointed : plain)(parameters, run);
  };
}

}  // namespace carryover::test
