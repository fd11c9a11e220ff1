// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/train/audit.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "engine/core/audit_cost.h"
#include "engine/core/error.h"
#include "engine/eval/text_run.h"
#include "engine/io/safetensors_writer.h"
#include "engine/method/segment_loss.h"
#include "engine/train/explicit_objective.h"
#include "engine/train/tensor_file.h"

namespace carryover {

namespace {

using Gradients = std::vector<at::Tensor>;

/// What rounding may do in each dtype, relative to the gradient's norm.
struct Bounds {
  double explicit_gradient, checkpointing, forward;
};
Bounds bounds_of(at::ScalarType type) {
  if (type == at::kDouble) return {1e-9, 1e-12, 0};
  if (type == at::kFloat) return {1e-4, 1e-5, 0};
  return {5e-2, 5e-2, 0};
}

double norm_of(const Gradients& gradients) {
  double squares = 0;
  for (const at::Tensor& part : gradients) squares += part.to(at::kDouble).square().sum().item<double>();
  return std::sqrt(squares);
}

double distance(const Gradients& a, const Gradients& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    squares += (a[i].to(at::kDouble) - b[i].to(at::kDouble)).square().sum().item<double>();
  return std::sqrt(squares);
}

/// The audit of one text.
class Audit {
 public:
  Audit(Decoder& decoder, const AuditRequest& request, const AuditedTrainer& trainer, RunControl& control)
      : decoder_(decoder),
        request_(request),
        trainer_(trainer),
        control_(control),
        bounds_(bounds_of(decoder.options().dtype().toScalarType())),
        parameters_(decoder) {}

  AuditReport run() {
    advance(0, "the trainer's gradient");
    const SampleGradient sample = trainer_(parameters_, false);
    gradient_ = parameters_.take_gradients();
    report_.segments = static_cast<std::int64_t>(sample.segment_nll.size());
    report_.truncation_depth = request_.config.truncation_depth;
    report_.loss = sample.nll_sum;
    if (!request_.gradients_path.empty()) write_gradients();
    if (!request_.checks) return report_;
    scale_ = std::max(norm_of(gradient_), 1e-30);
    plan_work(std::ssize(sample.segment_nll));
    advance(3 * segments_, "the inference run");
    ExplicitObjective objective(decoder_, request_);
    advance(segments_, "inference against training");
    compare_forward(sample, objective);
    done_ += segments_;
    compare_explicit(objective);
    if (decoder_.options().dtype() == at::kDouble) compare_differences(objective);
    compare_checkpointing(sample);
    return report_;
  }

 private:
  /// Work is counted in segments that go through the model; a backward counts as two.
  void plan_work(std::int64_t segments) {
    segments_ = static_cast<double>(segments);
    for (std::int64_t i = 0; i < segments; ++i)
      once_ += static_cast<double>(std::min(i, request_.config.truncation_depth) + 1);
    const bool differences = decoder_.options().dtype() == at::kDouble;
    const double directions = static_cast<double>(std::ssize(gradient_) + audit_fixed_directions);
    work_ = 9 * segments_ + 3 * once_ + (differences ? 2 * directions * once_ : 0);
  }

  void advance(double work, const std::string& next) {
    done_ += work;
    control_.checkpoint();
    if (request_.progress) request_.progress(std::min(1.0, done_ / work_), next);
  }

  void check(const std::string& name, const std::string& measure, double difference, double bound) {
    report_.checks.push_back({name, measure, std::isfinite(difference) ? difference : INFINITY, bound});
    control_.checkpoint();
  }

  void compare_forward(const SampleGradient& sample, const ExplicitObjective& objective) {
    double most = std::abs(static_cast<double>(sample.segment_nll.size()) -
                           static_cast<double>(objective.inference_nll().size()));
    for (std::size_t i = 0; i < std::min(sample.segment_nll.size(), objective.inference_nll().size()); ++i)
      most = std::max(most, std::abs(sample.segment_nll[i] - objective.inference_nll()[i]));
    check("training forward = inference forward", "max |Δℓ_i|, nats", most, bounds_.forward);
    check("∂R/∂θ = 0", "retrieved tensors with a gradient path",
          static_cast<double>(objective.retrieved_with_gradient()), 0);
  }

  void compare_explicit(const ExplicitObjective& objective) {
    parameters_.make_gradients();
    for (std::int64_t i = 0; i < objective.terms(); ++i) {
      advance(0, "the loss written out, term " + std::to_string(i + 1));
      const at::Tensor term = objective.term(i);
      done_ += 3 * once_ / static_cast<double>(objective.terms());
      if (!term.defined() || !term.requires_grad()) continue;
      torch::autograd::backward({term}, {}, false, false, parameters_.leaves());
    }
    check("gradient = explicit L_K", "‖Δg‖ / ‖g‖", distance(gradient_, parameters_.take_gradients()) / scale_,
          bounds_.explicit_gradient);
  }

