// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lab/lab_context.h"

#include <QSignalSpy>
#include <QTest>
#include <random>

#include "tests/support/gui_test.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/test_program.h"
#include "widgets/lab/linked_context.h"

using namespace carryover;

class LabContextTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void a_token_brings_its_segment_and_a_segment_drops_a_foreign_token() {
    LabContext lab;
    test::synthetic_run(lab.run(), 4, 4, test::synthetic_request(4));
    lab.select_token(600);
    QCOMPARE(lab.selected().segment, 2);
    lab.select_segment(2);
    QCOMPARE(lab.selected().token, std::int64_t{600});
    lab.select_segment(3);
    QCOMPARE(lab.selected().token, std::int64_t{-1});
  }

  void going_back_and_forward_replays_every_selection() {
    LabContext lab;
    test::synthetic_run(lab.run(), 8, 8, test::synthetic_request(8));
    std::mt19937 random(7);
    std::vector<Selection> seen = {lab.selected()};
    for (int i = 0; i < 100; ++i) {
      if (random() % 2 == 0)
        lab.select_segment(static_cast<int>(random() % 8));
      else
        lab.select_head(static_cast<int>(random() % 12), static_cast<int>(random() % 6));
      if (!(lab.selected() == seen.back())) seen.push_back(lab.selected());
    }
    for (std::size_t i = seen.size() - 1; i > 0; --i) {
      QCOMPARE(lab.selected(), seen[i]);
      lab.go_back();
    }
    QVERIFY(!lab.can_go_back());
    for (std::size_t i = 1; i < seen.size(); ++i) {
      lab.go_forward();
      QCOMPARE(lab.selected(), seen[i]);
    }
    QVERIFY(!lab.can_go_forward());
  }

  void a_new_selection_forgets_what_was_ahead() {
    LabContext lab;
    test::synthetic_run(lab.run(), 8, 8, test::synthetic_request(8));
    lab.select_segment(1);
    lab.select_segment(2);
    lab.go_back();
    lab.select_segment(5);
    QVERIFY(!lab.can_go_forward());
    lab.go_back();
    QCOMPARE(lab.selected().segment, 1);
  }

  void following_leaves_no_trace() {
    LabContext lab;
    test::synthetic_run(lab.run(), 8, 8, test::synthetic_request(8));
    for (int segment = 0; segment < 8; ++segment) lab.follow_segment(segment);
    QCOMPARE(lab.selected().segment, 7);
    QVERIFY(!lab.can_go_back());
  }

  void edits_are_undone_one_by_one() {
    LabContext lab;
    const ModelConfig model = test::synthetic_model().config;
    lab.set_model(model, SegmentConfig::defaults_for(model));
    std::vector<SegmentConfig> states = {lab.config()};
    for (int i = 0; i < 20; ++i) {
      SegmentConfig next = lab.config();
      next.carry_length = i + 1;
      next.grouping.set_long(i % 12, i % 6, i % 3 == 0, 12);
      lab.edit_config(next, QStringLiteral("edit"));
      states.push_back(lab.config());
    }
    QSignalSpy changed(&lab, &LabContext::config_changed);
    for (std::size_t i = states.size() - 1; i > 0; --i) {
      QCOMPARE(lab.config(), states[i]);
      lab.undo_stack().undo();
    }
    QCOMPARE(lab.config(), states.front());
    QCOMPARE(changed.count(), 20);
    lab.set_model(model, lab.config());
    QVERIFY(!lab.undo_stack().canRedo());
  }

  void a_new_run_unselects_what_it_has_not() {
    LabContext lab;
    test::synthetic_run(lab.run(), 8, 8, test::synthetic_request(8));
    lab.select_head(3, 1);
    lab.select_token(900);
    test::synthetic_run(lab.run(), 2, 1, test::synthetic_request(2));
    QCOMPARE(lab.selected().segment, -1);
    QCOMPARE(lab.selected().token, std::int64_t{-1});
    QCOMPARE(lab.selected().layer, 3);
    QVERIFY(!lab.can_go_back());
  }

  /// Nor does a panel that keeps a selection of its own.
  void a_run_of_a_smaller_model_unselects_layers_that_it_lacks() {
    LabContext lab;
    LinkedContext own(lab, [] {});
    const auto begin = [&](std::int64_t layers) {
      ModelInfo model = test::synthetic_model();
      model.config.layers = layers;
      RunRequest request = test::synthetic_request(2);
      request.config.grouping = Grouping({3}, {{0, 1, 2}});
      lab.run().begin(model, request, nullptr);
      own.forget_run();  // as its panel does
    };
    begin(30);
    lab.select_head(25, 5);
    own.set_linked(false);
    begin(4);
    QCOMPARE(lab.selected(), (Selection{-1, -1, 5, -1}));
    QCOMPARE(own.selected(), (Selection{-1, -1, 5, -1}));
  }

  void a_range_that_the_run_has_not_is_not_undone_to() {
    LabContext lab;
    test::synthetic_run(lab.run(), 12, 12, test::synthetic_request(12));
    lab.brush({5, 8});
    lab.brush({6, 7});
    test::synthetic_run(lab.run(), 4, 4, test::synthetic_request(4));
    lab.undo_stack().undo();
    QVERIFY(!lab.range().is_set());
    lab.undo_stack().redo();
    QVERIFY(!lab.range().is_set());
    test::synthetic_run(lab.run(), 12, 12, test::synthetic_request(12));
    lab.undo_stack().undo();
    QCOMPARE(lab.range(), (SegmentRange{5, 8}));
  }

  /// Such as the base of an adapter, or the same model after a training: the run on show is still there.
  void another_model_of_the_same_shape_keeps_what_is_selected() {
    LabContext lab;
    const ModelConfig model = test::synthetic_model().config;
    lab.set_model(model, lab.config());
    test::synthetic_run(lab.run(), 8, 8, test::synthetic_request(8));
    lab.select_head(3, 1);
    lab.select_segment(5);
    const Selection before = lab.selected();
    lab.set_model(model, lab.config());
    QVERIFY(lab.selected() == before && lab.can_go_back());
    ModelConfig other = model;
    other.layers -= 1;
    lab.set_model(other, lab.config());
    QVERIFY(lab.selected() == Selection{} && !lab.can_go_back());
  }

  void a_run_that_is_pinned_in_progress_is_whole_at_its_end() {
    LabContext lab;
    QSignalSpy changed(&lab, &LabContext::pinned_run_changed);
    test::synthetic_run(lab.run(), 8, 3, test::synthetic_request(8));
    lab.pin_run();
    QCOMPARE(lab.pinned_run()->segment_count(), 3);
    for (int segment = 3; segment < 8; ++segment) lab.run().append(test::synthetic_snapshot(lab.run(), segment));
    QCOMPARE(changed.count(), 1);
    lab.run().finish({});
    QCOMPARE(changed.count(), 2);
    QVERIFY(lab.pinned_run()->finished());
    QCOMPARE(lab.pinned_run()->segment_count(), 8);
    QVERIFY(&lab.comparison()->b() == lab.pinned_run().get());
  }

  void only_the_pinned_run_itself_completes_it() {
    LabContext lab;
    QSignalSpy changed(&lab, &LabContext::pinned_run_changed);
    test::synthetic_run(lab.run(), 8, 3, test::synthetic_request(8));
    lab.pin_run();
    test::synthetic_run(lab.run(), 4, 4, test::synthetic_request(4));
    lab.run().finish({});
    QCOMPARE(lab.pinned_run()->segment_count(), 3);
    QCOMPARE(changed.count(), 1);
    test::synthetic_run(lab.run(), 4, 2, test::synthetic_request(4));
    lab.pin_run();
    lab.unpin_run();
    lab.run().finish({});
    QVERIFY(!lab.pinned_run());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<LabContextTest>};
#include "lab_context_test.moc"
