// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <optional>

#include "app/controllers/evaluation_follower.h"
#include "app/controllers/evaluation_samples.h"
#include "app/controllers/folder_controller.h"
#include "app/controllers/run_controller.h"
#include "app/engine_thread/worker_thread.h"
#include "engine/campaigns/evaluations/evaluation_command.h"
#include "widgets/campaigns/state/evaluation_model.h"

namespace carryover {

/// The GUI's side of evaluations; it opens a sample as a run of its prompt and answer. GUI thread; waits for nothing
/// but the followers and the process, in its destructor. Lives shorter than its RunController.
class EvaluationController : public FolderController {
  Q_OBJECT
 public:
  EvaluationController(LabContext& context, EngineConnection& engine, ModelLoader& loader, RunController& runs,
                       QObject* parent = nullptr);
  ~EvaluationController() override;

  EvaluationModel& model() { return model_; }

  /// Runs it, and opens its folder. Nothing while another one runs.
  void start(const EvaluationRequest& request);
  /// Runs what is left of the open one: at once where this window ran it, else by request_wanted().
  void go_on();
  void make_references(int row);  ///< of the model; EvaluationModel::references() has them later
  /// Runs a sample's prompt and answer as they were evaluated; another model than the open one is opened first. What
  /// runs is stopped.
  void open_sample(int row, int column, int sample);

 Q_SIGNALS:
  void request_wanted(const carryover::EvaluationRequest& request);  ///< to be looked at, and started if that is wanted
  void model_wanted(const carryover::ModelRequest& request);         ///< to be opened

 private:
  struct Pending {
    OpenedSample sample;
    RunRequest request;
    EvaluationPlan plan;
    bool has_run = false;      ///< `request` is complete
    bool asked_model = false;  ///< it was asked for already
  };
  void connect_work();
  void connect_samples();
  RemadeSamples next_order(int row);
  void forget_orders();
  void take_run(const RemadeSamples& order, const SampleRun& run);
  void run_pending();
  bool right_model() const;
  QString remark() const;
  void select_answer();

  LabContext& context_;
  EngineConnection& engine_;
  ModelLoader& loader_;
  RunController& runs_;
  EvaluationModel model_;
  std::optional<EvaluationRequest> request_;  ///< the last one that this window ran
  std::optional<Pending> pending_;
  std::shared_ptr<const EvaluationPlan> ordered_plan_;
  std::shared_ptr<std::atomic<bool>> stop_order_;
  WorkerThread<EvaluationFollower> follower_{QStringLiteral("evaluation")};
  WorkerThread<EvaluationSamples> samples_{QStringLiteral("evaluation samples")};
};

}  // namespace carryover
