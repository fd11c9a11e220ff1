// SPDX-License-Identifier: GPL-3.0-or-later
// The views of an inspection, on one that is made up: what they ask for, and whether they draw what they are given.
#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <cmath>

#include "app/window/panel_registry.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_inspection.h"
#include "widgets/inspection/attention_panel.h"
#include "widgets/inspection/attribution_panel.h"
#include "widgets/inspection/carry_panel.h"
#include "widgets/inspection/hits_panel.h"
#include "widgets/inspection/prefix_panel.h"
#include "widgets/inspection/recall_panel.h"
#include "widgets/inspection/recall_table.h"
#include "widgets/inspection/retrieval_map_panel.h"
#include "widgets/inspection/step_table.h"
#include "widgets/inspection/why_panel.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"

using namespace carryover;

namespace {

constexpr int segment = 5;

/// A finished run of 6 segments, with head 1 of layer 3 selected in the last one.
void prepare(LabContext& lab) {
  lab.set_model(test::synthetic_model().config, test::synthetic_request(6).config);
  test::synthetic_run(lab.run(), 6, 6, test::synthetic_request(6));
  lab.select({segment, 3, 1, -1});
}

void show(Panel& panel) {
  panel.resize(900, 600);
  panel.show();
  test::settle();
}

void answer(LabContext& lab) {
  test::serve(lab);
  test::settle();
}

bool says(const QWidget& widget, const QString& text) {
  const auto labels = widget.findChildren<QLabel*>();
  return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) { return label->text().contains(text); });
}

}  // namespace

class InspectionPanelsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    apply_theme(*qApp, ThemeKind::Light);
  }

  void delete_takes_a_hit_out_in_the_what_if_and_shows_it() {
    LabContext lab;
    prepare(lab);
    HitsPanel panel(lab);
    show(panel);
    QSignalSpy wanted(&panel, &HitsPanel::what_if_wanted);
    auto* table = panel.findChild<QTableView*>();
    table->selectRow(2);
    const auto actions = table->actions();
    const auto remove = std::ranges::find(actions, QKeySequence(QKeySequence::Delete),
                                          [](const QAction* action) { return action->shortcut(); });
    QVERIFY(remove != actions.end());
    (*remove)->trigger();
    QCOMPARE(wanted.count(), 1);
    QCOMPARE(lab.what_ifs().draft().dropped.size(), std::size_t{1});
  }

  void only_what_is_seen_is_asked_for() {
    LabContext lab;
    prepare(lab);
    AttentionPanel panel(lab);
    QVERIFY(!lab.inspections().next());
    show(panel);
    QVERIFY(lab.inspections().next()->parts.attention == (HeadRef{3, 1}));
    panel.hide();
    QVERIFY(!lab.inspections().next());
    lab.select_head(8, 2);
    test::settle();
    QVERIFY(!lab.inspections().next());
    panel.show();
    test::settle();
    QVERIFY(lab.inspections().next()->parts.attention == (HeadRef{8, 2}));
  }

  void what_is_in_the_way_is_said() {
    LabContext lab;
    prepare(lab);
    AttentionPanel attention(lab);
    RecallPanel recall(lab);
    show(attention);
    show(recall);
    lab.inspections().set_waiting_for(QStringLiteral("a run is using the engine"));
    test::settle();
    QVERIFY(says(attention, QStringLiteral("a run is using")) && says(recall, QStringLiteral("a run is using")));
    lab.inspections().set_waiting_for({});
    while (const auto query = lab.inspections().next()) lab.inspections().fail(*query, QStringLiteral("other weights"));
    test::settle();
    QVERIFY(says(attention, QStringLiteral("other weights")) && says(recall, QStringLiteral("other weights")));
  }

  void attention_tells_the_prefix_from_the_segment() {
    LabContext lab;
    prepare(lab);
    AttentionPanel panel(lab);
    show(panel);
    answer(lab);
    PlotView& plot = *panel.plots()[0];
    const HeadHits& hits = *lab.run().hits(segment, 3, 1);
    const auto prefix = static_cast<double>(hits.hits.size());
    QVERIFY(plot.map_colour(-prefix, 10).isValid() && !plot.map_colour(-prefix - 1, 10).isValid());
    QVERIFY(plot.map_colour(10, 10).isValid());
    QVERIFY(!plot.map_colour(11, 10).isValid());  // the future is blank
    const auto boundary = plot.drawn_points(0);
    QVERIFY(boundary.size() == 2 && boundary[0].first == -0.5 && boundary[1].first == -0.5);
    Q_EMIT plot.clicked(-prefix + 4, 20);
    QCOMPARE(lab.selected().token, hits.hits[4].position);
    QCOMPARE(lab.selected().segment, segment);
    Q_EMIT plot.clicked(17, 20);
    QCOMPARE(lab.selected().token, lab.run().record(segment).first_token + 17);
    Q_EMIT plot.stepped(1, 0);
    QVERIFY(lab.selected().head == 2 && lab.selected().layer == 3);
  }

  void a_token_is_explained_in_four_parts() {
    LabContext lab;
    prepare(lab);
    WhyPanel panel(lab);
    show(panel);
    QVERIFY(says(panel, QStringLiteral("Select a token")) && !lab.inspections().next());
    const std::int64_t token = lab.run().record(segment).first_token + 10;
    lab.select_token(token);
    test::settle();
    const auto query = lab.inspections().next();
    QVERIFY(query->parts.lens == 9 && query->parts.sources == 9 && query->parts.attribution == 9);
    QVERIFY(query->parts.neurons == 20 && !query->parts.ablations);  // which take longer and come after
    answer(lab);
    const auto table = [&](const char* name) {
      for (QTableView* view : panel.findChildren<QTableView*>())
        if (view->accessibleName() == QLatin1String(name)) return view->model();
      throw std::runtime_error(name);
    };
    const auto cell = [](const QAbstractItemModel* model, int row, int column) {
      return model->index(row, column).data().toString();
    };
    const QAbstractItemModel* likely = table("Likeliest tokens");
    QCOMPARE(likely->rowCount(), 2);
    QVERIFY(cell(likely, 0, LikelyTable::Token).endsWith(QStringLiteral("•")));
    QCOMPARE(cell(likely, 0, LikelyTable::NoRetrieved), probability_text(0.125));
    QCOMPARE(cell(likely, 1, LikelyTable::NoCarry), probability_text(0.25));
    QCOMPARE(cell(likely, 0, LikelyTable::NoSinks), QString());  // the run has none
    const auto layers = static_cast<int>(lab.run().model().config.layers);
    const QAbstractItemModel* lens = table("Logit lens by layer");
    QCOMPARE(lens->rowCount(), layers + 1);
    QCOMPARE(cell(lens, 0, LensTable::Layer), QStringLiteral("embedding"));
    QCOMPARE(cell(lens, 0, LensTable::Rank), QStringLiteral("6"));
    QVERIFY(cell(lens, 1, LensTable::CarryResidual).isEmpty() && !cell(lens, 2, LensTable::CarryResidual).isEmpty());
    QVERIFY(says(panel, QStringLiteral("from layer 2 on")));
    PlotView& plot = *panel.plots()[0];
    QCOMPARE(plot.drawn_points(0).size(), static_cast<std::size_t>(layers + 1));
    QCOMPARE(plot.drawn_points(1).size(), static_cast<std::size_t>(layers - 1));
    QVERIFY(plot.csv().contains(QStringLiteral(",carry")));
    const QAbstractItemModel* parts = table("Heads and neurons that change the logit most");
    QCOMPARE(parts->rowCount(), 20);
    QVERIFY(cell(parts, 0, LogitShareTable::Place).contains(QStringLiteral("neuron 0")));
    QCOMPARE(cell(parts, 0, LogitShareTable::Logit), signed_text(1, 3));
    const QAbstractItemModel* sources = table("Positions that change the logit most");
    QCOMPARE(cell(sources, 0, LogitShareTable::Place), QStringLiteral("3"));
    QCOMPARE(cell(sources, 1, LogitShareTable::Logit), signed_text(-0.5, 3));
    for (QTableView* view : panel.findChildren<QTableView*>()) {
      if (view->model() == parts) Q_EMIT view->activated(parts->index(1, 0));
      if (view->model() == sources) Q_EMIT view->activated(sources->index(0, 0));
    }
    QSignalSpy asked(&lab.what_ifs(), &WhatIfs::run_wanted);
    for (QTableView* view : panel.findChildren<QTableView*>()) {
      if (view->model() != likely && view->model() != parts) continue;
      int row = 0;
      while (view->model() == parts && !cell(parts, row, LogitShareTable::Place).contains(QStringLiteral("head")))
        ++row;
      view->setCurrentIndex(view->model()->index(row, view->model() == likely ? LikelyTable::NoCarry : 0));
      for (QAction* action : view->actions())
        if (action->text().startsWith(QStringLiteral("Run the segment"))) action->trigger();
    }
    QCOMPARE(asked.count(), 2);
    const auto edit_of = [&](int i) { return asked.at(i).at(0).value<WhatIfPlan>().edits.at(0); };
    QVERIFY(edit_of(0).no_carry || edit_of(1).no_carry);
    QCOMPARE(edit_of(0).zeroed_heads.size() + edit_of(1).zeroed_heads.size(), std::size_t{1});
    QCOMPARE(lab.selected().layer, 1);  // of neuron 7, the second
    QCOMPARE(lab.selected().token, std::int64_t{3});
  }

  void the_prefix_is_walked_step_by_step() {
    LabContext lab;
    prepare(lab);
    PrefixPanel panel(lab);
    show(panel);
    answer(lab);
    PlotView &scores = *panel.plots()[0], &held = *panel.plots()[1];
    const HeadHits& hits = *lab.run().hits(segment, 3, 1);
    const auto anchor =
        std::find_if(hits.hits.begin(), hits.hits.end(), [](const Hit& hit) { return hit.kind == HitKind::Anchor; });
    const auto padding =
        std::find_if(hits.hits.begin(), hits.hits.end(), [](const Hit& hit) { return hit.kind == HitKind::Padding; });
    const auto anchor_slot = static_cast<double>(anchor - hits.hits.begin());
    const auto padding_slot = static_cast<double>(padding - hits.hits.begin());
    const auto go = [&](SearchStep step) {
      panel.go_to(step);
      test::settle();
    };
    go(SearchStep::Summaries);
    QVERIFY(!scores.map_colour(3, 0).isValid() && !held.map_colour(anchor_slot, 0).isValid());
    go(SearchStep::Scores);
    QVERIFY(scores.map_colour(3, 0).isValid());
    go(SearchStep::Anchors);
    QCOMPARE(held.map_colour(anchor_slot, 0), current_theme().anchor);
    QVERIFY(!held.map_colour(padding_slot, 0).isValid());
    go(SearchStep::Padding);
    QCOMPARE(held.map_colour(padding_slot, 0), current_theme().padding);
    QCOMPARE(held.map_colour(static_cast<double>(hits.hits.size()), 0), current_theme().accent);  // the segment
    Q_EMIT held.clicked(padding_slot, 0);
    QCOMPARE(lab.selected().token, padding->position);
    QCOMPARE(panel.findChild<QTableView*>()->currentIndex().row(), -1);
    test::settle();
    QCOMPARE(panel.findChild<QTableView*>()->currentIndex().row(), static_cast<int>(padding_slot));
  }

  void a_head_without_a_prefix_says_why() {
    LabContext lab;
    prepare(lab);
    PrefixPanel panel(lab);
    lab.select({segment, 4, 5, -1});
    show(panel);
    QVERIFY(!lab.inspections().next());
    QVERIFY(says(panel, QStringLiteral("retrieves nothing")));
    lab.select({0, 3, 1, -1});
    test::settle();
    QVERIFY(says(panel, QStringLiteral("first segment")));
  }

  void a_run_without_r_says_that_this_is_why() {
    LabContext lab;
    test::synthetic_run(lab.run(), 4, 4, test::synthetic_request(4, 64, 0));
    lab.select({2, 3, 1, -1});  // a head that would read it
    PrefixPanel prefix(lab);
    RetrievalMapPanel map(lab);
    HitsPanel hits(lab);
    for (Panel* panel : std::initializer_list<Panel*>{&prefix, &map, &hits}) {
      show(*panel);
      QVERIFY2(says(*panel, QStringLiteral("R = 0")), qPrintable(panel->title()));
    }
  }

  void steps_are_tables() {
    LabContext lab;
    prepare(lab);
    const SearchSteps steps = test::synthetic_search(lab.run(), segment, {3, 1});
    StepTable table;
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto text = [](std::int64_t position) { return QString::number(position); };
    const std::size_t expected[] = {steps.summaries.size(), steps.summaries.size(), steps.ranked.size()};
    for (int step = 0; step < search_step_count; ++step) {
      table.set(rows_of_step(static_cast<SearchStep>(step), steps, text));
      if (step < 3) QCOMPARE(table.rowCount(), static_cast<int>(expected[step]));
      QVERIFY(!describe_step(static_cast<SearchStep>(step), steps, lab.run().request().config).contains(u'%'));
    }
    QCOMPARE(table.rowCount(), static_cast<int>(steps.hits.hits.size()));
    const std::size_t anchors = slots_after(SearchStep::Anchors, steps).size();
    table.set(rows_of_step(SearchStep::Anchors, steps, text));
    QCOMPARE(table.rowCount(), static_cast<int>(anchors));
    for (int row = 1; row < table.rowCount(); ++row)  // best first
      QVERIFY(table.index(row, 2).data().toString().toDouble() <= table.index(row - 1, 2).data().toString().toDouble());
  }

  /// A column of a long pool holds several positions; the best key is one of them.
  void the_best_key_of_pooled_scores_has_its_own_position() {
    SearchSteps steps;
    steps.summaries = {{8, 12}, {11, 12}};
    steps.position_step = 4;
    steps.scores = {2, 3, {0.5F, 2.F, NAN, NAN, NAN, NAN}};
    steps.best = {6, -1};
    const StepRows table = rows_of_step(SearchStep::Scores, steps,
                                        [](std::int64_t position) { return QStringLiteral("at %1").arg(position); });
    QVERIFY(table.rows[0].position == 6 && table.rows[1].position == -1);
    QCOMPARE(table.rows[0].cells[1].toString(), QStringLiteral("6"));
    QCOMPARE(table.rows[0].cells[2].toDouble(), 2.0);
    QCOMPARE(table.rows[0].cells[3].toString(), QStringLiteral("at 6"));
    QVERIFY(table.rows[1].cells[1].toString().isEmpty() && table.rows[1].cells[3].toString().isEmpty());
  }

  void masses_stand_beside_the_hits() {
    LabContext lab;
    prepare(lab);
    HitsPanel panel(lab);
    show(panel);
    QVERIFY(lab.inspections().next()->parts.masses);
    answer(lab);
    const auto* table = panel.findChild<QTableView*>();
    QVERIFY(!table->isColumnHidden(HitsModel::Mass));
    QCOMPARE(table->model()->index(0, HitsModel::Mass).data().toString(), QStringLiteral("0.100 %"));
    QCOMPARE(table->model()->index(9, HitsModel::Mass).data().toString(), QStringLiteral("1.000 %"));
    auto* scope = panel.findChild<QComboBox*>();
    scope->setCurrentIndex(2);  // one head in all segments: a run of each would be needed
    test::settle();
    QVERIFY(table->isColumnHidden(HitsModel::Mass) && !lab.inspections().next());
  }

  void hits_can_be_dropped_in_a_what_if() {
    LabContext lab;
    prepare(lab);
    HitsPanel panel(lab);
    show(panel);
    auto* table = panel.findChild<QTableView*>();
    table->selectRow(3);
    table->setFocus();
    for (QAction* action : table->actions())
      if (action->shortcut() == QKeySequence(QKeySequence::Delete)) action->trigger();
    const HeadHits& first = lab.run().snapshot(segment).hits.front();
    QVERIFY(lab.what_ifs().draft().dropped ==
            (std::vector<SlotRef>{{first.layer, first.head, first.hits[3].position}}));
  }

  void the_carry_view_shows_attention_on_the_prefix() {
    LabContext lab;
    prepare(lab);
    CarryPanel panel(lab);
    show(panel);
    QVERIFY(!lab.inspections().next());  // norms need no engine
    panel.findChild<QComboBox*>()->setCurrentIndex(3);
    test::settle();
    QVERIFY(lab.inspections().next()->parts.masses);
    answer(lab);
    PlotView& plot = *panel.plots()[0];
    QVERIFY(plot.map_colour(5, 11).isValid() && !plot.map_colour(6, 11).isValid());
    QVERIFY(plot.map_colour(0, 0) != plot.map_colour(5, 11));
    Q_EMIT plot.clicked(4, 7);
    QVERIFY(lab.selected().layer == 7 && lab.selected().head == 4);
    panel.findChild<QComboBox*>()->setCurrentIndex(0);
    test::settle();
    QVERIFY(!lab.inspections().next() && plot.map_colour(20, 3).isValid());
  }

  void recall_is_ranked_by_head() {
    LabContext lab;
    prepare(lab);
    RecallPanel panel(lab);
    show(panel);
    QVERIFY(lab.inspections().next()->parts.recall);
    answer(lab);
    auto* table = panel.findChild<QTableView*>();
    QCOMPARE(table->model()->rowCount(), 6);
    QCOMPARE(table->model()->index(0, RecallTable::Head).data().toString(), QStringLiteral("2"));  // of layer 8
    QVERIFY(says(panel, QStringLiteral("recall@R")));
    Q_EMIT table->activated(table->model()->index(0, 0));
    QVERIFY(lab.selected().layer == 8 && lab.selected().head == 2 && lab.selected().segment == segment);
    QCOMPARE(panel.plots()[0]->drawn_points(0).size(), std::size_t{6});
    RecallTable model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_rows({{{1, 2}, 0.5, 0.25, 0.75, {}}});
    QCOMPARE(model.index(0, RecallTable::Missed).data().toString(), QStringLiteral("50.0 %"));
  }

  /// Scripts and layouts of earlier versions name the panel by its id of then.
  void a_panels_former_id_is_understood() {
    QCOMPARE(current_panel_id(QStringLiteral("misses")), QStringLiteral("retrieval_recall"));
    QCOMPARE(current_panel_id(QStringLiteral("hits")), QStringLiteral("hits"));
    const auto add_dock = [](QMainWindow& window, const char* id, Qt::DockWidgetArea area) {
      auto* dock = new QDockWidget(&window);
      dock->setObjectName(QLatin1String(id));
      window.addDockWidget(area, dock);
      return dock;
    };
    QMainWindow before, after;
    add_dock(before, "misses", Qt::LeftDockWidgetArea);
    QDockWidget* dock = add_dock(after, "retrieval_recall", Qt::RightDockWidgetArea);
    QVERIFY(after.restoreState(with_current_panel_ids(before.saveState())));
    QCOMPARE(after.dockWidgetArea(dock), Qt::LeftDockWidgetArea);
  }

  void a_logit_is_taken_apart() {
    LabContext lab;
    prepare(lab);
    AttributionPanel panel(lab);
    show(panel);
    QVERIFY(!lab.inspections().next());
    QVERIFY(says(panel, QStringLiteral("Select a token")));
    const std::int64_t first = lab.run().record(3).first_token;
    lab.select_token(first);  // the first token of segment 3 is predicted by the last one of segment 2
    test::settle();
    QCOMPARE(lab.inspections().next()->segment, 2);
    QCOMPARE(lab.inspections().next()->parts.attribution, std::optional<std::int64_t>(255));
    answer(lab);
    PlotView &heads = *panel.plots()[0], &layers = *panel.plots()[1];
    QVERIFY(heads.map_colour(5, 11).isValid());
    const auto sinks = layers.drawn_points(0), carry = layers.drawn_points(2);
    QCOMPARE(carry.size(), std::size_t{12});
    QVERIFY(std::abs(carry[4].second - 6 * 0.125) < 1e-6);
    QVERIFY(std::abs(sinks[4].second - 6 * 0.0625) < 1e-6);
    QVERIFY(says(panel, QStringLiteral("17.50")));
    // The token's probability is that of its loss in the run, which the tooltip of the text shows too.
    QVERIFY(says(panel, probability_text(token_probability(lab.run().nll_of_token(first)))));
    QVERIFY(says(panel, QStringLiteral("sinks + 4.50")));
    QCOMPARE(
        heads.csv().section(QLatin1Char('\n'), 0, 1),
        QStringLiteral("layer,head,carry,retrieved,segment,sinks,feed_forward\n0,0,0.125,-0.0625,0.03125,0.0625,"));
    const QColor all = heads.map_colour(1, 1);
    panel.findChild<QComboBox*>()->setCurrentIndex(2);  // what was retrieved pulls the other way
    test::settle();
    QVERIFY(heads.map_colour(1, 1) != all);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<InspectionPanelsTest>};
#include "inspection_panels_test.moc"
