// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/evaluation_plot.h"

#include <QComboBox>
#include <QDir>
#include <QStackedWidget>
#include <algorithm>
#include <cmath>

#include "engine/runs/values/map.h"
#include "engine/tasks/scores/metric_table.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/csv_text.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

constexpr std::size_t most_slices = 400;  ///< rows of the map; a crafted journal may name one for each sample

/// Rows of the same task, by length.
std::vector<int> rows_of_task(const EvaluationModel& model, int row) {
  std::vector<int> rows;
  for (int other = 0; other < model.rows(); ++other)
    if (model.cell(other, 0).task == model.cell(row, 0).task) rows.push_back(other);
  std::ranges::stable_sort(rows, {}, [&](int each) { return model.cell(each, 0).length; });
  return rows;
}

QString length_name(std::int64_t length) {
  return length > 0 ? count_text(length) : EvaluationPlot::tr("as it is");
}

QString provenance_of(const EvaluationModel& model) {
  const EvaluationPlan& plan = model.news().plan;
  return EvaluationPlot::tr("Evaluation of %1, weights %2, begun %3, in %4")
      .arg(qstring(evaluated_name(plan.model)), shown_text(plan.weights_hash, 64), qstring(plan.time),
           QDir::toNativeSeparators(model.folder()));
}

}  // namespace

EvaluationPlot::EvaluationPlot(QWidget* parent)
    : QWidget(parent),
      shown_(new QComboBox(this)),
      pages_(new QStackedWidget(this)),
      curves_(new PlotView(QStringLiteral("evaluation"), this)),
      slices_(new PlotView(QStringLiteral("evaluation_slices"), this)),
      policies_(*curves_),
      frontier_(this) {
  shown_->setAccessibleName(tr("Figure"));
  shown_->addItems({tr("By length"), tr("By slice and length"), tr("By KV bytes"), tr("By KV bytes, mean of tasks")});
  for (PlotView* plot : {curves_, slices_, &frontier_.plot()}) pages_->addWidget(plot);
  connect(shown_, &QComboBox::currentIndexChanged, this, &EvaluationPlot::show_figure);
  curves_->set_title(tr("Evaluation by length"));
  curves_->set_empty_text(tr("No sample has been answered yet"));
  curves_->set_csv_source([this] { return drawn_ == nullptr ? QString() : csv_rows(*drawn_); });
  slices_->set_title(tr("Evaluation by slice"));
  slices_->set_axes(tr("Length (tokens)"), tr("Slice"));
  slices_->set_y_reversed(true);
  slices_->set_empty_text(tr("The task's samples have no slices"));
  auto* bar = control_bar();
  task_ = add_choice(tr("Task"));
  policy_ = add_choice(tr("Policy"));
  bar->addWidget(task_);
  bar->addWidget(policy_);
  bar->addStretch(1);
  bar->addWidget(shown_);
  put_bar_above(this, bar, pages_);
}

/// Shown where there is something to choose.
QComboBox* EvaluationPlot::add_choice(const QString& name) {
  auto* box = new QComboBox(this);
  box->setAccessibleName(name);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(12);
  box->setVisible(false);
  connect(box, &QComboBox::activated, this, &EvaluationPlot::choose_cell);
  return box;
}

/// Rows of a task follow one another, a row a length.
void EvaluationPlot::choose_cell() {
  if (drawn_ == nullptr || task_->currentIndex() < 0) return;
  const auto lengths = static_cast<int>(drawn_->news().plan.lengths.size());
  Q_EMIT cell_chosen(task_->currentIndex() * lengths, std::max(0, policy_->currentIndex()));
}

void EvaluationPlot::show_figure() {
  const int figure = shown_->currentIndex();
  pages_->setCurrentIndex(std::min<int>(figure, ByBytes));
  if (drawn_ != nullptr) draw(*drawn_, row_, column_, value_);
}

void EvaluationPlot::show_choices(const EvaluationModel& model, int row, int column) {
  const EvaluationPlan& plan = model.news().plan;
  const auto fill = [](QComboBox& box, const QStringList& items, int chosen) {
    QStringList old;
    for (int i = 0; i < box.count(); ++i) old += box.itemText(i);
    if (old != items) {
      box.clear();
      box.addItems(items);
    }
    box.setCurrentIndex(chosen);
  };
  QStringList tasks, policies;
  for (const std::string& task : plan.tasks) tasks += shown_text(task_title(task), 80);
  for (const std::string& policy : plan.policies) policies += qstring(policy);
  fill(*task_, tasks, row / static_cast<int>(plan.lengths.size()));
  fill(*policy_, policies, column);
  task_->setVisible(tasks.size() > 1 && shown_->currentIndex() != ByBytesOfAll);
  policy_->setVisible(policies.size() > 1 && shown_->currentIndex() == BySlice);
}

void EvaluationPlot::clear() {
  points_.clear();
  curves_->clear_curves();
  slices_->clear_map();
  frontier_.clear();
  for (PlotView* plot : {curves_, slices_, &frontier_.plot()}) plot->request_replot();
}

