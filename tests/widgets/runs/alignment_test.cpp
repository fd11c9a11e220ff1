// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/alignment.h"

#include <QLabel>
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/temp_dir.h"
#include "widgets/heads/head_grid_panel.h"
#include "widgets/lab/lab_context.h"

using namespace carryover;

class AlignmentTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void each_departure_is_named_and_nothing_else() {
    const SegmentConfig config = test::synthetic_request(1).config;
    const TrainedUnder trained{config, "segmented"};
    QVERIFY(misalignments(trained, config, "segmented").isEmpty());
    const auto departs = [&](auto change, const char* word) {
      SegmentConfig other = config;
      change(other);
      const QStringList found = misalignments(trained, other, "segmented");
      QCOMPARE(found.size(), 1);
      QVERIFY2(found.first().startsWith(QLatin1String(word)), qPrintable(found.first()));
    };
    departs([](SegmentConfig& other) { other.segment_length += 1; }, "S ");
    departs([](SegmentConfig& other) { other.carry_length += 1; }, "M ");
    departs([](SegmentConfig& other) { other.retrieval_length += 1; }, "R ");
    departs([](SegmentConfig& other) { other.truncation_depth += 1; }, "K ");
    departs([](SegmentConfig& other) { other.grouping = Grouping({3}, {{0, 1, 2}}); }, "grouping");
    departs([](SegmentConfig& other) { other.long_reads = PrefixParts::SinksRetrievedCarry; },
            "Long-range heads read sinks+retrieved+carry (sinks+retrieved)");
    departs([](SegmentConfig& other) { other.search_scores = SearchScores::Centred; }, "Scores centred (summaries)");
    departs([](SegmentConfig& other) { other.search_heads = {{1, 2}}; }, "Search heads 1.2 (none)");
    departs([](SegmentConfig& other) { other.anchors = 3; }, "A 3 (");
    departs([](SegmentConfig& other) { other.bos = !other.bos; }, "BOS before the text ");
    SegmentConfig same_run = config;
    same_run.question_pass = !config.question_pass;
    same_run.pool_on_host = !config.pool_on_host;
    QVERIFY(misalignments(trained, same_run, "segmented").isEmpty());
    QCOMPARE(misalignments(trained, config, "full").size(), 1);
    SegmentConfig other = config;
    other.segment_length = 7;
    QVERIFY(misalignments({config, "full"}, other, "full").isEmpty());
  }

  void the_grid_wears_the_badge_until_the_settings_are_those_again() {
    LabContext lab;
    const SegmentConfig config = test::synthetic_request(1).config;
    lab.set_model(test::synthetic_model().config, config);
    lab.set_trained_under(TrainedUnder{config, "segmented"});
    HeadGridPanel panel(lab);
    panel.resize(300, 500);
    panel.show();
    QLabel* badge = nullptr;
    for (QLabel* label : panel.findChildren<QLabel*>())
      if (label->accessibleName() == HeadGridPanel::tr("Differs from training")) badge = label;
    QVERIFY(badge != nullptr);
    test::settle();
    QVERIFY(!badge->isVisible());
    SegmentConfig other = config;
    other.grouping = Grouping({3}, {{5}});
    lab.edit_config(other, QStringLiteral("grouping"));
    QTRY_VERIFY(badge->isVisible());
    QVERIFY(badge->text().contains(QLatin1String("grouping")));
    Q_EMIT badge->linkActivated(QStringLiteral("trained"));
    QTRY_VERIFY(!badge->isVisible());
    QCOMPARE(lab.config(), config);
    lab.undo_stack().undo();
    QTRY_VERIFY(badge->isVisible());
    lab.undo_stack().redo();
    RunOptions options = lab.run_options();
    options.policy = "nsa";
    options.token_limit = 100;
    lab.set_run_options(options);
    QTRY_VERIFY(badge->isVisible());
    Q_EMIT badge->linkActivated(QStringLiteral("trained"));
    QTRY_VERIFY(!badge->isVisible());
    QCOMPARE(lab.run_options().policy, std::string("segmented"));
    QCOMPARE(lab.run_options().token_limit, std::int64_t{100});  // no setting of the training
    lab.edit_config(other, QStringLiteral("grouping"));
    QTRY_VERIFY(badge->isVisible());
    lab.set_trained_under(std::nullopt);
    QTRY_VERIFY(!badge->isVisible());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<AlignmentTest>};
#include "alignment_test.moc"
