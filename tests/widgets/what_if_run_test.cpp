// SPDX-License-Identifier: GPL-3.0-or-later
// What-ifs and inspections in the window, on the real engine and the demo.
#include <QApplication>
#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "app/start/startup.h"
#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "engine/config/head_reads.h"
#include "tests/support/gui_test.h"
#include "widgets/plot/plot_view.h"
#include "widgets/what_if/edit_form.h"
#include "widgets/what_if/what_if_panel.h"

using namespace carryover;

namespace {

constexpr int patience_ms = 240'000;

QString demo() {
  return QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/demo");
}

/// The demo, run in segments, with the head selected that has the most anchors in the last whole segment.
void run_demo(MainWindow& window, std::int64_t tokens = 1200) {
  RunOptions options;
  options.token_limit = tokens;
  options.dtype = DType::Float32;
  window.lab().context.set_run_options(options);
  window.lab().loader.open_model(demo());
  window.lab().loader.open_text(demo() + QStringLiteral("/text.txt"));
  QSignalSpy ended(&window.lab().runs, &RunController::run_ended);
  window.lab().runs.run_when_ready();
  QVERIFY(ended.wait(patience_ms));
  const RunModel& run = window.lab().context.run();
  const int segment = run.segment_count() - 2;
  const auto& hits = run.snapshot(segment).hits;
  const auto anchors = [](const HeadHits& head) {
    return std::count_if(head.hits.begin(), head.hits.end(), [](const Hit& h) { return h.kind == HitKind::Anchor; });
  };
  const auto best = std::max_element(hits.begin(), hits.end(),
                                     [&](const HeadHits& a, const HeadHits& b) { return anchors(a) < anchors(b); });
  window.lab().context.select({segment, best->layer, best->head, -1});
}

/// Runs the draft and waits for what comes of it.
void run_draft(MainWindow& window) {
  WhatIfs& what_ifs = window.lab().context.what_ifs();
  QSignalSpy results(&what_ifs, &WhatIfs::results_changed);
  window.docks().raise(QStringLiteral("what_if"));
  QTRY_VERIFY_WITH_TIMEOUT(what_ifs.unavailable().isEmpty() && !what_ifs.running(), patience_ms);
  what_ifs.ask_run({window.lab().context.selected().segment, {what_ifs.draft()}}, QStringLiteral("a test"));
  QTRY_VERIFY_WITH_TIMEOUT(results.count() == 1 && !what_ifs.running(), patience_ms);
  QVERIFY2(window.message_bar().isHidden(), qPrintable(window.message_bar().text()));
}

const HeadHits& selected_hits(MainWindow& window) {
  const Selection& selected = window.lab().context.selected();
  return *window.lab().context.run().hits(selected.segment, selected.layer, selected.head);
}

const Hit& top_hit(const HeadHits& hits) {
  return *std::max_element(hits.hits.begin(), hits.hits.end(), [](const Hit& a, const Hit& b) {
    return std::pair(a.kind == HitKind::Anchor, a.score) < std::pair(b.kind == HitKind::Anchor, b.score);
  });
}

}  // namespace

class WhatIfRunTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void the_segment_as_it_was_is_what_the_run_said() {
    MainWindow window;
    window.show();
    run_demo(window);
    LabContext& lab = window.lab().context;
    lab.what_ifs().drop({lab.selected().layer, lab.selected().head, top_hit(selected_hits(window)).position});
    run_draft(window);
    const WhatIfResult& result = *lab.what_ifs().shown_in_run();
    const SegmentSnapshot& snapshot = lab.run().snapshot(result.segment);
    QCOMPARE(result.before.size(), snapshot.target_nll.size());
    for (std::size_t i = 0; i < result.before.size(); ++i)
      QVERIFY(std::abs(result.before[i] - snapshot.target_nll[i]) < 1e-4F);
    QCOMPARE(result.changes.size(), std::size_t{1});
    QVERIFY(!result.changes[0].gained);
    QCOMPARE(result.changes[0].hit, top_hit(selected_hits(window)));
    QVERIFY(std::any_of(result.after.begin(), result.after.end(),
                        [&, i = std::size_t{0}](float after) mutable { return after != result.before[i++]; }));
  }

  void every_source_and_setting_runs() {
    MainWindow window;
    window.show();
    run_demo(window);
    LabContext& lab = window.lab().context;
    const std::size_t slots_read = selected_hits(window).hits.size();
    const auto lost = [&] {
      const auto& changes = lab.what_ifs().shown_result()->changes;
      return std::count_if(changes.begin(), changes.end(), [](const HitChange& change) { return !change.gained; });
    };
    SegmentEdit edit;
    edit.prefix = PrefixSource::Off;
    lab.what_ifs().set_draft(edit);
    run_draft(window);
    QCOMPARE(lost(), static_cast<std::ptrdiff_t>(lab.run().snapshot(lab.selected().segment).hits.size() * slots_read));
    edit.prefix = PrefixSource::Search;
    edit.no_carry = true;
    lab.what_ifs().set_draft(edit);
    run_draft(window);
    QCOMPARE(lab.what_ifs().shown_result()->changes.size(), std::size_t{0});
    QVERIFY(lab.what_ifs().shown_result()->change.mean != 0);
    for (const PrefixSource source : prefix_sources()) {
      if (source == PrefixSource::Search) continue;
      edit = {};
      edit.prefix = source;
      lab.what_ifs().set_draft(edit);
      run_draft(window);
    }
    edit = {};
    edit.config = lab.run().request().config;
    edit.config->retrieval_length /= 2;
    lab.what_ifs().set_draft(edit);
    run_draft(window);
    QVERIFY(lost() > 0);
  }

  void banned_positions_are_not_read() {
    MainWindow window;
    window.show();
    run_demo(window);
    LabContext& lab = window.lab().context;
    const std::int64_t position = top_hit(selected_hits(window)).position;
    lab.what_ifs().ban({position - 2, position + 3});
    run_draft(window);
    for (const HitChange& change : lab.what_ifs().shown_result()->changes)
      if (change.gained) QVERIFY(change.hit.position < position - 2 || change.hit.position > position + 2);
    const auto& changes = lab.what_ifs().shown_result()->changes;
    QVERIFY(std::any_of(changes.begin(), changes.end(),
                        [&](const HitChange& change) { return !change.gained && change.hit.position == position; }));
  }

  /// Its list is that of the first searcher, whichever reader is selected.
  void a_slot_of_a_shared_list_is_removed_from_any_reader() {
    MainWindow window;
    window.show();
    run_demo(window);
    LabContext& lab = window.lab().context;
    Selection selected = lab.selected();
    const std::vector<int> readers = reader_heads(lab.config(), *lab.model(), selected.layer);
    QVERIFY(readers.size() > 1);
    SegmentConfig config = lab.config();
    config.search = SearchBy::Shared;
    config.search_heads = {{selected.layer, readers.front()}};
    lab.set_config(config);
    QSignalSpy ended(&window.lab().runs, &RunController::run_ended);
    window.lab().runs.run();
    QVERIFY(ended.wait(patience_ms));
    selected.head = readers.back();
    lab.select(selected);
    QVERIFY(selected_hits(window).shared);
    selected.token = selected_hits(window).hits.front().position;
    lab.select(selected);
    for (QPushButton* button : window.docks().panel(QStringLiteral("what_if"))->findChildren<QPushButton*>())
      if (button->text() == EditForm::tr("Remove from all readers")) button->click();
    QVERIFY(lab.what_ifs().draft().dropped ==
            (std::vector<SlotRef>{{selected.layer, readers.front(), selected.token}}));
    run_draft(window);
    const auto& changes = lab.what_ifs().shown_in_run()->changes;
    QVERIFY(changes.size() == 1 && !changes[0].gained && changes[0].hit.position == selected.token);
  }

  void the_price_comes_before_the_run() {
    MainWindow window;
    window.show();
    run_demo(window);
    WhatIfs& what_ifs = window.lab().context.what_ifs();
    SegmentEdit edit;
    edit.no_carry = true;
    QSignalSpy priced(&what_ifs, &WhatIfs::price_changed);
    what_ifs.ask_price({window.lab().context.selected().segment, {edit}});
    QTRY_VERIFY_WITH_TIMEOUT(what_ifs.price().has_value(), patience_ms);
    const WhatIfPrice cheap = *what_ifs.price();
    QVERIFY(cheap.segments >= 1 && cheap.seconds > 0);
    edit.banned = {{3, 9}};
    what_ifs.set_price({});
    what_ifs.ask_price({window.lab().context.selected().segment, {edit}});
    QTRY_VERIFY_WITH_TIMEOUT(what_ifs.price().has_value(), patience_ms);
    QVERIFY(what_ifs.price()->segments > cheap.segments);  // the search has to be done again
  }

  void a_sweep_ranks_the_hits_and_can_be_cancelled() {
    MainWindow window;
    window.show();
    run_demo(window);
    WhatIfs& what_ifs = window.lab().context.what_ifs();
    const int segment = window.lab().context.selected().segment;
    what_ifs.ask_sweep(segment, {selected_hits(window)});
    QVERIFY(what_ifs.sweeping() && !window.lab().runs.can_run());
    QTRY_VERIFY_WITH_TIMEOUT(!what_ifs.running(), patience_ms);
    for (const AblatedHit& hit : what_ifs.ablated()) QVERIFY(hit.done);
    QVERIFY(std::any_of(what_ifs.ablated().begin(), what_ifs.ablated().end(),
                        [](const AblatedHit& hit) { return hit.change.mean != 0; }));
    QVERIFY(window.lab().runs.can_run());
    what_ifs.ask_sweep(segment, window.lab().context.run().snapshot(segment).hits);
    what_ifs.ask_cancel();
    QTRY_VERIFY_WITH_TIMEOUT(!what_ifs.running(), patience_ms);
    QVERIFY(window.message_bar().isHidden());
    QVERIFY(window.lab().runs.can_run());
  }

  void a_run_goes_before_and_is_said_to() {
    MainWindow window;
    window.show();
    run_demo(window);
    LabContext& lab = window.lab().context;
    window.docks().raise(QStringLiteral("attention"));
    QSignalSpy ended(&window.lab().runs, &RunController::run_ended);
    window.lab().runs.run(1);  // stops by itself in segment 1
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.engine_paused(), patience_ms);
    lab.select({0, 1, 0, -1});
    SegmentEdit edit;
    edit.no_carry = true;
    lab.what_ifs().ask_run({0, {edit}}, QStringLiteral("too early"));
    QVERIFY(!window.message_bar().isHidden() && !lab.what_ifs().running());
    QTRY_VERIFY_WITH_TIMEOUT(!lab.inspections().waiting_for().isEmpty(), patience_ms);
    window.lab().runs.resume();
    QVERIFY(ended.wait(patience_ms));
    QTRY_VERIFY_WITH_TIMEOUT(lab.inspections().answer(QStringLiteral("attention")) != nullptr, patience_ms);
  }

  void every_view_of_an_inspection_is_filled() {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    run_demo(window);
    LabContext& lab = window.lab().context;
    Selection selection = lab.selected();
    selection.token = lab.run().record(selection.segment).first_token + 9;
    lab.select(selection);
    const auto seen = [&](const char* name) {
      const QString id = QString::fromLatin1(name);
      window.docks().raise(id);
      if (!QTest::qWaitFor([&] { return lab.inspections().answer(id) != nullptr; }, patience_ms)) return Inspection{};
      const Inspection answer = *lab.inspections().answer(id);
      const auto drawn = [&] {
        const auto plots = window.docks().panel(id)->plots();
        return std::none_of(plots.begin(), plots.end(), [](const PlotView* plot) { return plot->is_empty(); });
      };
      return QTest::qWaitFor(drawn, patience_ms) ? answer : Inspection{};
    };
    const HeadRef head{selection.layer, selection.head};
    const Inspection prefix = seen("prefix"), attention = seen("attention"), recall = seen("retrieval_recall");
    QVERIFY(prefix.search && prefix.search->hits == selected_hits(window));
    QVERIFY(attention.attention && attention.attention->head == head);
    QCOMPARE(attention.attention->prefix_length, std::ssize(selected_hits(window).hits));
    QCOMPARE(recall.recall.size(), lab.run().snapshot(selection.segment).hits.size());
    const Inspection logit = seen("attribution"), masses = seen("hits");
    QVERIFY(logit.attribution);
    QCOMPARE(logit.attribution->prediction.target,
             (*lab.run().request().ids)[static_cast<std::size_t>(selection.token)]);
    QCOMPARE(masses.slot_masses.size(), recall.recall.size());
  }

  void the_window_closes_while_something_is_under_way() {
    {
      MainWindow window;
      window.show();
      run_demo(window);
      const int segment = window.lab().context.selected().segment;
      window.lab().context.what_ifs().ask_sweep(segment, window.lab().context.run().snapshot(segment).hits);
      QTRY_VERIFY_WITH_TIMEOUT(!window.lab().engine.busy().isEmpty(), patience_ms);
    }
    QVERIFY(QApplication::topLevelWidgets().isEmpty());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<WhatIfRunTest>};
#include "what_if_run_test.moc"
