// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/controllers/evaluation_samples.h"

#include "engine/campaigns/evaluations/evaluated_samples.h"
#include "engine/tasks/task_table.h"

namespace carryover {
namespace {

/// A tokenizer that throws once nobody waits for its tokens: a task that makes its samples has no other way to end.
class StoppableTokenizer final : public Tokenizer {
 public:
  StoppableTokenizer(std::shared_ptr<const Tokenizer> inner, std::shared_ptr<std::atomic<bool>> stop)
      : inner_(std::move(inner)), stop_(std::move(stop)) {
    set_end_ids(inner_->end_ids());
  }
  std::int64_t vocabulary() const override { return inner_->vocabulary(); }
  std::optional<std::int32_t> bos() const override { return inner_->bos(); }
  std::optional<std::int32_t> eos() const override { return inner_->eos(); }
  std::vector<std::int32_t> encode(std::string_view text, bool parse_special) const override {
    if (*stop_) throw EngineError(Fault::Cancelled, "samples", "were cancelled", "Request the samples again.");
    return inner_->encode(text, parse_special);
  }
  std::string bytes(std::int32_t id) const override { return inner_->bytes(id); }
  std::string bytes_behind(std::optional<std::int32_t> previous, std::int32_t id) const override {
    return inner_->bytes_behind(previous, id);
  }
  std::string decode(std::span<const std::int32_t> ids) const override { return inner_->decode(ids); }

 private:
  std::shared_ptr<const Tokenizer> inner_;
  std::shared_ptr<std::atomic<bool>> stop_;
};

std::string reference_of(const Task& task, const TaskSample& sample) {
  if (task.info().kind == TaskKind::Choice)
    return sample.correct < sample.choices.size() ? sample.choices[sample.correct] : std::string();
  std::string text;
  for (const std::string& reference : sample.references) text += (text.empty() ? "" : " | ") + reference;
  return text;
}

}  // namespace

void EvaluationSamples::make(const RemadeSamples& order) {
  if (made_.plan == order.plan && made_.task == order.task && made_.length == order.length) return;
  made_ = {};
  samples_.clear();
  task_ = make_task(order.task);
  tokenizer_ = Tokenizer::load(order.plan->model);
  samples_ = evaluated_samples(*order.plan, *task_, order.length,
                               std::make_shared<const StoppableTokenizer>(tokenizer_, order.stop));
  made_ = order;
}

void EvaluationSamples::attempt_order(const RemadeSamples& order, const std::function<void()>& work) {
  if (*order.stop) return;
  const auto problem = attempt(work);
  if (problem && problem->fault != Fault::Cancelled && !*order.stop) Q_EMIT failed(*problem);
}

void EvaluationSamples::tell_references(const RemadeSamples& order) {
  attempt_order(order, [&] {
    make(order);
    std::vector<std::string> references;
    for (const TaskSample& sample : samples_) references.push_back(reference_of(*task_, sample));
    Q_EMIT references_made(order, references);
  });
}

void EvaluationSamples::make_run(const RemadeSamples& order, int index, const SampleEntry& entry, bool bos) {
  attempt_order(order, [&] {
    make(order);
    if (index < 0 || index >= std::ssize(samples_))
      throw EngineError(Fault::Usage, tr("sample %1").arg(index + 1).toStdString(),
                        tr("is no longer among the task's samples").toStdString(),
                        tr("Restore the task's data, or evaluate it again.").toStdString());
    const ChatText chat = order.plan->chat ? model_chat(order.plan->model).text : ChatText();
    const TaskSample& sample = samples_[static_cast<std::size_t>(index)];
    Q_EMIT run_made(order, sample_run(*task_, sample, entry, chat, *tokenizer_, bos));
  });
}

}  // namespace carryover
