// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "app/engine_thread/error_report.h"
#include "engine/campaigns/evaluations/evaluation_plan.h"
#include "engine/campaigns/evaluations/sample_run.h"

namespace carryover {

/// An order to make samples again: those of a plan's task at a length. A plain value.
struct RemadeSamples {
  std::shared_ptr<const EvaluationPlan> plan;
  std::string task;
  std::int64_t length = 0;
  std::shared_ptr<std::atomic<bool>> stop;  ///< true if nobody waits for the answer any more
};

/// Makes samples of an evaluation again, which tokenises long texts, and keeps the last ones that it made. Lives on a
/// thread of its own. Called by queued calls; answers by signals with plain values, and not after it was stopped.
class EvaluationSamples : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  void tell_references(const RemadeSamples& order);
  void make_run(const RemadeSamples& order, int index, const SampleEntry& entry, bool bos);

 Q_SIGNALS:
  /// Gives the expected answers, a text for each sample.
  void references_made(const carryover::RemadeSamples& order, const std::vector<std::string>& references);
  void run_made(const carryover::RemadeSamples& order, const carryover::SampleRun& run);
  void failed(const carryover::ErrorReport& report);

 private:
  void make(const RemadeSamples& order);
  void attempt_order(const RemadeSamples& order, const std::function<void()>& work);

  RemadeSamples made_;  ///< the order that samples_ answers
  std::unique_ptr<const Task> task_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<TaskSample> samples_;
};

}  // namespace carryover
