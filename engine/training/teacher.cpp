// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/teacher.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/error.h"
#include "engine/cost/cost_model.h"
#include "engine/cost/policy_table.h"
#include "engine/formats/content_hash.h"
#include "engine/runs/text_run.h"
#include "engine/runtime/compute_type.h"

namespace carryover {

namespace {

constexpr const char* kTeacherPolicy = "full";
constexpr std::int64_t kMostSamples = std::int64_t{1} << 24;  ///< far more than any disk has room for

/// Takes the trained adapter off the decoder, and puts it back at the end.
class WithoutAdapter {
 public:
  explicit WithoutAdapter(Decoder& decoder) : decoder_(decoder), adapter_(std::exchange(decoder.adapter, {})) {}
  ~WithoutAdapter() { decoder_.adapter = std::move(adapter_); }
  WithoutAdapter(const WithoutAdapter&) = delete;
  WithoutAdapter& operator=(const WithoutAdapter&) = delete;

 private:
  Decoder& decoder_;
  Adapter adapter_;
};

template <typename T>
void append_to(std::vector<T>& all, const at::Tensor& part) {
  const at::Tensor host = part.cpu().contiguous();
  all.insert(all.end(), host.const_data_ptr<T>(), host.const_data_ptr<T>() + host.numel());
}

/// Returns the hidden states of a whole sample, which is one segment.
at::Tensor run_whole(const Decoder& decoder, const SegmentConfig& config, std::span<const std::int32_t> ids,
                     const std::function<void(int layer)>& after_layer) {
  const std::int64_t tokens = std::ssize(ids);
  const SegmentConfig whole = sample_config(kTeacherPolicy, config, tokens);
  PreparedRun prepared(decoder, {kTeacherPolicy, whole, tokens, {}, after_layer});
  return prepared.runner().peek_segment(ids_tensor(decoder, ids));
}

}  // namespace

TeacherKey teacher_key(const TrainingPlan& plan, const ModelConfig& model, const Corpus& corpus, std::string weights) {
  TeacherKey key{std::move(weights), model.vocabulary, std::min(teacher_logits, model.vocabulary), {}};
  const nlohmann::json config = plan.config;  // whose RoPE the teacher runs under
  const bool bos = plan.config.bos && corpus.bos;
  const std::string text = corpus.hash + config.at("rope").dump() + (bos ? " " + std::to_string(*corpus.bos) : "");
  std::uint64_t order = content_hash(std::as_bytes(std::span(text)));
  SampleOrder samples(corpus.train, plan.tokens_per_sample(), plan.training.seed);
  const std::int64_t steps = plan.training.max_steps, each = plan.training.samples_per_step();
  if (steps > kMostSamples / each)
    throw EngineError(Fault::BadInput, "distillation", "would keep logits of more than 2^24 samples",
                      "Train fewer steps, or set distillation to 0.");
  for (std::int64_t n = 0; n < steps * each; ++n) {
    const SampleSpan span = samples.sample(n);
    for (const std::int64_t part : {static_cast<std::int64_t>(span.document), span.first, span.length})
      order = join_hashes(order, static_cast<std::uint64_t>(part));
    key.samples.push_back({span.length - 1, order});
  }
  return key;
}

TeacherRows teacher_rows(Decoder& decoder, const SegmentConfig& config, std::span<const std::int32_t> ids,
                         const std::function<void(int layer)>& after_layer) {
  const at::NoGradGuard no_gradients;
  const WithoutAdapter as_before_training(decoder);
  const at::Tensor hidden = run_whole(decoder, config, ids, after_layer);
  TeacherRows rows{std::ssize(ids) - 1, std::min(teacher_logits, decoder.config.vocabulary), {}, {}};
  const std::int64_t row_bytes = decoder.config.vocabulary * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t at_a_time = std::max<std::int64_t>(1, logit_block_bytes / row_bytes);
  for (std::int64_t first = 0; first < rows.targets; first += at_a_time) {
    const at::Tensor block = hidden.narrow(0, first, std::min(at_a_time, rows.targets - first));
    const auto [largest, places] = decoder.logits(block).to(at::kFloat).topk(rows.k, 1);
    append_to(rows.logits, largest);
    append_to(rows.ids, places.to(at::kInt));
  }
  if (!std::all_of(rows.logits.begin(), rows.logits.end(), [](float logit) { return std::isfinite(logit); }))
    throw EngineError(Fault::BadInput, "distillation", "can't learn from this model: its logits are not all finite",
                      "Use --dtype fp32, or set distillation to 0.");
  return rows;
}

ops::SoftTargets soft_targets(const Decoder& decoder, const TeacherRows& rows, double weight) {
  const at::ScalarType type = ops::compute_type(decoder.options().dtype().toScalarType());
  const std::array<std::int64_t, 2> shape{rows.targets, rows.k};
  const at::Tensor logits = at::tensor(rows.logits).view(shape).to(decoder.options().device(), type);
  const at::Tensor ids = at::tensor(rows.ids).view(shape).to(decoder.options().device(), at::kLong);
  return {ids, logits.softmax(1), weight};
}

}  // namespace carryover
