// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/evaluation_plot.h"

#include <QComboBox>
#include <QDir>
#include <QStackedWidget>
#include <algorithm>
#include <cmath>

#include "engine/core/run/map.h"
#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/qstring.h"
#include "widgets/state/quantity_text.h"

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

QString exact(double value) {
  return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

}  // namespace

EvaluationPlot::EvaluationPlot(QWidget* parent)
    : QWidget(parent),
      shown_(new QComboBox(this)),
      pages_(new QStackedWidget(this)),
      curves_(new PlotView(QStringLiteral("evaluation"), this)),
      slices_(new PlotView(QStringLiteral("evaluation_slices"), this)) {
  shown_->setAccessibleName(tr("Figure"));
  shown_->addItems({tr("By length"), tr("By slice and length")});
  pages_->addWidget(curves_);
  pages_->addWidget(slices_);
  connect(shown_, &QComboBox::currentIndexChanged, pages_, &QStackedWidget::setCurrentIndex);
  curves_->set_title(tr("Evaluation by length"));
  curves_->set_empty_text(tr("No sample has been answered yet"));
  curves_->set_csv_source([this] { return drawn_ == nullptr ? QString() : csv_rows(*drawn_); });
  slices_->set_title(tr("Evaluation by slice"));
  slices_->set_axes(tr("Length (tokens)"), tr("Slice"));
  slices_->set_y_reversed(true);
  slices_->set_empty_text(tr("The task's samples have no slices"));
  auto* bar = control_bar();
  bar->addStretch(1);
  bar->addWidget(shown_);
  put_bar_above(this, bar, pages_);
}

void EvaluationPlot::clear() {
  points_.clear();
  curves_->clear_curves();
  slices_->clear_map();
  for (PlotView* plot : {curves_, slices_}) plot->request_replot();
}

void EvaluationPlot::draw(const EvaluationModel& model, int row, int column, EvaluationValue value) {
  drawn_ = &model;
  value_ = value;
  if (row < 0 || row >= model.rows() || column < 0 || column >= model.columns()) return clear();
  const std::vector<int> rows = rows_of_task(model, row);
  draw_curves(model, rows, value);
  draw_slices(model, rows, column);
  const QString title = model.folder() + shown_text(model.cell(row, 0).task) + EvaluationModel::title(value);
  for (PlotView* plot : {curves_, slices_}) {
    plot->set_provenance(provenance_of(model));
    if (title != title_) plot->fit();
    plot->request_replot();
  }
  title_ = title;
}

/// Curves stay once they are there, and are hidden where a plan has fewer policies.
void EvaluationPlot::add_curve_pairs(int policies) {
  for (; pairs_ < policies; ++pairs_) {
    curves_->add_curve({}, {series_colour(static_cast<std::size_t>(pairs_))});
    curves_->add_curve({}, {series_colour(static_cast<std::size_t>(pairs_)), true});
  }
}

void EvaluationPlot::draw_curves(const EvaluationModel& model, const std::vector<int>& rows, EvaluationValue value) {
  add_curve_pairs(model.columns());
  curves_->clear_curves();
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
  for (int column = 0; column < pairs_; ++column) {
    bool any = false, intervals = false;
    for (std::size_t place = 0; place < rows.size() && column < model.columns(); ++place) {
      const int row = rows[place];
      const ScoreCell& cell = model.cell(row, column);
      const double x = static_cast<double>(place), y = model.number(row, column, value);
      if (!std::isfinite(y)) continue;
      any = true;
      curves_->append(2 * column, x, y);
      points_.push_back({row, column, x, y});
      const ScoreInterval* score = cell.score();
      if (value != EvaluationValue::Score || score == nullptr || !score->interval) continue;
      intervals = true;
      for (const double end : {score->interval->low, score->interval->high, std::nan("")})
        curves_->append(2 * column + 1, x, end);  // a stroke, and a gap behind it
    }
    curves_->set_curve_visible(2 * column, any);
    curves_->set_curve_visible(2 * column + 1, intervals);
    if (column >= model.columns()) continue;
    const QString policy = qstring(model.news().plan.policies[static_cast<std::size_t>(column)]);
    curves_->set_curve_name(2 * column, policy);
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
    QString task = shown_text(task_title(cell.task)).replace(u'"', QStringLiteral("\"\""));
    text += QStringLiteral("\"%1\",%2,%3,%4,%5,%6,%7,%8\n")
                .arg(task)
                .arg(cell.length)
                .arg(qstring(cell.policy), exact(point.y), interval ? exact(score->interval->low) : QString(),
                     interval ? exact(score->interval->high) : QString())
                .arg(cell.entries.size() - cell.failures)
                .arg(cell.failures);
  }
  return text;
}

}  // namespace carryover