void EvaluationPlot::draw(const EvaluationModel& model, int row, int column, EvaluationValue value) {
  drawn_ = &model;
  value_ = value;
  row_ = row;
  column_ = column;
  if (row < 0 || row >= model.rows() || column < 0 || column >= model.columns()) return clear();
  const bool all_tasks = shown_->currentIndex() == ByBytesOfAll;
  const std::vector<int> rows = rows_of_task(model, row);
  show_choices(model, row, column);
  draw_curves(model, rows, value);
  draw_slices(model, rows, column);
  frontier_.draw(model, row, all_tasks);
  const QString title = model.folder() + shown_text(model.cell(row, 0).task) + EvaluationModel::title(value) +
                        (all_tasks ? QStringLiteral("*") : QString());
  for (PlotView* plot : {curves_, slices_, &frontier_.plot()}) {
    plot->set_provenance(provenance_of(model));
    if (title != title_) plot->fit();
    plot->request_replot();
  }
  title_ = title;
}

void EvaluationPlot::draw_curves(const EvaluationModel& model, const std::vector<int>& rows, EvaluationValue value) {
  points_.clear();
  const ScoreCell& first = model.cell(rows.front(), 0);
  const QString metric = shown_text(first.metric, 60);
  const QString title = shown_text(task_title(first.task), 80);
  curves_->set_title(value == EvaluationValue::Score ? tr("%1 (bars: 95 %)").arg(title) : title);
  const bool named = value == EvaluationValue::Score && !metric.isEmpty();
  curves_->set_axes(tr("Length (tokens)"), named ? metric : EvaluationModel::axis_label(value));
  std::vector<QString> lengths;  // in even steps: they mostly double
  for (const int row : rows) lengths.push_back(length_name(model.cell(row, 0).length));
  curves_->set_x_names(lengths);
  const bool share = value == EvaluationValue::Score ? is_share(first.metric) : value == EvaluationValue::Progress;
  curves_->set_y_range(share ? 0 : NAN, share ? 1 : NAN);
  policies_.begin(model.news().plan.policies);
  for (int column = 0; column < model.columns(); ++column)
    for (std::size_t place = 0; place < rows.size(); ++place) {
      const double x = static_cast<double>(place), y = model.number(rows[place], column, value);
      if (!std::isfinite(y)) continue;
      const ScoreInterval* score = value == EvaluationValue::Score ? model.cell(rows[place], column).score() : nullptr;
      policies_.add(column, x, y, score == nullptr ? std::nullopt : score->interval);
      points_.push_back({rows[place], column, x, y});
    }
}

void EvaluationPlot::draw_slices(const EvaluationModel& model, const std::vector<int>& rows, int column) {
  std::vector<QString> lengths, slices;
  for (const int row : rows) {
    lengths.push_back(length_name(model.cell(row, column).length));
    for (const SliceScore& slice : model.cell(row, column).slices)
      if (const QString name = shown_text(slice.slice, 60);
          slices.size() < most_slices && std::ranges::find(slices, name) == slices.end())
        slices.push_back(name);
  }
  if (slices.empty()) return slices_->clear_map();
  Map map{std::ssize(slices), std::ssize(lengths), std::vector<float>(slices.size() * lengths.size(), NAN)};
  for (std::size_t x = 0; x < rows.size(); ++x)
    for (const SliceScore& slice : model.cell(rows[x], column).slices) {
      const auto y = static_cast<std::size_t>(std::ranges::find(slices, shown_text(slice.slice, 60)) - slices.begin());
      if (y < slices.size() && slice.score) map.values[y * lengths.size() + x] = static_cast<float>(*slice.score);
    }
  const ScoreCell& cell = model.cell(rows.front(), column);
  slices_->set_title(tr("%1, %2").arg(shown_text(task_title(cell.task), 80), qstring(cell.policy)));
  slices_->set_x_names(lengths);
  slices_->set_y_names(slices);
  const bool share = is_share(cell.metric);
  slices_->set_value_range(share ? 0 : NAN, share ? 1 : NAN);
  slices_->set_map(map, -0.5, static_cast<double>(lengths.size()) - 0.5, -0.5, static_cast<double>(slices.size()) - 0.5,
                   shown_text(cell.metric, 60), PlotView::Gradient::Viridis);
}

/// Every cell that is drawn, with its interval.
QString EvaluationPlot::csv_rows(const EvaluationModel& model) const {
  QString text = QStringLiteral("task,length,policy,value,low,high,samples,failures\n");
  for (const Point& point : points_) {
    if (point.row >= model.rows() || point.column >= model.columns()) continue;  // of the folder that was open before
    const ScoreCell& cell = model.cell(point.row, point.column);
    const ScoreInterval* score = value_ == EvaluationValue::Score ? cell.score() : nullptr;
    const bool interval = score != nullptr && score->interval;
    text += QStringLiteral("%1,%2,%3,%4,%5,%6,%7,%8\n")
                .arg(csv_quoted(shown_text(task_title(cell.task))), QString::number(cell.length),
                     csv_quoted(shown_text(cell.policy)), exact_number(point.y),
                     interval ? exact_number(score->interval->low) : QString(),
                     interval ? exact_number(score->interval->high) : QString(),
                     QString::number(cell.entries.size() - cell.failures), QString::number(cell.failures));
  }
  return text;
}

}  // namespace carryover
