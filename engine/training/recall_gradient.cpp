// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/recall_gradient.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/config/head_reads.h"
#include "engine/method/segment_loss.h"
#include "engine/runs/text_run.h"
#include "engine/runs/values/partition.h"
#include "engine/training/truncated_backprop.h"

namespace carryover {

namespace {

class RecallRun {
 public:
  RecallRun(const Decoder& decoder, TrainableParameters& parameters, const GradientSetup& setup,
            const NeedleDocument& document, double weight)
      : decoder_(decoder),
        parameters_(parameters),
        setup_(setup),
        document_(document),
        weight_(weight),
        partition_(document_partition(std::ssize(document.ids), setup.config)),
        depth_(std::min<std::int64_t>(setup.config.truncation_depth, std::ssize(partition_))),
        prepared_(decoder, {setup.policy,
                            setup.config,
                            std::ssize(document.ids) + setup.config.segment_length,
                            {},
                            setup.after_layer,
                            setup.checkpointing,
                            setup.dropout,
                            setup.watch}),
        backprop_(depth_, depth_ + 1, parameters.leaves()) {}

  RecallGradient run() {
    const at::AutoGradMode with_gradients(true);
    parameters_.make_gradients();
    const std::int64_t live = setup_.meter ? setup_.meter->live_bytes() : 0;
    if (setup_.meter) setup_.meter->reset_peak();
    read_document();
    ask();
    if (setup_.meter) result_.memory.graph = std::max<std::int64_t>(0, setup_.meter->peak_bytes() - live);
    return std::move(result_);
  }

 private:
  SegmentRunner& runner() { return prepared_.runner(); }

  void read_document() {
    for (std::int64_t i = 0; i < std::ssize(partition_); ++i) {
      const bool differentiable = i + depth_ >= std::ssize(partition_);
      const at::AutoGradMode mode(differentiable);
      const std::int64_t length = partition_[static_cast<std::size_t>(i)];
      SegmentGraph graph;
      if (differentiable) runner().replace_carry(graph.entering = cut_off(runner().state().carry));
      runner().run_segment(ids_tensor(decoder_, part_of(document_.ids, result_.tokens, length)));
      result_.tokens += length;
      graph.leaving = runner().state().carry;
      measure(graph.leaving);
      if (differentiable) backprop_.add(std::move(graph));
    }
  }

  /// Reads the questions and their answers. All of them are one segment to backpropagation: their rows follow from the
  /// same leaves.
  void ask() {
    const std::unique_ptr<PolicyState> behind = runner().state().clone();
    SegmentGraph graph;
    graph.entering = cut_off(behind->carry);
    std::vector<at::Tensor> rows;
    std::vector<std::int32_t> targets;
    for (const Needle& needle : document_.needles) {
      if (!needle.asked) continue;
      runner().resume(behind->clone());
      runner().replace_carry(graph.entering);
      rows.push_back(read_answer(needle));
      targets.insert(targets.end(), needle.value.begin(), needle.value.end());
    }
    if (rows.empty()) return;
    graph.hidden = at::cat(rows);
    LossGradient gradient{{}, parameters_.head_gradient()};
    gradient.weight = weight_;
    const at::Tensor nll = target_nll(decoder_, graph.hidden.detach(), ids_tensor(decoder_, targets), &gradient);
    graph.hidden_gradient = gradient.hidden;
    result_.targets = std::ssize(targets);
    result_.nll_sum = nll.sum(at::kDouble).item<double>();
    measure(graph.entering);
    backprop_.add(std::move(graph));
  }

  /// Returns the outputs that predict the answer's tokens: [answer, D].
  at::Tensor read_answer(const Needle& needle) {
    std::vector<std::int32_t> ids = needle.question;
    ids.insert(ids.end(), needle.value.begin(), needle.value.end() - 1);
    if (std::ssize(ids) > setup_.config.segment_length)
      throw EngineError(Fault::BadInput, "segment_length",
                        "is " + std::to_string(setup_.config.segment_length) +
                            ", and a question of a recall sample has " + std::to_string(ids.size()) + " tokens",
                        "Raise it, or set recall_samples to 0.");
    if (setup_.config.question_pass && retrieves(setup_.config, decoder_.config)) {
      const at::NoGradGuard forward_only;
      runner().draft(ids_tensor(decoder_, needle.question));
    }
    result_.tokens += std::ssize(ids);
    const at::Tensor hidden = runner().peek_segment(ids_tensor(decoder_, ids));
    return hidden.narrow(0, std::ssize(needle.question) - 1, std::ssize(needle.value));
  }

  void measure(const CarriedState& carry) {
    MemoryBytes& most = result_.memory;
    most.attention_kv = std::max(most.attention_kv, runner().attention_kv_bytes());
    most.carry = std::max(most.carry, carry.bytes());
    most.pool = std::max(most.pool, runner().state().pool_bytes());
  }

  const Decoder& decoder_;
  TrainableParameters& parameters_;
  const GradientSetup& setup_;
  const NeedleDocument& document_;
  double weight_;
  std::vector<std::int64_t> partition_;
  std::int64_t depth_;
  RecallGradient result_;
  PreparedRun prepared_;
  TruncatedBackprop backprop_;
};

}  // namespace

RecallGradient add_recall_gradient(const Decoder& decoder, TrainableParameters& parameters, const GradientSetup& setup,
                                   const NeedleDocument& document, double weight) {
  return RecallRun(decoder, parameters, setup, document, weight).run();
}

}  // namespace carryover
