// SPDX-License-Identifier: GPL-3.0-or-later
// Retrieved passages: what they are made of, what the panel lists of a made-up run, and the what-ifs that it asks for.
#include "widgets/text/passages_panel.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <algorithm>

#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"

using namespace carryover;

namespace {

constexpr int kSegment = 5;

/// Two windows, the later one better, and padding.
HeadHits windows(bool shared) {
  HeadHits hits{kSegment, 8, 1, {}, shared};
  hits.hits = {{0, HitKind::Padding, 0, -1, -1},
               {20, HitKind::Expanded, 1, 21, -1},
               {21, HitKind::Anchor, 1, 21, -1},
               {300, HitKind::Anchor, 2, 300, -1},
               {301, HitKind::Expanded, 2, 300, -1}};
  return hits;
}

struct Lab {
  LabContext lab;
  PassagesPanel panel{lab};

  explicit Lab(bool shared = false) {
    RunRequest request = test::synthetic_request(kSegment + 1);
    if (shared) {
      request.config.search = SearchBy::Shared;
      request.config.search_heads = {{8, 1}};
    }
    lab.set_model(test::synthetic_model().config, request.config);
    test::synthetic_run(lab.run(), kSegment + 1, kSegment, request);
    auto snapshot = std::make_shared<SegmentSnapshot>(*test::synthetic_snapshot(lab.run(), kSegment));
    if (shared) snapshot->hits = {windows(true)};
    lab.run().append(snapshot);
    lab.select({kSegment, 3, 1, -1});
    panel.resize(900, 400);
    panel.show();
    test::settle();
  }
  QTableView& table() { return *panel.findChild<QTableView*>(); }
  QString cell(int row, PassagesTable::Column column) { return table().model()->index(row, column).data().toString(); }
  QPushButton& button(const QString& text) {
    for (QPushButton* each : panel.findChildren<QPushButton*>())
      if (each->text() == text) return *each;
    qFatal("no such button");
  }
};

}  // namespace

class PassagesPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void a_passage_is_an_anchor_with_what_was_expanded_from_it() {
    const std::vector<Passage> all = passages_of(windows(false));
    QCOMPARE(all.size(), std::size_t{2});
    QVERIFY(all[0].first == 300 && all[0].end == 302 && all[0].anchor == 300 && all[0].score == 2.F);
    QVERIFY(all[1].first == 20 && all[1].end == 22 && all[1].anchor == 21);
    QVERIFY(without_passage(all[0]).dropped == std::vector<SlotRef>({{8, 1, 300}, {8, 1, 301}}));
    QVERIFY(only_passage(all, 0).dropped == std::vector<SlotRef>({{8, 1, 20}, {8, 1, 21}}));
    QVERIFY(passages_of({kSegment, 8, 1, {{4, HitKind::Padding, 0, -1, -1}}}).empty());
  }

  /// Two anchors near each other, as SelectionRule expands them: each has positions between those of the other.
  void a_passage_is_left_out_without_what_lies_in_it_of_another() {
    HeadHits hits{kSegment, 8, 1, {}, true};
    for (const std::int64_t position : {7, 8, 9, 10, 11, 13, 14})
      hits.hits.push_back({position, position == 10 ? HitKind::Anchor : HitKind::Expanded, 2, 10, -1});
    for (const std::int64_t position : {12, 15, 16})
      hits.hits.push_back({position, position == 12 ? HitKind::Anchor : HitKind::Expanded, 1, 12, -1});
    std::ranges::sort(hits.hits, {}, &Hit::position);
    const std::vector<Passage> all = passages_of(hits);
    const std::vector<TokenRange> better{{7, 12}, {13, 15}}, other{{12, 13}, {15, 17}};
    QVERIFY(positions_of(all[0]) == better && positions_of(all[1]) == other);
    QVERIFY(positions_of_others(all, 0) == other && positions_of_others(all, 1) == better);
  }

  void every_hit_but_padding_is_in_one_passage() {
    const SegmentConfig config = test::synthetic_request(6).config;
    for (int segment = 1; segment < 40; ++segment) {
      const HeadHits hits = test::synthetic_hits(config, segment, 3, 1);
      std::size_t counted = 0;
      float last = INFINITY;
      for (const Passage& passage : passages_of(hits)) {
        counted += passage.held.size();
        QVERIFY(passage.score <= last && passage.first <= passage.anchor && passage.anchor < passage.end);
        last = passage.score;
      }
      QCOMPARE(counted, static_cast<std::size_t>(std::ranges::count_if(
                            hits.hits, [](const Hit& hit) { return hit.kind != HitKind::Padding; })));
    }
  }

  void the_panel_lists_the_selected_heads_passages_as_text() {
    Lab l;
    const QAbstractItemModelTester tester(l.table().model());
    const std::vector<Passage> all = passages_of(*l.lab.run().hits(kSegment, 3, 1));
    QCOMPARE(l.table().model()->rowCount(), static_cast<int>(all.size()));
    for (int row = 0; row < l.table().model()->rowCount(); ++row) {
      QCOMPARE(l.cell(row, PassagesTable::Text), passage_text(l.lab.run(), all[static_cast<std::size_t>(row)]));
      QVERIFY(!l.cell(row, PassagesTable::Text).isEmpty() && l.cell(row, PassagesTable::Change).isEmpty());
    }
    l.lab.select({0, 3, 1, -1});
    test::settle();
    QCOMPARE(l.table().model()->rowCount(), 0);
    QVERIFY(!l.button(QStringLiteral("Remove")).isEnabled());
  }

  void a_shared_search_is_listed_for_any_head() {
    Lab l(true);
    QCOMPARE(l.table().model()->rowCount(), 2);
    QCOMPARE(l.cell(0, PassagesTable::Score), QStringLiteral("2.00"));
    QCOMPARE(l.cell(0, PassagesTable::Segment), QString::number(300 / 256));
  }

  void removing_asks_for_a_what_if_and_shows_what_it_gave() {
    Lab l(true);
    QSignalSpy asked(&l.lab.what_ifs(), &WhatIfs::run_wanted);
    l.table().selectRow(0);
    QVERIFY(l.button(QStringLiteral("Remove")).isEnabled());
    QTest::mouseClick(&l.button(QStringLiteral("Remove")), Qt::LeftButton);
    QTest::mouseClick(&l.button(QStringLiteral("Only this one")), Qt::LeftButton);
    QCOMPARE(asked.count(), 2);
    const auto plan = asked[0][0].value<WhatIfPlan>();
    QVERIFY(plan.segment == kSegment && plan.edits.size() == 1);
    const std::vector<Passage> all = passages_of(windows(true));
    QVERIFY(plan.edits[0] == without_passage(all[0]));
    QVERIFY(asked[1][0].value<WhatIfPlan>().edits[0] == only_passage(all, 0));

    const std::int64_t first = l.lab.run().record(kSegment).first_token;
    l.lab.select({kSegment, 3, 1, first + 3});
    WhatIfResult result;
    result.segment = kSegment;
    result.first_token = first;
    result.edit = plan.edits[0];
    result.before = std::vector<float>(64, 1.F);
    result.after = std::vector<float>(64, 1.5F);
    result.after[2] = 4.F;  // the loss of the token first + 3
    result.change = bootstrap_mean(loss_changes(result.before, result.after));
    l.lab.what_ifs().append(result);
    test::settle();
    QVERIFY(l.cell(0, PassagesTable::Change).startsWith(QStringLiteral("+0.5")));
    QCOMPARE(l.cell(0, PassagesTable::TokenChange), QStringLiteral("+3.000"));
    QVERIFY(l.cell(1, PassagesTable::Change).isEmpty());
    Q_EMIT l.table().activated(l.table().model()->index(0, 0));  // goes to the passage; the token's loss stays
    test::settle();
    QVERIFY(l.lab.selected() == (Selection{kSegment, 8, 1, 300}));
    QCOMPARE(l.cell(0, PassagesTable::TokenChange), QStringLiteral("+3.000"));
  }

  void a_passage_that_is_pointed_at_is_marked_until_the_pointer_leaves() {
    Lab l(true);
    const auto point = [&] { Q_EMIT l.table().entered(l.table().model()->index(0, 0)); };
    point();
    QVERIFY(l.lab.hovered() == (Selection{kSegment, 8, 1, 300}));
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(l.table().viewport(), &leave);
    QVERIFY(l.lab.hovered() == Selection());
    l.panel.set_linked(false);
    point();
    QVERIFY(l.lab.hovered() == Selection());  // the other views do not follow
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<PassagesPanelTest>};
#include "passages_panel_test.moc"
