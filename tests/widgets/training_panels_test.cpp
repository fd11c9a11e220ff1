// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <cmath>

#include "tests/support/find_parts.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_training.h"
#include "widgets/lab/lab_context.h"
#include "widgets/look/theme.h"
#include "widgets/training/reach_panel.h"
#include "widgets/training/training_panel.h"
#include "widgets/training/training_runs_panel.h"

using namespace carryover;

namespace {

void show(Panel& panel, const QSize& size = {1200, 320}) {
  panel.resize(size);
  panel.show();
  test::settle();
}

PlotView* plot_of(Panel& panel, const char* id) {
  for (PlotView* plot : panel.findChildren<PlotView*>())
    if (plot->id() == QLatin1String(id)) return plot;
  return nullptr;
}

QToolButton* button(Panel& panel, const QString& name) {
  for (QToolButton* each : panel.findChildren<QToolButton*>())
    if (each->accessibleName() == name || each->text() == name) return each;
  return nullptr;
}

using Points = std::vector<std::pair<double, double>>;

}  // namespace

class TrainingPanelsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    apply_theme(*qApp, ThemeKind::Light);
  }

  void say_that_there_is_no_run() {
    LabContext lab;
    TrainingPanel training(lab);
    ReachPanel reach(lab);
    TrainingRunsPanel runs(lab);
    for (Panel* panel : std::initializer_list<Panel*>{&training, &reach, &runs}) {
      show(*panel);
      for (PlotView* plot : panel->plots()) QVERIFY(plot->is_empty());
    }
    QVERIFY(!button(training, TrainingPanel::tr("Stop and save"))->isEnabled());
  }

  void an_empty_plot_says_why() {
    LabContext lab;
    TrainingPanel panel(lab);
    show(panel);
    const auto says = [&panel](const QString& text) {
      for (const QLabel* label : plot_of(panel, "train_loss")->findChildren<QLabel*>())
        if (label->text() == text) return true;
      return false;
    };
    QVERIFY(says(TrainingPanel::tr("No training run yet: press Fine-tune, or open a run's folder")));
    TrainingModel& run = lab.training().add(QStringLiteral("/runs/first"), test::synthetic_plan());
    run.set_state(TrainingState::Running);
    test::settle();
    QVERIFY(says(TrainingPanel::tr("No step is done yet: the plot begins with the first one")));
    run.set_state(TrainingState::Stopped);
    test::settle();
    QVERIFY(says(TrainingPanel::tr("This training ended before its first step was done")));
  }

  void the_loss_grows_by_what_is_new_and_its_mean_starts_at_the_first_value() {
    LabContext lab;
    TrainingModel& run = lab.training().add(QStringLiteral("/runs/first"), test::synthetic_plan());
    TrainingPanel panel(lab);
    run.append(test::synthetic_steps(1, 100));
    show(panel);
    PlotView* plot = plot_of(panel, "train_loss");
    const Points before = plot->drawn_points(0);
    QCOMPARE(before.size(), std::size_t{100});
    for (std::size_t i = 0; i < before.size(); ++i)
      QCOMPARE(before[i], Points::value_type(static_cast<double>(i + 1), run.column(TrainingColumn::Loss)[i]));
    const Points smooth = plot->drawn_points(1);
    QVERIFY(std::abs(smooth[0].second - before[0].second) < 1e-12);
    double mean = 0, mass = 0;
    for (const auto& [x, y] : before) mean = 0.9 * mean + 0.1 * y, mass = 0.9 * mass + 0.1;
    QVERIFY(std::abs(smooth.back().second - mean / mass) < 1e-9);
    run.append(test::synthetic_steps(101, 150));
    test::settle();
    const Points after = plot->drawn_points(0);
    QCOMPARE(after.size(), std::size_t{150});
    QVERIFY(std::equal(before.begin(), before.end(), after.begin()));
  }

  void memory_is_stacked_and_a_zoom_is_fine() {
    LabContext lab;
    TrainingModel& run = lab.training().add(QStringLiteral("/runs/first"), test::synthetic_plan());
    run.append(test::synthetic_steps(1, 30'000));
    TrainingPanel panel(lab);
    show(panel);
    PlotView* memory = plot_of(panel, "train_memory");
    const Points top = memory->drawn_points(6);  // the pool, uppermost
    QVERIFY(top.size() > 100 && top.size() <= 2 * 1024 + 2);
    for (const auto& [x, y] : top) {
      const auto at = run.nearest(TrainingColumn::Step, x);
      QVERIFY(std::abs(y - run.column(TrainingColumn::TotalMb)[at]) < 1e-6);
    }
    PlotView* loss = plot_of(panel, "train_loss");
    loss->zoom_to(10'000, 10'100, 0, 5);
    test::settle();
    const Points fine = loss->drawn_points(0);
    const auto inside = std::count_if(fine.begin(), fine.end(),
                                      [](const auto& point) { return point.first >= 10'000 && point.first <= 10'100; });
    QCOMPARE(inside, 101);
  }

  void taken_back_steps_are_no_longer_drawn() {
    LabContext lab;
    TrainingModel& run = lab.training().add(QStringLiteral("/runs/first"), test::synthetic_plan());
    run.append(test::synthetic_steps(1, 40));
    TrainingPanel panel(lab);
    show(panel);
    run.restart_after(10);
    run.append(test::synthetic_steps(11, 12));
    test::settle();
    QCOMPARE(plot_of(panel, "train_loss")->drawn_points(0).size(), std::size_t{12});
    lab.training().remove(0);
    test::settle();
    QVERIFY(plot_of(panel, "train_loss")->is_empty());
  }

  void answers_of_recall_have_a_plot_where_they_are_trained() {
    LabContext lab;
    auto plan = std::make_shared<TrainingPlan>(*test::synthetic_plan());
    TrainingModel& plain = lab.training().add(QStringLiteral("/runs/plain"), plan);
    plan = std::make_shared<TrainingPlan>(*plan);
    plan->training.recall_samples = 2;
    TrainingModel& run = lab.training().add(QStringLiteral("/runs/recall"), plan);
    for (TrainingModel* each : {&plain, &run}) each->append(test::synthetic_steps(1, 40));
    TrainingPanel panel(lab);
    show(panel);
    lab.training().set_current(0);
    test::settle();
    const std::size_t usual = panel.plots().size();
    lab.training().set_current(1);
    test::settle();
    QCOMPARE(panel.plots().size(), usual + 1);
    const Points points = plot_of(panel, "train_recall")->drawn_points(0);
    QCOMPARE(points.size(), std::size_t{40});
    QCOMPARE(points.front().second, 0.5 * test::synthetic_step(1).loss);
    QVERIFY(button(panel, TrainingPanel::tr("Recall"))->isVisible());
    lab.training().set_current(0);
    test::settle();
    QCOMPARE(panel.plots().size(), usual);
    QVERIFY(!button(panel, TrainingPanel::tr("Recall"))->isVisible());
  }

  void validations_and_alerts_are_marked() {
    LabContext lab;
    TrainingModel& run = lab.training().add(QStringLiteral("/runs/first"), test::synthetic_plan());
    run.append(test::synthetic_steps(1, 40));
    run.append_validations({{20, {{512, 100, 2.5}, {1024, 100, 2.4}}}, {40, {{512, 100, 2.3}, {1024, 100, 2.2}}}});
    run.append_alert({33, std::nan(""), 2.75, "the loss is not a number"});
    TrainingPanel panel(lab);
    show(panel);
    PlotView* plot = plot_of(panel, "train_loss");
    QCOMPARE(plot->drawn_points(2), (Points{{20, 2.5}, {40, 2.3}}));
    QCOMPARE(plot->drawn_points(3), (Points{{20, 2.4}, {40, 2.2}}));
    QCOMPARE(plot->drawn_points(6), (Points{{33, 2.75}}));
    const auto labels = panel.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
      return label->text().contains(QLatin1String("the loss is not a number"));
    }));
  }

  void the_state_is_read_whole_in_a_narrow_panel() {
    LabContext lab;
    TrainingModel& run =
        lab.training().add(QStringLiteral("/runs/a-training-with-a-long-name-20261126-091722"), test::synthetic_plan());
    run.append(test::synthetic_steps(1, 40));
    run.set_state(TrainingState::Running);
    TrainingPanel panel(lab);
    show(panel, {420, 360});
    const QLabel* state = test::label_named(panel, TrainingPanel::tr("State of the training"));
    QVERIFY(state != nullptr && state->text().contains(QStringLiteral("091722")));
    QVERIFY(state->width() > 300);
    QVERIFY(state->height() >= state->heightForWidth(state->width()));
  }

  void a_click_selects_the_nearest_step() {
    LabContext lab;
    TrainingModel& run = lab.training().add(QStringLiteral("/runs/first"), test::synthetic_plan());
    run.append(test::synthetic_steps(1, 20));
    TrainingPanel panel(lab);
    show(panel);
    QSignalSpy selected(&lab.training(), &TrainingRuns::step_changed);
    Q_EMIT plot_of(panel, "train_loss")->clicked(7.3, 1);
    QCOMPARE(selected.count(), 1);
    QCOMPARE(lab.training().shown_step(), qsizetype{6});
    Q_EMIT plot_of(panel, "train_loss")->stepped(1, 0);
    QCOMPARE(lab.training().shown_step(), qsizetype{7});
    test::settle();
    button(panel, TrainingPanel::tr("Newest step"))->click();
    test::settle();
    QVERIFY(!lab.training().step_selected());
    QCOMPARE(lab.training().shown_step(), qsizetype{19});
  }

  void buttons_follow_the_state() {
    LabContext lab;
    TrainingModel& run = lab.training().add(QStringLiteral("/runs/first"), test::synthetic_plan());
    TrainingPanel panel(lab);
    show(panel);
    QSignalSpy paused(&panel, &TrainingPanel::pause_wanted), resumed(&panel, &TrainingPanel::resume_wanted),
        stopped(&panel, &TrainingPanel::stop_wanted);
    run.set_state(TrainingState::Running);
    test::settle();
    button(panel, TrainingPanel::tr("Pause"))->click();
    QCOMPARE(paused.count(), 1);
    run.set_state(TrainingState::Paused);
    test::settle();
    button(panel, TrainingPanel::tr("Resume"))->click();
    QCOMPARE(resumed.count(), 1);
    button(panel, TrainingPanel::tr("Stop and save"))->click();
    QCOMPARE(stopped.count(), 1);
    run.set_state(TrainingState::Attached);
    test::settle();
    QVERIFY(!button(panel, TrainingPanel::tr("Stop and save"))->isEnabled());
  }

  void reach_shows_each_transition_and_ends_at_the_cut() {
    for (const std::int64_t depth : {1, 2, 3}) {
      LabContext lab;
      TrainingModel& run = lab.training().add(QStringLiteral("/runs/first"), test::synthetic_plan(depth));
      run.append(test::synthetic_steps(1, 30, depth));
      ReachPanel panel(lab);
      show(panel);
      const StepRecord last = test::synthetic_step(30, depth);
      for (const GradientReach& entry : last.reach) {
        const Points drawn = plot_of(panel, "reach_by_transition")->drawn_points(static_cast<int>(entry.age) - 1);
        const auto found = std::find_if(drawn.begin(), drawn.end(), [&](const auto& point) {
          return point.first == static_cast<double>(entry.transition + 1);
        });
        QVERIFY(found != drawn.end());
        QVERIFY(std::abs(found->second - entry.norm) < 1e-6);
      }
      const Points ages = plot_of(panel, "reach_by_age")->drawn_points(0);
      QCOMPARE(ages.size(), static_cast<std::size_t>(depth));
      QVERIFY(plot_of(panel, "reach_by_age")->view().right() >
              static_cast<double>(depth) + 0.5);  // the cut is in sight
      for (std::int64_t age = 1; age <= depth; ++age)
        QCOMPARE(plot_of(panel, "reach_over_steps")->drawn_points(static_cast<int>(age) - 1).size(), std::size_t{30});
    }
  }

  void ticked_runs_are_compared() {
    LabContext lab;
    TrainingRunsPanel panel(lab);
    show(panel);
    for (int i = 0; i < 3; ++i)
      lab.training()
          .add(QStringLiteral("/runs/%1").arg(i), test::synthetic_plan())
          .append(test::synthetic_steps(1, 10 + i));
    test::settle();
    PlotView* plot = plot_of(panel, "train_compare");
    for (int i = 0; i < 3; ++i) QCOMPARE(plot->drawn_points(i).size(), static_cast<std::size_t>(10 + i));
    lab.training().set_ticked(1, false);
    test::settle();
    QCOMPARE(plot->drawn_points(0).size(), std::size_t{10});
    QCOMPARE(plot->drawn_points(1).size(), std::size_t{12});  // the third has moved up
    QVERIFY(plot->drawn_points(2).empty());
    auto* list = panel.findChild<QTableView*>();
    list->selectRow(0);
    QCOMPARE(lab.training().current_index(), 0);
    lab.training().remove(0);
    test::settle();
    QCOMPARE(plot->drawn_points(0).size(), std::size_t{12});
  }

  void going_on_needs_a_checkpoint_and_an_end_before_the_last_step() {
    LabContext lab;
    TrainingRunsPanel panel(lab);
    show(panel);
    TrainingModel& run = lab.training().add(QStringLiteral("/runs/first"), test::synthetic_plan());
    QToolButton* go_on = button(panel, TrainingRunsPanel::tr("Resume"));
    run.set_state(TrainingState::Stopped);
    QVERIFY(!go_on->isEnabled());
    run.set_checkpoint(QStringLiteral("/runs/first/checkpoints/step-10"));
    QVERIFY(go_on->isEnabled());
    QSignalSpy wanted(&panel, &TrainingRunsPanel::resume_wanted);
    go_on->click();
    QCOMPARE(wanted.at(0).at(0).toString(), QStringLiteral("/runs/first"));
    for (const TrainingState state : {TrainingState::Running, TrainingState::Finished}) {
      run.set_state(state);
      QVERIFY(!go_on->isEnabled());
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<TrainingPanelsTest>};
#include "training_panels_test.moc"
