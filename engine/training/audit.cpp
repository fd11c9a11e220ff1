// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/audit.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/cost/audit_cost.h"
#include "engine/cost/policy_table.h"
#include "engine/cost/real.h"
#include "engine/families/weight_rows.h"
#include "engine/formats/safetensors_writer.h"
#include "engine/method/segment_loss.h"
#include "engine/runs/memory_forecast.h"
#include "engine/runs/text_run.h"
#include "engine/training/explicit_objective.h"
#include "engine/training/forward_audit.h"
#include "engine/training/tensor_file.h"
#include "engine/training/trained_gates.h"

namespace carryover {

namespace {

using Gradients = std::vector<at::Tensor>;

/// Limits on the way from ∇L_K, at 0, to ∇L_{K±1}, at 1: a gradient may be at most at `nearer_to_K`, and rounding may
/// move it by at most `rounding_moves`.
constexpr double nearer_to_K = 0.25, rounding_moves = 0.25;
/// Two correct gradients differ at most by what other roundings of their terms change; 1.5 leaves room for chance.
constexpr double of_rounding = 1.5;

/// Bounds on the differences that rounding causes in a dtype, relative to the gradient's norm.
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

double dot(const Gradients& a, const Gradients& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i].to(at::kDouble) * b[i].to(at::kDouble)).sum().item<double>();
  return sum;
}

double distance(const Gradients& a, const Gradients& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    squares += (a[i].to(at::kDouble) - b[i].to(at::kDouble)).square().sum().item<double>();
  return std::sqrt(squares);
}

/// Counts the retrieved tensors of a trainer's forward that a gradient could leave through: there must be none
/// (lem:nograd-retrieval).
struct RetrievedPaths {
  std::int64_t layers_seen = 0, with_gradient = 0;

  void see(const LayerSight& sight) {
    ++layers_seen;
    for (const HeadGroup& group : sight.groups)
      if (group.span(PrefixPart::Retrieved).length > 0 && group.span(PrefixPart::Carry).length == 0)
        with_gradient += group.prefix_keys.requires_grad() + group.prefix_values.requires_grad();
  }
};

