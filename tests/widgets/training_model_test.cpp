// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/state/training_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/support/gui_test.h"
#include "tests/support/synthetic_training.h"
#include "tests/support/test_program.h"
#include "widgets/training/state/training_runs.h"
#include "widgets/training/training_runs_table.h"

using namespace carryover;

class TrainingModelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void columns_are_the_records() {
    TrainingModel run(QStringLiteral("/runs/first"), test::synthetic_plan());
    const auto steps = test::synthetic_steps(1, 50);
    run.append(std::vector<StepRecord>(steps.begin(), steps.begin() + 20));
    run.append(std::vector<StepRecord>(steps.begin() + 20, steps.end()));
    QCOMPARE(run.step_count(), steps.size());
    QCOMPARE(run.segments(), 4);
    QCOMPARE(run.oldest_age(), 2);
    double minutes = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      minutes += steps[i].seconds / 60;
      QCOMPARE(run.column(TrainingColumn::Loss)[i], steps[i].loss);
      QCOMPARE(run.column(TrainingColumn::Minutes)[i], minutes);
      for (int segment = 0; segment < 4; ++segment)
        QCOMPARE(run.segment_loss(segment)[i], steps[i].segment_loss[static_cast<std::size_t>(segment)]);
      const MemoryBytes& bytes = steps[i].memory;
      const double total = static_cast<double>(bytes.weights + bytes.gradients + bytes.optimizer + bytes.graph) / 1e6;
      QVERIFY(std::abs(run.column(TrainingColumn::TotalMb)[i] - total) < 1e-6);
      const auto reach = run.reach(i);
      QCOMPARE(reach.size(), steps[i].reach.size());
      double sum = 0;
      int count = 0;
      for (std::size_t j = 0; j < reach.size(); ++j) {
        QCOMPARE(reach[j].transition, steps[i].reach[j].transition);
        QVERIFY(std::abs(reach[j].norm - steps[i].reach[j].norm) < 1e-6);
        if (reach[j].age == 1) sum += steps[i].reach[j].norm, ++count;
      }
      QVERIFY(std::abs(run.reach_by_age(1)[i] - sum / count) < 1e-9);
    }
  }

  void what_begins_late_has_nan_before() {
    TrainingModel run(QStringLiteral("/runs/first"), test::synthetic_plan());
    StepRecord short_step = test::synthetic_step(1, 1);
    short_step.segment_loss.resize(1);
    StepRecord last_step = short_step;
    last_step.step = 3;
    run.append(std::vector{short_step, test::synthetic_step(2, 3), last_step});
    QCOMPARE(run.segments(), 4);
    QCOMPARE(run.oldest_age(), 3);
    for (int segment = 1; segment < 4; ++segment) {
      QCOMPARE(run.segment_loss(segment).size(), std::size_t{3});
      QVERIFY(std::isnan(run.segment_loss(segment)[0]) && std::isnan(run.segment_loss(segment)[2]));
      QVERIFY(!std::isnan(run.segment_loss(segment)[1]));
    }
    QVERIFY(std::isnan(run.reach_by_age(3)[0]) && !std::isnan(run.reach_by_age(3)[1]));
  }

  void what_is_there_already_is_left_out() {
    TrainingModel run(QStringLiteral("/runs/first"), test::synthetic_plan());
    run.append(test::synthetic_steps(1, 10));
    QSignalSpy appended(&run, &TrainingModel::steps_appended);
    run.append(test::synthetic_steps(4, 12));
    run.append({test::synthetic_step_snapshot(12)});
    QCOMPARE(appended.count(), 1);
    QCOMPARE(run.step_count(), std::size_t{12});
    for (std::size_t i = 0; i < 12; ++i) QCOMPARE(run.column(TrainingColumn::Step)[i], static_cast<double>(i + 1));
    QVERIFY(!run.has_snapshots());
    run.append_validations({{5, {{512, 100, 2.5}}}, {10, {{512, 100, 2.4}}}});
    run.append_validations({{10, {{512, 100, 2.4}}}, {12, {{512, 100, 2.3}}}});
    QCOMPARE(run.validations().size(), std::size_t{3});
  }

  void restarting_forgets_what_came_after_the_checkpoint() {
    TrainingModel run(QStringLiteral("/runs/first"), test::synthetic_plan());
    run.append(test::synthetic_steps(1, 30));
    run.append({test::synthetic_step_snapshot(31), test::synthetic_step_snapshot(32)});
    run.append_validations({{10, {{512, 100, 2.5}}}, {30, {{512, 100, 2.4}}}});
    run.append_alert({25, 9, 3, "spike"});
    const auto revision = run.revision();
    QSignalSpy reset(&run, &TrainingModel::reset);
    run.restart_after(20);
    QCOMPARE(reset.count(), 1);
    QVERIFY(run.revision() != revision);
    QCOMPARE(run.step_count(), std::size_t{20});
    QCOMPARE(run.validations().size(), std::size_t{1});
    QVERIFY(run.alerts().empty());
    QVERIFY(!run.has_snapshots());
    run.append(test::synthetic_steps(21, 40));
    TrainingModel whole(QStringLiteral("/runs/whole"), test::synthetic_plan());
    whole.append(test::synthetic_steps(1, 40));
    for (int column = 0; column < static_cast<int>(TrainingColumn::Count); ++column)
      QCOMPARE(run.column(static_cast<TrainingColumn>(column)), whole.column(static_cast<TrainingColumn>(column)));
    for (std::size_t i = 0; i < 40; ++i) QCOMPARE(run.reach(i), whole.reach(i));
  }

  void segments_are_kept_for_the_newest_steps_only() {
    TrainingModel run(QStringLiteral("/runs/first"), test::synthetic_plan());
    for (std::int64_t step = 1; step <= 60; ++step) run.append({test::synthetic_step_snapshot(step, 2)});
    QVERIFY(run.snapshot(0) == nullptr);
    QVERIFY(run.snapshot(59) != nullptr);
    QCOMPARE(run.snapshot(59)->record.step, std::int64_t{60});
    QVERIFY(run.snapshot(30) == nullptr);
  }

  void a_million_steps_are_cheap() {
    TrainingModel run(QStringLiteral("/runs/first"), test::synthetic_plan());
    std::vector<StepRecord> batch;
    StepRecord record = test::synthetic_step(1);
    for (std::int64_t step = 1; step <= 1'000'000; ++step) {
      record.step = step;
      batch.push_back(record);
      if (batch.size() == 10'000) {
        run.append(batch);
        batch.clear();
      }
    }
    QCOMPARE(run.step_count(), std::size_t{1'000'000});
    QCOMPARE(run.nearest(TrainingColumn::Step, 777'777.2), std::size_t{777'776});
    QCOMPARE(run.nearest(TrainingColumn::Step, -5), std::size_t{0});
    QCOMPARE(run.nearest(TrainingColumn::Step, 1e9), std::size_t{999'999});
  }

  void the_list_keeps_one_run_a_folder() {
    TrainingRuns runs;
    TrainingRunsTable table(runs);
    QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QSignalSpy current(&runs, &TrainingRuns::current_changed);
    runs.add(QStringLiteral("/runs/a"), test::synthetic_plan());
    runs.add(QStringLiteral("/runs/b"), test::synthetic_plan());
    runs.run(0).append(test::synthetic_steps(1, 5));
    QCOMPARE(runs.current_index(), 1);
    QCOMPARE(runs.index_of(QStringLiteral("/runs/x/../a")), 0);
    QCOMPARE(table.rowCount(), 2);
    QCOMPARE(table.index(0, TrainingRunsTable::Name).data().toString(), QStringLiteral("a"));
    QVERIFY(table.index(0, TrainingRunsTable::Step).data().toString().startsWith(QLatin1Char('5')));
    QSignalSpy ticked(&runs, &TrainingRuns::ticked_changed);
    QVERIFY(table.setData(table.index(0, 0), Qt::Unchecked, Qt::CheckStateRole));
    QCOMPARE(ticked.count(), 1);
    QVERIFY(!runs.ticked(0));
    runs.add(QStringLiteral("/runs/a"), test::synthetic_plan());  // the same folder, again
    QCOMPARE(runs.count(), 2);
    QCOMPARE(runs.current()->step_count(), std::size_t{0});
    runs.select_step(3);
    QCOMPARE(runs.shown_step(), qsizetype{-1});
    while (runs.count() > 0) runs.remove(0);
    QVERIFY(runs.current() == nullptr);
    QVERIFY(current.count() >= 4);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<TrainingModelTest>};
#include "training_model_test.moc"
