// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/training_panel.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/controls/wrapping_bar.h"
#include "widgets/look/colour_mix.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/icons.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/provenance.h"

namespace carryover {
namespace {

constexpr double usual_smoothing = 0.9;
constexpr int most_validation_lengths = 4;

TrainingChart::Values of(TrainingColumn column) {
  return [column](const TrainingModel& run) { return &run.column(column); };
}

ThemeColour faint(std::size_t series) {
  return [series](const Theme& theme) { return blend(theme.surface, theme.series[series], 0.42); };
}

/// An empty plot says why it is empty: the first step of a training may take minutes.
QString empty_text(const TrainingModel* run) {
  if (run == nullptr) return TrainingPanel::tr("No training run yet: press Fine-tune, or open a run's folder");
  if (run->active() || run->state() == TrainingState::Attached)
    return TrainingPanel::tr("No step is done yet: the plot begins with the first one");
  return TrainingPanel::tr("This training ended before its first step was done");
}

}  // namespace

TrainingPanel::TrainingPanel(LabContext& lab, QWidget* parent) : Panel(lab, tr("Training"), parent) {
  auto* bar = new WrappingBar;
  bar->setContentsMargins(8, 3, 6, 3);
  bar->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  build_bar(bar);
  build_views(bar, row);
  header_ = new QLabel(this);  // in a line of its own, where buttons don't cut it
  header_->setTextFormat(Qt::PlainText);
  header_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  header_->setWordWrap(true);
  header_->setContentsMargins(8, 0, 6, 3);
  header_->setAccessibleName(tr("State of the training"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(bar);
  layout->addWidget(header_);
  layout->addWidget(room_line_ = build_room_line());
  layout->addLayout(row, 1);
  add_loss_lines(Loss, TrainingColumn::Loss);
  add_loss_lines(Recall, TrainingColumn::RecallLoss);
  views_[Rate].chart->add_line(tr("learning rate"), {series_colour(4)}, of(TrainingColumn::LearningRate));
  views_[GradientNorm].chart->add_line(tr("before clipping"), {series_colour(3)}, of(TrainingColumn::GradientNorm));
  views_[Throughput].chart->add_line(tr("tokens/s"), {series_colour(2)}, of(TrainingColumn::TokensPerSecond));
  add_memory_lines();
  add_marks();

  TrainingRuns& runs = lab.training();
  connect(&runs, &TrainingRuns::current_changed, this, [this] {
    new_run_ = true;
    request_refresh();
  });
  // A run that goes takes its columns with it.
  connect(&runs, &TrainingRuns::about_to_remove, this, [this] {
    for (View& view : views_) view.chart->set_model(nullptr);
    new_run_ = true;
    request_refresh();
  });
  connect(&runs, &TrainingRuns::run_changed, this, [this](int index) {
    if (index == context().training().current_index()) request_refresh();
  });
  connect(&runs, &TrainingRuns::step_changed, this, &Panel::request_refresh);
  offer_recall(runs.current());
  update_header();
}

QWidget* TrainingPanel::build_room_line() {
  auto* line = new QWidget(this);
  room_text_ = new QLabel(line);
  room_text_->setTextFormat(Qt::PlainText);
  room_text_->setWordWrap(true);
  room_text_->setAccessibleName(tr("Why the training waits"));
  auto* retry = new QPushButton(tr("Retry"), line);
  retry->setToolTip(tr("Try to write again, and continue"));
  auto* give_up = new QPushButton(tr("Stop"), line);
  give_up->setToolTip(tr("End the training; the steps after the newest checkpoint are lost"));
  connect(retry, &QPushButton::clicked, this, &TrainingPanel::resume_wanted);
  connect(give_up, &QPushButton::clicked, this, &TrainingPanel::stop_wanted);
  auto* row = new QHBoxLayout(line);
  row->setContentsMargins(8, 0, 6, 3);
  row->addWidget(room_text_, 1);
  row->addWidget(retry);
  row->addWidget(give_up);
  line->hide();
  return line;
}

/// Offers the plot of recall for runs that have such samples.
void TrainingPanel::offer_recall(const TrainingModel* run) {
  const bool has = run != nullptr && run->plan().training.recall_samples > 0;
  views_[Recall].shown->setVisible(has);
  views_[Recall].chart->plot()->setVisible(has && views_[Recall].shown->isChecked());
}

void TrainingPanel::build_bar(WrappingBar* bar) {
  const auto button = [this, bar](const char* icon, const QString& text, const QString& help) {
    auto* made = new QToolButton(this);
    made->setIcon(themed_icon(QString::fromLatin1(icon)));
    made->setAccessibleName(text);
    made->setToolTip(help);
    made->setAutoRaise(true);
    bar->addWidget(made);
    return made;
  };
  pause_ = button("pause", tr("Pause"), tr("Pause after the current layer, or resume"));
  stop_ = button("stop", tr("Stop and save"), tr("Stop and save a checkpoint, from which the run can be resumed"));
  newest_ = button("follow", tr("Newest step"), tr("Show the newest step again"));
  bar->addStretch(1);
  auto* smoothing_label = new QLabel(tr("Smoothing"), this);
  smoothing_ = new QDoubleSpinBox(this);
  smoothing_->setRange(0, 0.999);
  smoothing_->setSingleStep(0.05);
  smoothing_->setDecimals(3);
  smoothing_->setValue(usual_smoothing);
  smoothing_->setToolTip(tr("Weight of the past in the smoothed loss; 0: no smoothing"));
  smoothing_->setAccessibleName(smoothing_label->text());
  axis_ = new QComboBox(this);
  axis_->addItems({tr("by step"), tr("by tokens"), tr("by time")});
  axis_->setAccessibleName(tr("Horizontal axis"));
  for (QWidget* widget : std::initializer_list<QWidget*>{smoothing_label, smoothing_, axis_}) bar->addWidget(widget);
  connect(pause_, &QToolButton::clicked, this, [this] {
    const TrainingModel* run = context().training().current();
    run != nullptr && run->state() == TrainingState::Paused ? Q_EMIT resume_wanted() : Q_EMIT pause_wanted();
  });
  connect(stop_, &QToolButton::clicked, this, &TrainingPanel::stop_wanted);
  connect(newest_, &QToolButton::clicked, this, [this] { context().training().select_step(-1); });
  connect(smoothing_, &QDoubleSpinBox::valueChanged, this, [this](double weight) {
    for (const Kind kind : {Loss, Recall}) views_[kind].chart->set_smoothing(smoothed_, weight);
    request_refresh();
  });
  connect(axis_, &QComboBox::currentIndexChanged, this, [this](int index) {
    constexpr TrainingColumn axes[] = {TrainingColumn::Step, TrainingColumn::Tokens, TrainingColumn::Minutes};
    for (View& view : views_) {
      view.chart->set_axis(axes[index]);
      view.chart->plot()->set_integer_axes(axes[index] != TrainingColumn::Minutes, false);
      view.chart->plot()->fit();
    }
    request_refresh();
  });
}

PlotView* TrainingPanel::make_plot(const char* id, const QString& title, const QString& y_label) {
  auto* plot = new PlotView(QString::fromLatin1(id), this);
  plot->set_title(title);
  plot->set_axes(training_axis_label(TrainingColumn::Step), y_label);
  plot->set_integer_axes(true, false);
  connect(plot, &PlotView::clicked, this, [this](double x, double /*y*/) {
    const TrainingModel* run = this->context().training().current();
    if (run == nullptr || run->step_count() == 0) return;
    this->context().training().select_step(static_cast<qsizetype>(run->nearest(views_[Loss].chart->axis(), x)));
  });
  connect(plot, &PlotView::stepped, this, [this](int columns, int /*rows*/) { step(columns); });
  connect(plot, &PlotView::view_changed, this, [this, plot] {
    if (!plot->following()) request_refresh();  // a zoom shows finer points
  });
  return plot;
}

void TrainingPanel::build_views(WrappingBar* bar, QHBoxLayout* row) {
  struct Row {
    const char* id;
    QString title, button, y_label;
    bool shown;
  };
  const Row rows[KindCount] = {
      {"train_loss", tr("Training loss"), tr("Loss"), tr("NLL (nats)"), true},
      {"train_recall", tr("Loss of the answers of recall samples"), tr("Recall"), tr("NLL (nats)"), true},
      {"train_segments", tr("Loss by segment"), tr("Segments"), tr("NLL (nats)"), true},
      {"train_rate", tr("Learning rate"), tr("Rate"), tr("Learning rate"), false},
      {"train_gradient", tr("Gradient norm"), tr("Gradient"), tr("‖∇L‖"), false},
      {"train_throughput", tr("Throughput"), tr("Speed"), tr("Tokens per second"), false},
      {"train_memory", tr("Memory while training"), tr("Memory"), tr("Memory (MB)"), true},
  };
  for (const Row& entry : rows) {
    PlotView* plot = make_plot(entry.id, entry.title, entry.y_label);
    auto* shown = new QToolButton(this);
    shown->setText(entry.button);
    shown->setToolTip(tr("Show or hide: %1").arg(entry.title));
    shown->setCheckable(true);
    shown->setAutoRaise(true);  // so that the pressed ones stand out
    shown->setChecked(entry.shown);
    plot->setVisible(entry.shown);
    bar->addWidget(shown);
    row->addWidget(plot, 1);
    connect(shown, &QToolButton::toggled, this, [this, plot](bool on) {
      plot->setVisible(on);
      request_refresh();
    });
    views_.push_back({std::make_unique<TrainingChart>(plot), shown});
  }
}

void TrainingPanel::add_loss_lines(Kind kind, TrainingColumn column) {
  TrainingChart& chart = *views_[kind].chart;
  chart.add_line(tr("step"), {faint(0)}, of(column));
  smoothed_ = chart.add_line(tr("smoothed"), {series_colour(0)}, of(column));
  chart.set_smoothing(smoothed_, usual_smoothing);
}

void TrainingPanel::add_memory_lines() {
  TrainingChart& chart = *views_[Memory].chart;
  const TrainingChart::Values total = of(TrainingColumn::TotalMb);
  const auto stacked = [&](const QString& name, const ThemeColour& colour, TrainingColumn column) {
    chart.add_line(name, {colour, false, true, true}, of(column), total);
  };
  stacked(
      tr("weights"), [](const Theme& theme) { return theme.local; }, TrainingColumn::WeightsMb);
  stacked(tr("gradients"), series_colour(1), TrainingColumn::GradientsMb);
  stacked(tr("optimizer"), series_colour(5), TrainingColumn::OptimizerMb);
  stacked(tr("autograd graph"), series_colour(4), TrainingColumn::GraphMb);
  stacked(tr("attention-visible KV"), series_colour(0), TrainingColumn::AttentionKvMb);
  stacked(
      tr("carry"), [](const Theme& theme) { return theme.carry; }, TrainingColumn::CarryMb);
  stacked(tr("pool"), series_colour(3), TrainingColumn::PoolMb);
  chart.add_line(tr("peak"), {[](const Theme& theme) { return theme.text; }, true}, of(TrainingColumn::PeakMb));
}

void TrainingPanel::add_marks() {
  PlotView* plot = views_[Loss].chart->plot();
  for (int i = 0; i < most_validation_lengths; ++i) {
    const int curve = plot->add_curve(tr("held out"), {series_colour(static_cast<std::size_t>(2 + i))});
    if (i == 0) first_validation_ = curve;
    plot->set_curve_visible(curve, false);
  }
  alerts_ = plot->add_curve(tr("alert"),
                            {[](const Theme& theme) { return theme.anchor; }, false, false, false, /*points=*/true});
  plot->set_curve_visible(alerts_, false);
}

std::vector<PlotView*> TrainingPanel::plots() {
  std::vector<PlotView*> shown;
  for (const View& view : views_)
    if (!view.chart->plot()->isHidden()) shown.push_back(view.chart->plot());
  return shown;
}

void TrainingPanel::step(int steps) {
  TrainingRuns& runs = context().training();
  const qsizetype now = runs.shown_step();
  if (now < 0) return;
  const auto last = static_cast<qsizetype>(runs.current()->step_count()) - 1;
  runs.select_step(std::clamp<qsizetype>(now + steps, 0, last));
}

// A segment's curve is made when the first sample with so many segments comes.
void TrainingPanel::draw_segments(const TrainingModel& run) {
  TrainingChart& chart = *views_[Segments].chart;
  while (chart.line_count() < run.segments()) {
    const int segment = chart.line_count();
    const int line =
        chart.add_line(tr("segment %1").arg(segment + 1), {series_colour(static_cast<std::size_t>(segment))},
                       [segment](const TrainingModel& model) -> const std::vector<double>* {
                         return segment < model.segments() ? &model.segment_loss(segment) : nullptr;
                       });
    chart.set_smoothing(line, usual_smoothing);
    chart.set_line(line, tr("segment %1").arg(segment + 1), &run);
  }
  for (int line = 0; line < chart.line_count(); ++line) chart.set_smoothing(line, smoothing_->value());
}

void TrainingPanel::draw_marks(const TrainingModel& run) {
  TrainingChart& chart = *views_[Loss].chart;
  PlotView* plot = chart.plot();
  std::vector<std::int64_t> lengths;
  const auto x_of = [&](std::int64_t step) {
    return run.column(chart.axis())[run.nearest(TrainingColumn::Step, static_cast<double>(step))];
  };
  for (int i = 0; i < most_validation_lengths; ++i) plot->clear_curve(first_validation_ + i);
  plot->clear_curve(alerts_);
  if (run.step_count() > 0) {
    for (const ValidationRecord& record : run.validations())
      for (const ValidationRecord::Length& each : record.lengths) {
        auto at = std::find(lengths.begin(), lengths.end(), each.length);
        if (at == lengths.end()) at = lengths.insert(lengths.end(), each.length);
        const auto index = static_cast<int>(at - lengths.begin());
        if (index >= most_validation_lengths) continue;
        plot->append(first_validation_ + index, x_of(record.step), each.nll_mean);
      }
    for (const TrainingAlert& alert : run.alerts())
      plot->append(alerts_, x_of(alert.step), std::isfinite(alert.loss) ? alert.loss : alert.expected);
  }
  for (int i = 0; i < most_validation_lengths; ++i) {
    const bool used = i < static_cast<int>(lengths.size());
    if (used)
      plot->set_curve_name(first_validation_ + i, tr("held out, %L1").arg(lengths[static_cast<std::size_t>(i)]));
    plot->set_curve_visible(first_validation_ + i, used);
  }
  plot->set_curve_visible(alerts_, !run.alerts().empty());
}

void TrainingPanel::draw_cursor(const TrainingModel& run) {
  const qsizetype step = context().training().step_selected() ? context().training().shown_step() : -1;
  const double x = step < 0 ? std::numeric_limits<double>::quiet_NaN()
                            : run.column(views_[Loss].chart->axis())[static_cast<std::size_t>(step)];
  for (View& view : views_) view.chart->plot()->set_cursor(x);
}

void TrainingPanel::update_header() {
  const TrainingRuns& runs = context().training();
  const TrainingModel* run = runs.current();
  const bool active = run != nullptr && run->active();
  for (const View& view : views_) view.chart->plot()->set_empty_text(empty_text(run));
  const bool paused = active && run->state() == TrainingState::Paused;
  pause_->setEnabled(active && run->state() != TrainingState::Stopping && run->state() != TrainingState::Preparing);
  pause_->setAccessibleName(paused ? tr("Resume") : tr("Pause"));
  pause_->setIcon(themed_icon(paused ? QStringLiteral("run") : QStringLiteral("pause")));
  stop_->setEnabled(active && run->state() != TrainingState::Stopping);
  newest_->setEnabled(run != nullptr && runs.step_selected());
  header_->setHidden(run == nullptr);
  room_line_->setVisible(run != nullptr && !run->missing_room().isEmpty());
  if (run == nullptr) return header_->setText({});
  room_text_->setText(run->missing_room());
  QStringList parts{run->name(), training_state_name(run->state())};
  const qsizetype step = runs.shown_step();
  if (step >= 0) {
    const auto at = static_cast<std::size_t>(step);
    parts += filled(tr("step %L1 of %L2"), decimal_text(run->column(TrainingColumn::Step)[at], 0),
                    static_cast<qlonglong>(run->plan().training.max_steps));
    parts += tr("loss %1").arg(decimal_text(run->column(TrainingColumn::Loss)[at], 4));
    if (runs.step_selected() && run->snapshot(at) == nullptr) parts += tr("no segments were recorded in this step");
  }
  if (active && !run->progress_text().isEmpty()) parts += run->progress_text();
  if (!run->alerts().empty()) parts += QString::fromStdString(run->alerts().back().text);
  const QString text = parts.join(QStringLiteral(" · "));
  header_->setText(text);
  header_->setToolTip(text);
}

void TrainingPanel::refresh() {
  const TrainingModel* run = context().training().current();
  update_header();
  if (std::exchange(new_run_, false)) {
    offer_recall(run);
    for (View& view : views_) {
      view.chart->set_model(run);
      view.chart->plot()->set_provenance(run == nullptr ? QString() : training_provenance(*run));
      view.chart->plot()->fit();
    }
  }
  if (run != nullptr) {
    draw_segments(*run);
    draw_marks(*run);
    draw_cursor(*run);
  }
  for (View& view : views_)
    if (view.shown->isChecked()) view.chart->refresh();
}

}  // namespace carryover