/// Values of `a` that `b` does not hold in the same place; infinite where their shapes differ.
double values_that_differ(const Gradients& a, const Gradients& b) {
  if (a.size() != b.size()) return INFINITY;
  double different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].sizes() != b[i].sizes()) return INFINITY;
    different += a[i].ne(b[i]).sum().item<double>();
  }
  return different;
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
        parameters_(decoder) {
    plan_work();
  }

  AuditReport run() {
    if (request_.checks) {
      advance(0, "prefill, chunks and decoding");
      report_.checks = forward_checks(decoder_, request_, text_runner(request_, control_));
      done_ += forward_passes * segments_;
    }
    advance(0, "the trainer's gradient");
    RetrievedPaths paths;
    AuditedRun plain;
    if (request_.checks) plain.watch = [&paths](const LayerSight& sight) { paths.see(sight); };
    const SampleGradient sample = trainer_(parameters_, plain);
    gradient_ = parameters_.take_gradients();
    report_.segments = static_cast<std::int64_t>(sample.segment_nll.size());
    report_.truncation_depth = request_.config.truncation_depth;
    report_.loss = sample.nll_sum;
    if (!request_.gradients_path.empty()) write_gradients();
    if (!request_.checks) return report_;
    advance(3 * segments_, "the inference run");
    const ExplicitObjective objective(decoder_, request_);
    advance(segments_, "inference against training");
    compare_forward(sample, objective);
    compare_retrieval(paths);
    compare_explicit(objective);
    if (decoder_.options().dtype() == at::kDouble) compare_differences(objective);
    compare_checkpointing(sample);
    return report_;
  }

 private:
  static constexpr double forward_passes = 8;  ///< number of forward passes whose time forward_checks() takes: running
                                               ///< a token at a time is slow

  /// Returns the number of segments that the terms of L_depth read.
  double read_once(std::int64_t depth) const {
    double read = 0;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(segments_); ++i)
      read += static_cast<double>(std::min(i, depth) + 1);
    return read;
  }

  /// Work is counted in segments that go through the model; a backward counts as two.
  void plan_work() {
    const std::int64_t tokens = std::ssize(*request_.ids),
                       S = sample_config(request_.policy, request_.config, tokens).segment_length;
    segments_ = static_cast<double>((tokens + S - 1) / S);
    const std::int64_t depth = request_.config.truncation_depth;
    once_ = read_once(depth);
    const bool differences = decoder_.options().dtype() == at::kDouble;
    const double directions = static_cast<double>(std::ssize(parameters_.all()) + audit_fixed_directions);
    const double neighbours = read_once(depth + 1) + (depth > 0 ? read_once(depth - 1) : 0);
    work_ = (8 + forward_passes) * segments_ + 6 * (once_ + neighbours) + (differences ? 2 * directions * once_ : 0);
  }

  void advance(double work, const std::string& next) {
    done_ += work;
    control_.checkpoint();
    if (request_.progress) request_.progress(std::min(1.0, done_ / work_), next);
  }

  void check(const std::string& name, const std::string& measure, double difference, double bound, double margin = 0) {
    report_.checks.push_back({name, measure, std::isfinite(difference) ? difference : INFINITY, bound, margin});
    control_.checkpoint();
  }

  void compare_forward(const SampleGradient& sample, const ExplicitObjective& objective) {
    double most = std::abs(static_cast<double>(sample.segment_nll.size()) -
                           static_cast<double>(objective.inference_nll().size()));
    for (std::size_t i = 0; i < std::min(sample.segment_nll.size(), objective.inference_nll().size()); ++i)
      most = std::max(most, std::abs(sample.segment_nll[i] - objective.inference_nll()[i]));
    check("training forward = inference forward", "max |Δℓ_i|, nats", most, bounds_.forward);
  }

  void compare_retrieval(const RetrievedPaths& paths) {
    const bool seen = paths.layers_seen >= report_.segments * decoder_.config.layers;
    check("∂R/∂θ = 0", "retrieved tensors with a gradient path in the trainer's forward",
          seen ? static_cast<double>(paths.with_gradient) : INFINITY, 0);
  }

  /// Returns ∇L_depth by the explicit objective. `factor` scales each term, and is divided out again: if it is no power
  /// of two, every rounding of the backward pass changes, and the gradient does not.
  Gradients explicit_gradient(const ExplicitObjective& objective, std::int64_t depth, double factor,
                              const std::string& what) {
    parameters_.make_gradients();
    const double work = 3 * read_once(depth);
    for (std::int64_t i = 0; i < objective.terms(); ++i) {
      advance(0, what + ", term " + std::to_string(i + 1));
      const at::Tensor term = objective.term(i, depth);
      done_ += work / static_cast<double>(objective.terms());
      if (!term.defined() || !term.requires_grad()) continue;
      torch::autograd::backward({term}, {at::full_like(term, factor)}, false, false, parameters_.leaves());
    }
    Gradients gradients = parameters_.take_gradients();
    if (factor != 1)
      for (at::Tensor& part : gradients) part.div_(factor);
    return gradients;
  }

  /// Another depth's gradient, D = ∇L_depth − ∇L_K away. Along D most of what rounding does drops out: it has as many
  /// directions as there are parameters.
  struct Neighbour {
    std::int64_t depth = 0;
    double margin = 0;    ///< ‖D‖ / ‖∇L_K‖
    double trainer = 0;   ///< how far along D the trainer's gradient lies: 0 at ∇L_K, 1 at ∇L_depth
    double rounding = 0;  ///< how far from there ∇L_K and ∇L_depth come to lie when they are rounded otherwise
  };

  Neighbour neighbour(const ExplicitObjective& objective, std::int64_t depth, const Gradients& reference,
                      const Gradients& rounded) {
    const std::string what = "the loss for K = " + std::to_string(depth);
    Gradients D = explicit_gradient(objective, depth, 1, what);
    for (std::size_t i = 0; i < D.size(); ++i) D[i].sub_(reference[i]);
    const double square = dot(D, D), origin = dot(reference, D);
    const auto along = [&](const Gradients& gradient) { return (dot(gradient, D) - origin) / square; };
    const double at_K = along(rounded), at_depth = along(explicit_gradient(objective, depth, 3, what));
    return {depth, std::sqrt(square) / scale_, along(gradient_), std::max(std::abs(at_K), std::abs(at_depth - 1))};
  }

  void compare_explicit(const ExplicitObjective& objective) {
    const std::int64_t K = objective.depth();
    const Gradients reference = explicit_gradient(objective, K, 1, "the loss written out");
    scale_ = std::max(norm_of(reference), 1e-30);
    const Gradients rounded = explicit_gradient(objective, K, 3, "what rounding does");
    std::vector<Neighbour> neighbours;
    for (const std::int64_t depth : {K - 1, K + 1}) {
      if (!objective.differs_at(depth)) continue;
      const Neighbour other = neighbour(objective, depth, reference, rounded);
      // Between windows, a path has to meet in the right tokens: both depths may have one gradient all the same.
      if (other.margin > 0 || decoder_.config.window_layers.empty()) neighbours.push_back(other);
    }
    for (const Neighbour& each : neighbours) margin_ = margin_ > 0 ? std::min(margin_, each.margin) : each.margin;
    const bool short_numbers = decoder_.options().dtype().itemsize() < 4;
    const double rounding = short_numbers ? of_rounding * distance(reference, rounded) / scale_ : INFINITY;
    check("gradient = explicit L_K", "‖Δg‖ / ‖g‖", distance(gradient_, reference) / scale_,
          std::min(bounds_.explicit_gradient, rounding), margin_);
    for (const Neighbour& each : neighbours) check_neighbour(each);
  }

  void check_neighbour(const Neighbour& other) {
    const std::string K = "K = " + std::to_string(request_.config.truncation_depth);
    const std::string depth = "K = " + std::to_string(other.depth);
    check("gradient is of " + K + ", not " + depth, "how far it lies towards the other, of the margin",
          std::abs(other.trainer), nearer_to_K, other.margin);
    check(numbers() + " tells " + K + " from " + depth,
          "how far rounding moves either, of the margin; beyond the bound they cannot be told apart", other.rounding,
          rounding_moves, other.margin);
  }

  std::string numbers() const {
    const auto bytes = decoder_.options().dtype().itemsize();
    return bytes == 8 ? "fp64" : bytes == 4 ? "fp32" : "bf16";
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
    const SampleGradient again = trainer_(parameters_, {true, {}});
    double most = std::abs(plain.nll_sum - again.nll_sum);
    for (std::size_t i = 0; i < plain.segment_nll.size() && i < again.segment_nll.size(); ++i)
      most = std::max(most, std::abs(plain.segment_nll[i] - again.segment_nll[i]));
    check("checkpointing: same losses", "max |Δℓ_i|, nats", most, 0);
    check("checkpointing: same pool", "values that differ", values_that_differ(plain.pool, again.pool), 0);
    check("checkpointing: same gradient", "‖Δg‖ / ‖g‖", distance(gradient_, parameters_.take_gradients()) / scale_,
          margin_ > 0 ? std::min(bounds_.checkpointing, margin_ / 4) : bounds_.checkpointing, margin_);
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
  double scale_ = 1, margin_ = 0;  ///< ‖∇L_K‖, and the smaller distance to ∇L_{K±1} relative to it
  double segments_ = 0, once_ = 0, work_ = 1, done_ = 0;  ///< once_: the segments that all terms of L_K read
  AuditReport report_;
};

