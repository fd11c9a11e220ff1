// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/experiment_plot.h"

#include <QComboBox>
#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QStandardItemModel>
#include <algorithm>
#include <cmath>

#include "widgets/controls/page_parts.h"
#include "widgets/tables/hits_model.h"

namespace carryover {
namespace {

constexpr double axis_margin = 0.06;  ///< around the points, in shares of what they span

CellColumn chosen(const QComboBox& box) {
  return static_cast<CellColumn>(box.currentData().toInt());
}

/// Of a name that is not there yet, its new place.
int place_of(std::vector<QString>& names, const QString& name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<int>(i);
  names.push_back(name);
  return static_cast<int>(names.size()) - 1;
}

QRectF around(const QRectF& points, bool names_on_x) {
  const double dx = names_on_x ? 0.5 : std::max(points.width() * axis_margin, 1e-9 + std::abs(points.left()) * 1e-3);
  const double dy = std::max(points.height() * axis_margin, 1e-9 + std::abs(points.top()) * 1e-3);
  return points.adjusted(-dx, -dy, dx, dy);
}

}  // namespace

struct ExperimentPlot::Point {
  int row;
  QString series, x_name;
  double x, y;
};

ExperimentPlot::ExperimentPlot(QWidget* parent)
    : QWidget(parent), plot_(new PlotView(QStringLiteral("experiment"), this)) {
  auto* bar = control_bar();
  y_ = add_choice(tr("Vertical axis"), true, CellColumn::Perplexity);
  x_ = add_choice(tr("Across"), false, CellColumn::Recipe);
  bar->addStretch(1);
  bar->addWidget(y_);
  bar->addWidget(new QLabel(tr("across"), this));
  bar->addWidget(x_);
  put_bar_above(this, bar, plot_);
  plot_->set_title(tr("Cells of the experiment"));
  plot_->set_empty_text(tr("No cell has both numbers yet"));
  plot_->set_csv_source([this] { return drawn_ == nullptr ? QString() : rows(*drawn_); });
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

std::vector<ExperimentPlot::Point> ExperimentPlot::points(const ExperimentModel& model, CellColumn x,
                                                          CellColumn y) const {
  std::vector<Point> points;
  std::vector<QString> names;
  for (int row = 0; row < model.count(); ++row) {
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

void ExperimentPlot::draw(const ExperimentModel& model) {
  const CellColumn x = chosen(*x_), y = chosen(*y_);
  const bool other = &model != drawn_ || x != drawn_x_ || y != drawn_y_;
  drawn_ = &model;
  drawn_x_ = x;
  drawn_y_ = y;
  const std::vector<Point> all = points(model, x, y);
  plot_->clear_curves();
  plot_->set_axes(ExperimentModel::axis_label(x), ExperimentModel::axis_label(y));
  std::vector<QString> series, names;
  QRectF extent;
  for (const Point& point : all) {
    const int curve = place_of(series, point.series);
    if (curve == curves_) {
      plot_->add_curve(point.series, {series_colour(static_cast<std::size_t>(curve)), false, false, false, true});
      ++curves_;
    }
    plot_->append(curve, point.x, point.y);
    if (!point.x_name.isEmpty()) place_of(names, point.x_name);  // in the order of their places, as they are sorted
    const QRectF here(point.x, point.y, 0, 0);
    extent = &point == &all.front()
                 ? here
                 : QRectF(QPointF(std::min(extent.left(), point.x), std::min(extent.top(), point.y)),
                          QPointF(std::max(extent.right(), point.x), std::max(extent.bottom(), point.y)));
  }
  for (int curve = 0; curve < curves_; ++curve) {
    const bool used = curve < static_cast<int>(series.size());
    if (used) plot_->set_curve_name(curve, series[static_cast<std::size_t>(curve)]);
    plot_->set_curve_visible(curve, used);
  }
  plot_->set_x_names(names);
  plot_->set_extent(all.empty() ? QRectF() : around(extent, !names.empty()));
  plot_->set_provenance(tr("Experiment %1: %2, in %3")
                            .arg(QString::fromStdString(model.state().name),
                                 QString::fromStdString(model.state().title),
                                 QDir::toNativeSeparators(model.folder())));
  if (other) plot_->fit();
  plot_->request_replot();
}

/// Every cell that is drawn, with what it is of.
QString ExperimentPlot::rows(const ExperimentModel& model) const {
  constexpr CellColumn labels[] = {CellColumn::Model, CellColumn::Recipe, CellColumn::Seed, CellColumn::Evaluation,
                                   CellColumn::Text};
  QStringList head{tr("Cell")};
  for (const CellColumn column : labels) head += ExperimentModel::title(column);
  head += {ExperimentModel::axis_label(drawn_x_), ExperimentModel::axis_label(drawn_y_)};
  QStandardItemModel table(0, static_cast<int>(head.size()));
  table.setHorizontalHeaderLabels(head);
  const auto exact = [](double value) { return QString::number(value, 'g', QLocale::FloatingPointShortest); };
  for (const Point& point : points(model, drawn_x_, drawn_y_)) {
    QList<QStandardItem*> cells{new QStandardItem(QString::fromStdString(model.cell(point.row).id))};
    for (const CellColumn column : labels) cells += new QStandardItem(model.text(point.row, column));
    cells += new QStandardItem(point.x_name.isEmpty() ? exact(point.x) : point.x_name);
    cells += new QStandardItem(exact(point.y));
    table.appendRow(cells);
  }
  return table_text(table, {}, u',');
}

}  // namespace carryover
