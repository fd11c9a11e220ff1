// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lab/listed_run.h"

#include <QDir>
#include <QFileInfo>

#include "engine/campaigns/prompts/prompt_report.h"
#include "engine/runs/records/run_reader.h"
#include "widgets/campaigns/state/evaluation_model.h"
#include "widgets/campaigns/state/experiment_model.h"
#include "widgets/lab/run_library.h"
#include "widgets/runs/state/model_label.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/runs/state/run_digests.h"
#include "widgets/text/state/questions.h"
#include "widgets/what_if/state/what_if_result.h"

namespace carryover {
namespace {

Standing standing_of(const TrainingModel& run) {
  if (run.active() || run.state() == TrainingState::Attached) return Standing::UnderWay;
  return run.state() == TrainingState::Finished ? Standing::Whole : Standing::Partial;
}

Standing standing_of(const ExperimentModel& experiment) {
  if (experiment.work() != ExperimentModel::Work::None) return Standing::UnderWay;
  if (!experiment.has_news()) return Standing::Partial;
  const ExperimentState& state = experiment.state();
  return state.count(CellStatus::Done) == state.cells.size() ? Standing::Whole : Standing::Partial;
}

Standing standing_of(const EvaluationModel& evaluation) {
  if (evaluation.work() != EvaluationModel::Work::None) return Standing::UnderWay;
  return evaluation.has_news() && evaluation.complete() ? Standing::Whole : Standing::Partial;
}

/// Returns the entry of a folder that a command fills.
ListedRun listed_folder(ListedKind kind, const QString& folder) {
  ListedRun listed;
  listed.kind = kind;
  listed.place = folder;
  listed.name = QFileInfo(folder).fileName();
  listed.details = folder;
  return listed;
}

}  // namespace

QString kind_name(ListedKind kind) {
  switch (kind) {
    case ListedKind::Run:
      return RunLibrary::tr("Run");
    case ListedKind::Training:
      return RunLibrary::tr("Training");
    case ListedKind::WhatIf:
      return RunLibrary::tr("What-if");
    case ListedKind::Experiment:
      return RunLibrary::tr("Experiment");
    case ListedKind::Evaluation:
      return RunLibrary::tr("Evaluation");
    case ListedKind::PromptSet:
      return RunLibrary::tr("Prompt set");
    case ListedKind::Question:
      return RunLibrary::tr("Question");
  }
  return {};
}

bool has_files(ListedKind kind) {
  return kind != ListedKind::WhatIf && kind != ListedKind::Question;
}

std::shared_ptr<const LossCurve> loss_curve(const RunOutline& outline) {
  auto curve = std::make_shared<LossCurve>();
  for (int i = 0; i < outline.count(); ++i) {
    const SegmentRecord& record = outline.segment(i).record;
    if (record.targets > 0)
      curve->emplace_back(static_cast<double>(record.first_token + record.length),
                          record.nll_sum / static_cast<double>(record.targets));
  }
  return curve;
}

ListedRun listed(const RunModel& run, const QString& place) {
  const RunSummary summary = run.finished() ? run.summary() : sum_up(run.outline());
  ListedRun listed;
  listed.place = place;
  listed.name = run_name(run);
  listed.text = run.text_name();
  listed.policy = QString::fromStdString(run.request().policy);
  listed.model = model_label(run.model());
  listed.details = run_provenance(run);
  listed.saved_in = QString::fromStdString(run.origin().folder);
  if (listed.saved_in == place) listed.saved_in.clear();
  listed.tokens = summary.tokens;
  listed.expected_tokens = run.token_count();
  listed.standing = !run.finished()                      ? Standing::UnderWay
                    : summary.tokens < run.token_count() ? Standing::Partial
                                                         : Standing::Whole;
  listed.resumable = listed.standing == Standing::Partial && summary.segments > 0;
  if (const auto mean = summary.nll_mean()) listed.loss = *mean;
  if (run.segment_count() == summary.segments) listed.losses = loss_curve(run.outline());  // else it is cut
  return listed;
}

ListedRun listed(const TrainingModel& run) {
  ListedRun listed;
  listed.kind = ListedKind::Training;
  listed.place = QDir(run.directory()).absolutePath();
  listed.name = run.name();
  listed.policy = QString::fromStdString(run.plan().policy);
  listed.model = run.model_name();
  listed.details = training_provenance(run);
  listed.standing = standing_of(run);
  listed.resumable = listed.standing == Standing::Partial && !run.checkpoint().isEmpty();
  if (run.step_count() == 0) return listed;
  listed.tokens = static_cast<std::int64_t>(run.column(TrainingColumn::Tokens).back());
  listed.expected_tokens = listed.tokens;
  listed.loss = run.column(TrainingColumn::Loss).back();
  return listed;
}

ListedRun listed(const WhatIfResult& result, int id) {
  ListedRun listed;
  listed.kind = ListedKind::WhatIf;
  listed.place = QStringLiteral("what-if:%1").arg(id);
  listed.name = result.name;
  listed.tags = result.tags;
  listed.policy = policy_in(result.provenance);
  listed.model = model_label_in(result.provenance);
  listed.details = result.provenance;
  listed.made_ms = result.made_ms;
  listed.tokens = listed.expected_tokens = std::ssize(result.after);
  listed.loss = result.change.mean;
  return listed;
}

ListedRun listed(const Question& question) {
  ListedRun listed;
  listed.kind = ListedKind::Question;
  listed.place = QStringLiteral("question:%1").arg(question.id);
  listed.name = question.label().simplified();
  listed.tags = question.tags;
  listed.text = question.answer.simplified();
  listed.policy = QString::fromStdString(question.policy);
  listed.model = model_label_in(question.provenance);
  listed.details = question.provenance;
  listed.made_ms = question.made_ms;
  if (!question.complete) listed.standing = Standing::Partial;
  return listed;
}

ListedRun listed(const ExperimentModel& experiment) {
  ListedRun listed = listed_folder(ListedKind::Experiment, experiment.folder());
  listed.standing = standing_of(experiment);
  listed.resumable = listed.standing == Standing::Partial && experiment.has_news();
  return listed;
}

ListedRun listed(const EvaluationModel& evaluation) {
  ListedRun listed = listed_folder(ListedKind::Evaluation, evaluation.folder());
  listed.standing = standing_of(evaluation);
  listed.resumable = listed.standing == Standing::Partial && evaluation.has_news();
  const EvaluationPlan& plan = evaluation.news().plan;
  if (evaluation.has_news()) listed.model = model_name({}, plan.model, plan.adapter).simplified();
  return listed;
}

ListedRun listed_prompts(const QString& folder, const PromptReport* report, bool is_running) {
  ListedRun listed = listed_folder(ListedKind::PromptSet, folder);
  listed.standing = is_running                              ? Standing::UnderWay
                    : report != nullptr && report->complete ? Standing::Whole
                                                            : Standing::Partial;
  if (report == nullptr) return listed;
  listed.model = model_name(report->model, report->model_path, report->adapter).simplified();
  listed.policy = QString::fromStdString(report->policy);
  return listed;
}

}  // namespace carryover
