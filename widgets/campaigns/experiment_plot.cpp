// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/experiment_plot.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "widgets/controls/page_parts.h"
#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/csv_text.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/tables/table_copy.h"

namespace carryover {
namespace {

constexpr double axis_margin = 0.06;  ///< around the points, in shares of what they span

CellColumn chosen(const QComboBox& box) {
  return static_cast<CellColumn>(box.currentData().toInt());
}

/// Returns the place of a name, which is added if it is not there yet.
int place_of(std::vector<QString>& names, const QString& name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<int>(i);
  names.push_back(name);
  return static_cast<int>(names.size()) - 1;
}

/// Returns the visible range: the points with a margin. A logarithmic axis gets its margin from the plot.
QRectF around(const QRectF& points, bool names_on_x, bool log_y) {
  const double dx = names_on_x ? 0.5 : std::max(points.width() * axis_margin, 1e-9 + std::abs(points.left()) * 1e-3);
  const double dy = log_y ? 0 : std::max(points.height() * axis_margin, 1e-9 + std::abs(points.top()) * 1e-3);
  return points.adjusted(-dx, -dy, dx, dy);
}

}  // namespace

struct ExperimentPlot::Point {
  int row;
  QString series, x_name;
  double x, y;
};

ExperimentPlot::ExperimentPlot(QWidget* parent)
    : QWidget(parent),
      plot_(new PlotView(QStringLiteral("experiment"), this)),
      frontier_plot_(new PlotView(QStringLiteral("experiment_frontier"), this)),
      comparisons_plot_(new PlotView(QStringLiteral("experiment_comparisons"), this)),
      frontier_(*frontier_plot_),
      comparisons_(*comparisons_plot_),
      pages_(new QStackedWidget(this)),
      figure_(new QComboBox(this)) {
  plot_->set_title(tr("Cells of the experiment"));
  plot_->set_empty_text(tr("No cell has values for both axes: choose other axes, or run more cells"));
  plot_->set_csv_source([this] { return drawn_ == nullptr ? QString() : csv_rows(*drawn_); });
  for (PlotView* plot : plots()) pages_->addWidget(plot);
  build_bar();
  show_figure();
}

void ExperimentPlot::build_bar() {
  auto* bar = control_bar();
  figure_->setAccessibleName(tr("Figure"));
  figure_->addItems({tr("Cells"), tr("Perplexity against attention-visible KV"), tr("Comparisons")});
  connect(figure_, &QComboBox::currentIndexChanged, this, &ExperimentPlot::show_figure);
  y_ = add_choice(tr("Vertical axis"), true, CellColumn::Perplexity);
  x_ = add_choice(tr("Horizontal axis"), false, CellColumn::Recipe);
  against_ = new QLabel(tr("against"), this);
  log_ = new QCheckBox(tr("log10"), this);
  log_->setToolTip(tr("Logarithmic vertical axis; needs positive values"));
  log_->setAccessibleName(tr("Logarithmic vertical axis"));
  connect(log_, &QCheckBox::toggled, this, &ExperimentPlot::choice_changed);
  length_ = new QComboBox(this);
  length_->setAccessibleName(tr("Length (tokens)"));
  length_->setToolTip(tr("Length (tokens)"));
  connect(length_, &QComboBox::activated, this, [this] {
    wanted_length_ = length_->currentData().toLongLong();
    Q_EMIT choice_changed();
  });
  comparison_ = new QComboBox(this);
  comparison_->setAccessibleName(tr("Comparison"));
  comparison_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  comparison_->setMinimumContentsLength(16);
  connect(comparison_, &QComboBox::activated, this, &ExperimentPlot::choice_changed);
  bar->addWidget(figure_);
  bar->addStretch(1);
  for (QWidget* part : std::initializer_list<QWidget*>{log_, y_, against_, x_, length_, comparison_})
    bar->addWidget(part);
  put_bar_above(this, bar, pages_);
}

void ExperimentPlot::show_figure() {
  const int figure = figure_->currentIndex();
  pages_->setCurrentIndex(figure);
  for (QWidget* part : std::initializer_list<QWidget*>{log_, y_, against_, x_}) part->setVisible(figure == Cells);
  length_->setVisible(figure == Frontier && length_->count() > 1);
  comparison_->setVisible(figure == Comparisons && comparison_->count() > 2);  // all, and more than one
}

QComboBox* ExperimentPlot::add_choice(const QString& name, bool numbers_alone, CellColumn chosen) {
  auto* box = new QComboBox(this);
  box->setAccessibleName(name);
  box->setToolTip(name);
  for (int i = 0; i < cell_column_count; ++i) {
    const auto column = static_cast<CellColumn>(i);
    if (column == CellColumn::Status || (numbers_alone && !ExperimentModel::is_numeric(column))) continue;
    box->addItem(ExperimentModel::title(column), i);
  }
  box->setCurrentIndex(box->findData(static_cast<int>(chosen)));
  connect(box, &QComboBox::currentIndexChanged, this, &ExperimentPlot::choice_changed);
  return box;
}

std::vector<ExperimentPlot::Point> ExperimentPlot::points(const ExperimentModel& model,
                                                          const std::vector<int>& rows) const {
  const CellColumn x = drawn_x_, y = drawn_y_;
  std::vector<Point> points;
  std::vector<QString> names;
  for (const int row : rows) {
    if (row >= model.count()) continue;  // of a table that has not heard yet
    Point point{row, {}, {}, 0, model.number(row, y)};
    const bool training = model.cell(row).training;
    if (ExperimentModel::is_numeric(x)) {
      point.x = model.number(row, x);
    } else {
      point.x_name = model.text(row, x);
      if (point.x_name.isEmpty()) continue;
    }
    if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
    if (!point.x_name.isEmpty()) point.x = place_of(names, point.x_name);
    point.series = x == CellColumn::Recipe
                       ? model.text(row, CellColumn::Evaluation)
                       : model.text(row, CellColumn::Recipe) + (training ? tr(", training") : QString());
    points.push_back(std::move(point));
  }
  std::ranges::stable_sort(points, {}, &Point::x);  // as curves want them
  return points;
}

/// The wish stays while the values don't allow it.
bool ExperimentPlot::choose_scale(const std::vector<Point>& points) {
  const bool possible = !points.empty() && std::ranges::all_of(points, [](const Point& point) { return point.y > 0; });
  log_->setEnabled(possible || points.empty());
  const bool wanted = possible && log_->isChecked();
  if (wanted == drawn_log_) return false;
  drawn_log_ = wanted;
  plot_->set_log_y(wanted);
  return true;
}

void ExperimentPlot::add_points(const std::vector<Point>& points, const std::vector<QString>& series) {
  std::vector<QString> names;
  std::vector<bool> used(series.size());
  QRectF extent;
  for (; curves_ < static_cast<int>(series.size()); ++curves_)
    plot_->add_curve({}, {series_colour(static_cast<std::size_t>(curves_)), false, false, false, true});
  for (const Point& point : points) {
    const auto curve = static_cast<std::size_t>(std::ranges::find(series, point.series) - series.begin());
    used[curve] = true;
    plot_->append(static_cast<int>(curve), point.x, point.y);
    if (!point.x_name.isEmpty()) place_of(names, point.x_name);  // in the order of their places, as they are sorted
    const QRectF here(point.x, point.y, 0, 0);
    extent = &point == &points.front()
                 ? here
                 : QRectF(QPointF(std::min(extent.left(), point.x), std::min(extent.top(), point.y)),
                          QPointF(std::max(extent.right(), point.x), std::max(extent.bottom(), point.y)));
  }
  for (std::size_t curve = 0; curve < static_cast<std::size_t>(curves_); ++curve) {
    if (curve < series.size()) plot_->set_curve_name(static_cast<int>(curve), series[curve]);
    plot_->set_curve_visible(static_cast<int>(curve), curve < series.size() && used[curve]);
  }
  plot_->set_x_names(names);
  plot_->set_extent(points.empty() ? QRectF() : around(extent, !names.empty(), drawn_log_));
}

void ExperimentPlot::draw(const ExperimentModel& model, std::vector<int> rows) {
  draw_results(model, rows);
  draw_cells(model, std::move(rows));
  const QString provenance =
      tr("Experiment %1: %2, in %3")
          .arg(QString::fromStdString(model.state().name), QString::fromStdString(model.state().title),
               QDir::toNativeSeparators(model.folder()));
  for (PlotView* plot : plots()) {
    plot->set_provenance(provenance);
    plot->request_replot();
  }
}

std::int64_t ExperimentPlot::length_of(const ResultsView& results) const {
  const bool known = wanted_length_ && std::ranges::find(results.lengths, *wanted_length_) != results.lengths.end();
  return known ? *wanted_length_ : results.common_length(results.first_model());
}

/// Filled again only where there are other ones: somebody may have one open.
void ExperimentPlot::fill_choices(const ResultsView* results) {
  const auto fill = [](QComboBox& box, const std::vector<std::pair<QString, QVariant>>& items) {
    bool same = box.count() == static_cast<int>(items.size());
    for (int i = 0; same && i < box.count(); ++i) same = box.itemText(i) == items[static_cast<std::size_t>(i)].first;
    if (same) return;
    box.clear();
    for (const auto& [text, data] : items) box.addItem(text, data);
  };
  std::vector<std::pair<QString, QVariant>> lengths, comparisons;
  if (results != nullptr) {
    for (const std::int64_t length : results->lengths)
      lengths.emplace_back(tr("%1 tokens").arg(count_text(length)), QVariant::fromValue(length));
    comparisons.emplace_back(tr("All comparisons"), -1);
    for (const ResultsView::Comparison& each : results->comparisons)
      comparisons.emplace_back(shown_text(each.title, 200), static_cast<int>(comparisons.size()) - 1);
  }
  fill(*length_, lengths);
  fill(*comparison_, comparisons);
  if (results != nullptr) length_->setCurrentIndex(length_->findData(QVariant::fromValue(length_of(*results))));
}

/// Draws the results as the file has them, and the frontier of the recipes that the filter leaves. A change of the data
/// keeps the visible part; a choice by the user shows everything.
void ExperimentPlot::draw_results(const ExperimentModel& model, const std::vector<int>& rows) {
  Drawn now{model.news().drawable, model.folder(), model.news().too_much_to_draw, !rows.empty(), {}, 0, -1};
  if (now.folder != drawn_results_.folder) wanted_length_.reset();
  if (now.figures != drawn_results_.figures || now.folder != drawn_results_.folder)
    fill_choices(now.figures ? &now.figures->results : nullptr);
  show_figure();
  if (std::ssize(rows) < model.count())  // else also those that have runs but no cell
    for (const int row : rows)
      if (row < model.count() && std::ranges::find(now.recipes, model.cell(row).recipe) == now.recipes.end())
        now.recipes.push_back(model.cell(row).recipe);
  if (now.figures) now.length = length_of(now.figures->results);
  if (now.figures && comparison_->currentIndex() > 0) now.comparison = comparison_->currentData().toInt();
  if (now == drawn_results_) return;
  const QString too_much = tr("These results have too many runs or comparisons for a figure");
  frontier_plot_->set_empty_text(now.too_much ? too_much : tr("No evaluation is finished"));
  comparisons_plot_->set_empty_text(now.too_much ? too_much : tr("No comparison has results on both sides"));
  if (now.figures && now.any_cell)
    frontier_.draw(now.figures->results, now.length, now.recipes);
  else
    frontier_.clear();
  if (now.figures)
    comparisons_.draw(
        now.figures->results, now.figures->comparisons,
        now.comparison < 0 ? std::vector<std::size_t>() : std::vector{static_cast<std::size_t>(now.comparison)});
  else
    comparisons_.clear();
  const Drawn& before = drawn_results_;
  const bool other = now.folder != before.folder || !before.figures;
  if (other || now.length != before.length || now.recipes != before.recipes || now.any_cell != before.any_cell)
    frontier_plot_->fit();
  if (other || now.comparison != before.comparison) comparisons_plot_->fit();
  drawn_results_ = std::move(now);
}

void ExperimentPlot::draw_cells(const ExperimentModel& model, std::vector<int> rows) {
  const CellColumn x = chosen(*x_), y = chosen(*y_);
  bool other = &model != drawn_ || x != drawn_x_ || y != drawn_y_ || rows != rows_;
  drawn_ = &model;
  drawn_x_ = x;
  drawn_y_ = y;
  rows_ = std::move(rows);
  std::vector<int> all(static_cast<std::size_t>(model.count()));
  std::iota(all.begin(), all.end(), 0);
  std::vector<QString> series;  // of every cell, so that a filter leaves each its colour
  for (const Point& point : points(model, all)) place_of(series, point.series);
  const std::vector<Point> shown = points(model, rows_);
  plot_->clear_curves();
  plot_->set_axes(ExperimentModel::axis_label(x), ExperimentModel::axis_label(y));
  const auto is_share = [](CellColumn column) {
    return column == CellColumn::SinksLost || column == CellColumn::Progress;
  };
  plot_->set_x_range(is_share(x) ? 0 : NAN, is_share(x) ? 1 : NAN);
  plot_->set_y_range(is_share(y) ? 0 : NAN, is_share(y) ? 1 : NAN);
  if (choose_scale(shown)) other = true;
  add_points(shown, series);
  if (other) plot_->fit();
}

/// Every cell that is drawn, with what it is of.
QString ExperimentPlot::csv_rows(const ExperimentModel& model) const {
  constexpr CellColumn labels[] = {CellColumn::Model, CellColumn::Recipe, CellColumn::Seed, CellColumn::Evaluation,
                                   CellColumn::Text};
  QStringList head{tr("Cell")};
  for (const CellColumn column : labels) head += ExperimentModel::title(column);
  head += {ExperimentModel::axis_label(drawn_x_), ExperimentModel::axis_label(drawn_y_)};
  QStandardItemModel table(0, static_cast<int>(head.size()));
  table.setHorizontalHeaderLabels(head);
  for (const Point& point : points(model, rows_)) {
    QList<QStandardItem*> cells{new QStandardItem(QString::fromStdString(model.cell(point.row).id))};
    for (const CellColumn column : labels) cells += new QStandardItem(model.text(point.row, column));
    cells += new QStandardItem(point.x_name.isEmpty() ? exact_number(point.x) : point.x_name);
    cells += new QStandardItem(exact_number(point.y));
    table.appendRow(cells);
  }
  return table_text(table, {}, u',');
}

}  // namespace carryover