/// Adds an adapter for the duration of the audit, with B away from zero so that A has a gradient.
class AuditedAdapter {
 public:
  AuditedAdapter(Decoder& decoder, std::int64_t rank) : decoder_(decoder), before_(decoder.adapter) {
    if (rank == 0) return;
    LoraConfig lora;
    lora.rank = rank;
    lora.target_modules = lora_modules_of(decoder.config);
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

RunRequest audited_text(const AuditRequest& request) {
  RunRequest run;
  run.ids = request.ids;
  run.policy = request.policy;
  run.config = request.config;
  return run;
}

/// Checks the request before an adapter is made.
void check_audit(const Decoder& decoder, const AuditRequest& request) {
  check_request(decoder, audited_text(request));
  if (request.lora_rank < 0 || request.lora_rank > decoder.config.hidden)
    throw EngineError(Fault::BadInput, "lora_rank", "is " + std::to_string(request.lora_rank),
                      "Use 0 for all weights, or a rank up to the model's width.");
  const std::int64_t segments = (std::ssize(*request.ids) - 1) / request.config.segment_length + 1;
  const AuditCost cost = audit_cost(decoder.config, request.config, request.policy, segments, request.lora_rank,
                                    static_cast<int>(decoder.options().dtype().itemsize()));
  if (request.checks)
    require_memory("this audit", real(cost.memory_bytes) - real(decoder.weights.bytes()),
                   "Audit fewer or shorter segments, or a LoRA of a small rank.", decoder.options().device());
}

}  // namespace

AuditReport audit_trainer(Decoder& decoder, const AuditRequest& request, const AuditedTrainer& trainer,
                          RunControl& control) {
  check_request(decoder, audited_text(request));
  return Audit(decoder, request, trainer, control).run();
}

AuditReport audit_model(Decoder& decoder, const AuditRequest& request, RunControl& control) {
  check_audit(decoder, request);
  const AuditedAdapter adapter(decoder, request.lora_rank);
  const TrainedGates gates(decoder, request.policy);
  const AuditedTrainer trainer = [&](TrainableParameters& parameters, const AuditedRun& run) {
    GradientSetup setup{request.policy, request.config, run.checkpointing};
    setup.watch = run.watch;
    setup.keep_pool = true;
    setup.after_layer = [&control](int) { control.checkpoint(); };
    return add_sample_gradient(decoder, parameters, setup, *request.ids);
  };
  return audit_trainer(decoder, request, trainer, control);
}

}  // namespace carryover
