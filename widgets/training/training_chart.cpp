// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/training_chart.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "widgets/look/csv_text.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("carryover", text);
}

}  // namespace

QString training_axis_label(TrainingColumn axis) {
  switch (axis) {
    case TrainingColumn::Tokens:
      return tr("Tokens trained on");
    case TrainingColumn::Minutes:
      return tr("Training time (min)");
    default:
      return tr("Optimizer step");
  }
}

TrainingChart::TrainingChart(PlotView* plot) : plot_(plot) {
  plot_->set_hover_text([this](double x, double /*y*/) { return hover_text(x); });
  plot_->set_csv_source([this] { return csv(); });
}

int TrainingChart::add_line(const QString& name, const CurveStyle& style, Values values, Values leader) {
  Line line{plot_->add_curve(name, style),
            std::move(values),
            std::move(leader),
            nullptr,
            name,
            0,
            Decimator(),
            0,
            {},
            0,
            0,
            {}};
  plot_->set_curve_visible(line.curve, false);
  lines_.push_back(std::move(line));
  return line_count() - 1;
}

void TrainingChart::clear(Line& line) {
  line.decimator.clear();
  line.smooth.clear();
  line.mean = line.mass = 0;
  line.drawn.clear();
  plot_->clear_curve(line.curve);
}

void TrainingChart::set_line(int index, const QString& name, const TrainingModel* model) {
  Line& line = lines_.at(static_cast<std::size_t>(index));
  if (line.name != name) {
    line.name = name;
    plot_->set_curve_name(line.curve, name);
  }
  if (line.model == model) return;
  clear(line);
  line.model = model;
}

void TrainingChart::set_model(const TrainingModel* model) {
  for (int i = 0; i < line_count(); ++i) set_line(i, lines_[static_cast<std::size_t>(i)].name, model);
}

void TrainingChart::set_smoothing(int index, double weight) {
  Line& line = lines_.at(static_cast<std::size_t>(index));
  if (line.weight == weight) return;
  clear(line);
  line.weight = weight;
}

void TrainingChart::set_axis(TrainingColumn axis) {
  axis_ = axis;
}

// Divided by the weights' sum, so that the first steps are no pull towards zero; a NaN leaves the mean where it is.
void TrainingChart::extend_smooth(Line& line, const std::vector<double>& values) {
  for (std::size_t i = line.smooth.size(); i < values.size(); ++i) {
    if (std::isfinite(values[i])) {
      line.mean = line.weight * line.mean + (1 - line.weight) * values[i];
      line.mass = line.weight * line.mass + (1 - line.weight);
    }
    line.smooth.push_back(line.mass > 0 ? line.mean / line.mass : values[i]);
  }
}

const std::vector<double>* TrainingChart::shown_values(const Line& line) {
  if (line.model == nullptr) return nullptr;
  return line.weight > 0 ? &line.smooth : line.values(*line.model);
}

void TrainingChart::draw(Line& line) {
  const std::vector<double>* values = line.model == nullptr ? nullptr : line.values(*line.model);
  const bool shown = values != nullptr && !values->empty();
  plot_->set_curve_visible(line.curve, shown);
  if (!shown || line.revision != line.model->revision()) clear(line);
  if (!shown) return;
  line.revision = line.model->revision();
  if (line.weight > 0) {
    extend_smooth(line, *values);
    values = &line.smooth;
  }
  const std::vector<double>& x = line.model->column(axis_);
  const std::vector<double>& leader = line.leader ? *line.leader(*line.model) : *values;
  line.decimator.extend(leader);
  std::size_t first = 0, last = 0;
  if (!plot_->following()) {
    const QRectF view = plot_->view();
    first = static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), view.left()) - x.begin());
    last = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), view.right()) - x.begin());
  }
  std::vector<double> state{static_cast<double>(values->size()), static_cast<double>(axis_), static_cast<double>(first),
                            static_cast<double>(last)};
  if (state == line.drawn) return;
  line.drawn = std::move(state);
  plot_->clear_curve(line.curve);
  for (const std::size_t i : line.decimator.picks(leader, first, last)) plot_->append(line.curve, x[i], (*values)[i]);
}

void TrainingChart::refresh() {
  for (Line& line : lines_) draw(line);
  plot_->set_axes(training_axis_label(axis_), plot_->y_label());
  plot_->request_replot();
}

QString TrainingChart::hover_text(double x) const {
  QStringList lines;
  const TrainingModel* last = nullptr;
  for (const Line& line : lines_) {
    const std::vector<double>* values = shown_values(line);
    if (values == nullptr || values->empty()) continue;
    const std::size_t at = std::min(line.model->nearest(axis_, x), values->size() - 1);
    if (line.model != last) {
      lines +=
          filled(tr("step %L1 · %L2 tokens · %3 min"), decimal_text(line.model->column(TrainingColumn::Step)[at], 0),
                 decimal_text(line.model->column(TrainingColumn::Tokens)[at], 0),
                 decimal_text(line.model->column(TrainingColumn::Minutes)[at], 1));
      last = line.model;
    }
    lines += QStringLiteral("%1: %2").arg(line.name, significant_text((*values)[at], 5));
  }
  return lines.join(QLatin1Char('\n'));
}

QString TrainingChart::csv() const {
  QString text = QStringLiteral("curve,step,tokens,minutes,value\n");
  for (const Line& line : lines_) {
    const std::vector<double>* values = shown_values(line);
    if (values == nullptr) continue;
    const QString name = csv_quoted(line.name);
    for (std::size_t i = 0; i < values->size(); ++i)
      text += QStringLiteral("%1,%2,%3,%4,%5\n")
                  .arg(name, exact_number(line.model->column(TrainingColumn::Step)[i]),
                       exact_number(line.model->column(TrainingColumn::Tokens)[i]),
                       exact_number(line.model->column(TrainingColumn::Minutes)[i]), exact_number((*values)[i]));
  }
  return text;
}

}  // namespace carryover
