// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/evaluation_frontier.h"

#include <cmath>
#include <string>

#include "engine/tasks/scores/metric_table.h"
#include "widgets/look/csv_text.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

QString frontier_row(const std::string& task, const std::string& policy, const FrontierPoint& point) {
  const auto& interval = point.score.interval;
  return QStringLiteral("%1,%2,%3,%4,%5,%6,%7,%8\n")
      .arg(csv_quoted(shown_text(task)), csv_quoted(shown_text(policy)), QString::number(point.length),
           QString::number(point.visible_bytes), exact_number(point.score.score),
           interval ? exact_number(interval->low) : QString(), interval ? exact_number(interval->high) : QString(),
           QString::number(point.samples));
}

}  // namespace

EvaluationFrontier::EvaluationFrontier(QWidget* parent)
    : plot_(new PlotView(QStringLiteral("evaluation_frontier"), parent)), curves_(*plot_) {
  plot_->set_title(tr("Evaluation by bytes"));
  plot_->set_empty_text(tr("No sample has been answered yet"));
  plot_->set_csv_source([this] { return csv_; });
}

void EvaluationFrontier::clear() {
  plot_->clear_curves();
  csv_.clear();
}

void EvaluationFrontier::draw(const EvaluationModel& model, int row, bool all_tasks) {
  const EvaluationPlan& plan = model.news().plan;
  const ScoreCell& chosen = model.cell(row, 0);
  const QString metric = shown_text(chosen.metric, 60);
  const std::string task = all_tasks ? tr("mean of tasks").toStdString() : task_title(chosen.task);
  const bool share = is_share(chosen.metric);
  plot_->set_y_range(share ? 0 : NAN, share ? 1 : NAN);
  curves_.begin(plan.policies);
  csv_ = QStringLiteral("task,policy,length,visible_kv_bytes,score,low,high,samples\n");
  for (const FrontierPoint& point : score_frontier(model.news(), static_cast<std::size_t>(row), all_tasks)) {
    curves_.add(static_cast<int>(point.column), megabytes(point.visible_bytes), point.score.score,
                point.score.interval);
    csv_ += frontier_row(task, plan.policies[point.column], point);
  }
  plot_->set_title(tr("%1 (bars: 95 %)").arg(shown_text(task, 80)));
  plot_->set_axes(EvaluationModel::axis_label(EvaluationValue::VisibleKv),
                  metric.isEmpty() ? EvaluationModel::title(EvaluationValue::Score) : metric);
}

}  // namespace carryover
