// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "app/engine_thread/error_report.h"
#include "engine/evaluations/evaluation_plan.h"
#include "engine/evaluations/sample_run.h"

namespace carryover {

/// Samples that are to be made again: those of a task at a length of a plan. A plain value.
struct RemadeSamples {
  std::shared_ptr<const EvaluationPlan> plan;
  std::string task;
  std::int64_t length = 0;
  std::shared_ptr<std::atomic<bool>> stop;  ///< set: nobody waits for it any more
};

/// Makes samples of an evaluation again, which tokenises long texts: lives on a thread of its own. Keeps those that it
/// made last. Called by queued calls; answers by signals with plain values, and not where it was stopped.
class EvaluationSamples : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  void tell_references(const RemadeSamples& order);
  void make_run(const RemadeSamples& order, int index, const SampleEntry& entry, bool bos);

 Q_SIGNALS:
  /// What answers should be, a text for each sample.
  void references_made(const carryover::RemadeSamples& order, const std::vector<std::string>& references);
  void run_made(const carryover::RemadeSamples& order, const carryover::SampleRun& run);
  void failed(const carryover::ErrorReport& report);

 private:
  void make(const RemadeSamples& order);
  void attempt_order(const RemadeSamples& order, const std::function<void()>& work);

  RemadeSamples made_;  ///< what samples_ are of
  std::unique_ptr<const Task> task_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<TaskSample> samples_;
};

}  // namespace carryover