  /// Central differences of L_K along unit directions: each tensor's own gradient, and eight that are fixed.
  void compare_differences(const ExplicitObjective& objective) {
    double own = 0, fixed = 0;
    for (std::size_t i = 0; i < gradient_.size(); ++i) {
      const double norm = gradient_[i].norm().item<double>();
      if (norm == 0) continue;
      Gradients direction(gradient_.size());
      direction[i] = gradient_[i] / norm;
      own = std::max(own, difference_along(objective, direction));
    }
    auto generator = at::detail::createCPUGenerator(20260101);
    for (std::int64_t k = 0; k < audit_fixed_directions; ++k) {
      Gradients direction;
      for (const at::Tensor& part : gradient_) direction.push_back(at::empty_like(part).normal_(0, 1, generator));
      const double norm = norm_of(direction);
      for (at::Tensor& part : direction) part.div_(norm);
      fixed = std::max(fixed, difference_along(objective, direction));
    }
    check("gradient = finite differences, each tensor's direction", "max |Δ| / ‖g‖", own, 1e-6);
    check("gradient = finite differences, 8 fixed directions", "max |Δ| / ‖g‖", fixed, 1e-6);
  }

  double difference_along(const ExplicitObjective& objective, const Gradients& direction) {
    constexpr double h = 1e-5;
    const at::NoGradGuard no_gradients;
    advance(2 * once_, "finite differences");
    double expected = 0;
    for (std::size_t i = 0; i < direction.size(); ++i)
      if (direction[i].defined()) expected += (direction[i] * gradient_[i]).sum().item<double>();
    const auto move = [&](double step) {
      for (std::size_t i = 0; i < direction.size(); ++i)
        if (direction[i].defined()) parameters_.all()[i].leaf.add_(direction[i], step);
    };
    Gradients saved;
    for (const Parameter& parameter : parameters_.all()) saved.push_back(parameter.leaf.detach().clone());
    move(h);
    const double above = objective.value();
    move(-2 * h);
    const double below = objective.value();
    for (std::size_t i = 0; i < saved.size(); ++i) parameters_.all()[i].leaf.copy_(saved[i]);
    return std::abs((above - below) / (2 * h) - expected) / scale_;
  }

  void compare_checkpointing(const SampleGradient& plain) {
    advance(0, "checkpointing");
    const SampleGradient again = trainer_(parameters_, true);
    double most = std::abs(plain.nll_sum - again.nll_sum);
    for (std::size_t i = 0; i < plain.segment_nll.size() && i < again.segment_nll.size(); ++i)
      most = std::max(most, std::abs(plain.segment_nll[i] - again.segment_nll[i]));
    check("checkpointing: same losses", "max |Δℓ_i|, nats", most, 0);
    check("checkpointing: same pool", "|Δ| of its bytes",
          std::abs(static_cast<double>(plain.memory.pool - again.memory.pool)), 0);
    check("checkpointing: same gradient", "‖Δg‖ / ‖g‖", distance(gradient_, parameters_.take_gradients()) / scale_,
          bounds_.checkpointing);
  }

  void write_gradients() {
    std::vector<OutgoingTensor> tensors;
    for (const NamedRows& named : parameters_.names())
      tensors.push_back(outgoing(named.name, gradient_[named.parameter].narrow(0, named.first_row, named.rows)));
    write_safetensors(request_.gradients_path, tensors);
  }

  Decoder& decoder_;
  const AuditRequest& request_;
  const AuditedTrainer& trainer_;
  RunControl& control_;
  Bounds bounds_;
  TrainableParameters parameters_;
  Gradients gradient_;
  double scale_ = 1;
  double segments_ = 0, once_ = 0, work_ = 1, done_ = 0;  ///< once_: the segments that all terms of L_K read
  AuditReport report_;
};

/// An adapter for the audit's time, with B away from zero so that A has a gradient.
class AuditedAdapter {
 public:
  AuditedAdapter(Decoder& decoder, std::int64_t rank) : decoder_(decoder), before_(decoder.adapter) {
    if (rank == 0) return;
    LoraConfig lora;
    lora.rank = rank;
    lora.target_modules = lora_modules();
    decoder.adapter = make_adapter(lora, decoder.config, decoder.options(), 1);
    auto generator = at::detail::createCPUGenerator(2);
    for (LowRankUpdate* update : decoder.adapter.updates())
      update->b.copy_(at::empty(update->b.sizes(), at::kFloat).normal_(0, 0.05, generator));
  }
  ~AuditedAdapter() { decoder_.adapter = before_; }

 private:
  Decoder& decoder_;
  Adapter before_;
};

}  // namespace

AuditReport audit_trainer(Decoder& decoder, const AuditRequest& request, const AuditedTrainer& trainer,
                          RunControl& control) {
  RunRequest run;
  run.ids = request.ids;
  run.policy = request.policy;
  run.config = request.config;
  check_request(decoder, run);
  return Audit(decoder, request, trainer, control).run();
}

AuditReport audit_model(Decoder& decoder, const AuditRequest& request, RunControl& control) {
  const AuditedAdapter adapter(decoder, request.lora_rank);
  const AuditedTrainer trainer = [&](TrainableParameters& parameters, bool checkpointing) {
    GradientSetup setup{request.policy, request.config, checkpointing};
    setup.after_layer = [&control](int) { control.checkpoint(); };
    return add_sample_gradient(decoder, parameters, setup, *request.ids);
  };
  return audit_trainer(decoder, request, trainer, control);
}

}  // namespace carryover
