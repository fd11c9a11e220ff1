// SPDX-License-Identifier: GPL-3.0-or-later
// The heatmap of a sweep: what it asks for, how it fills, and what a click on a cell leads to.
#include "widgets/what_if/sweep_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <cmath>

#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"

using namespace carryover;

namespace {

constexpr int kSegment = 5;

struct Shown {
  LabContext lab;
  std::unique_ptr<SweepPanel> panel;

  Shown() {
    lab.set_model(test::synthetic_model().config, test::synthetic_request(6).config);
    test::synthetic_run(lab.run(), 6, 6, test::synthetic_request(6));
    panel = std::make_unique<SweepPanel>(lab);
    panel->resize(900, 500);
    panel->show();
    test::settle();
  }
  std::int64_t first_token() { return lab.run().record(kSegment).first_token; }
  QComboBox* box(const QString& name) {
    for (QComboBox* box : panel->findChildren<QComboBox*>())
      if (box->accessibleName() == name) return box;
    return nullptr;
  }
  QToolButton* button(const QString& text) {
    for (QToolButton* button : panel->findChildren<QToolButton*>())
      if (button->text() == text) return button;
    return nullptr;
  }
  QString says() {
    for (const QLabel* label : panel->findChildren<QLabel*>())
      if (label->accessibleName().startsWith("Cost")) return label->text();
    return {};
  }
  SweepPlan wanted() {
    QSignalSpy asked(panel.get(), &SweepPanel::run_wanted);
    button("Run")->click();
    return asked.isEmpty() ? SweepPlan{} : asked.front().front().value<SweepPlan>();
  }
  /// Answers a plan: the logit falls by the number of its cell.
  void answer(const SweepPlan& plan, std::size_t count = 1'000'000) {
    panel->begin(plan);
    SweepBase base;
    base.prediction.token = plan.question.token;
    base.as_it_was.logit = 5;
    panel->set_base(base);
    std::vector<SweepCell> cells;
    for (const SweepPlace& place : sweep_places(sweep_request(lab, plan), lab.run().model().config)) {
      if (cells.size() == count) break;
      cells.push_back({place, 5 - static_cast<double>(cells.size()), 0, -1, 2});
    }
    panel->add_cells(cells);
    test::settle();
  }
  PlotView& plot() { return *panel->plots().front(); }
};

}  // namespace

class SweepPanelTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void it_needs_a_token_and_says_what_a_sweep_costs() {
    Shown s;
    QVERIFY(s.says().contains("Select a token"));
    QVERIFY(!s.button("Run")->isEnabled());
    s.lab.select_token(s.first_token() + 3);
    test::settle();
    const ModelConfig& model = s.lab.run().model().config;
    QVERIFY2(s.says().startsWith(QString::number(model.layers * model.heads) + " cells"), qPrintable(s.says()));
    s.panel->set_engine_busy("a run uses the engine");
    test::settle();
    QCOMPARE(s.says(), QString("a run uses the engine"));
    QVERIFY(!s.button("Run")->isEnabled());
  }

  void it_asks_for_what_is_set() {
    Shown s;
    s.lab.select_token(s.first_token() + 9);
    test::settle();
    SweepPlan plan = s.wanted();
    QCOMPARE(plan.segment, kSegment);
    QCOMPARE(plan.question.token, 8);
    QVERIFY(plan.site == SweepSite::Heads && plan.source == SweepSource::Zero && !plan.tokens);
    s.panel->findChild<QSpinBox*>()->setValue(2);
    QVERIFY(s.wanted().tokens == (TokenRange{7, 9}));
    s.box("What each cell replaces")->setCurrentIndex(static_cast<int>(SweepSite::Residual));
    s.box("What it is replaced by")->setCurrentIndex(static_cast<int>(SweepSource::Mean));
    s.panel->findChild<QSpinBox*>()->setValue(4);
    s.panel->findChild<QCheckBox*>()->setChecked(true);
    test::settle();
    plan = s.wanted();
    QVERIFY(plan.tokens == (TokenRange{5, 9}));
    QVERIFY(plan.source == SweepSource::Mean && plan.losses);
    s.box("What it is replaced by")->setCurrentIndex(static_cast<int>(SweepSource::Run));
    test::settle();
    QVERIFY2(s.says().contains("pin one as B"), qPrintable(s.says()));
    s.box("What each cell replaces")->setCurrentIndex(static_cast<int>(SweepSite::Carry));
    test::settle();
    QVERIFY(!s.box("What it is replaced by")->isEnabled());
    QVERIFY(s.wanted().source == SweepSource::Zero);
  }

  void cells_fill_the_heatmap_and_stay_after_a_stop() {
    Shown s;
    s.lab.select_token(s.first_token() + 9);
    test::settle();
    const SweepPlan plan = s.wanted();
    s.answer(plan, 3);
    QVERIFY(s.says().startsWith("3 of "));
    QVERIFY(s.plot().map_colour(2, 0).isValid());
    QVERIFY(!s.plot().map_colour(3, 0).isValid());
    s.panel->end();
    test::settle();
    QVERIFY(s.plot().map_colour(2, 0).isValid());
    QVERIFY(s.plot().csv().contains("\n0,2,-2,"));
    s.lab.select_token(s.first_token() + 2);  // it stays on show
    test::settle();
    QVERIFY(s.plot().map_colour(2, 0).isValid());
    s.lab.run().clear();
    test::settle();
    QVERIFY(!s.plot().map_colour(2, 0).isValid());
  }

  void a_click_selects_a_head_and_offers_it_as_a_what_if() {
    Shown s;
    s.lab.select_token(s.first_token() + 9);
    s.box("What each cell replaces")->setCurrentIndex(static_cast<int>(SweepSite::Retrieved));
    test::settle();
    s.answer(s.wanted());
    s.panel->end();
    test::settle();
    QVERIFY(!s.button("As what-if")->isEnabled());
    Q_EMIT s.plot().clicked(1.2, 3.9);
    test::settle();
    QCOMPARE(s.lab.selected().layer, 4);
    QCOMPARE(s.lab.selected().head, 1);
    QSignalSpy asked(&s.lab.what_ifs(), &WhatIfs::run_wanted);
    s.button("As what-if")->click();
    const auto plan = asked.front().front().value<WhatIfPlan>();
    QCOMPARE(plan.segment, kSegment);
    QVERIFY(plan.edits.front() == (SegmentEdit{.unread = {{{4, 1}, PrefixPart::Retrieved}}}));
    QVERIFY(asked.front().back().toString().contains("without what it retrieved"));
  }

  void a_column_of_tokens_has_their_texts() {
    Shown s;
    s.lab.select_token(s.first_token() + 9);
    s.box("What each cell replaces")->setCurrentIndex(static_cast<int>(SweepSite::FeedForward));
    test::settle();
    s.answer(s.wanted());
    s.panel->end();
    test::settle();
    QVERIFY(s.plot().csv().startsWith("layer,token,"));
    QVERIFY(s.plot().csv().contains(QString("\n0,%1,").arg(s.first_token() + 8)));
    s.box("Value that the heatmap shows")->setCurrentIndex(2);  // Δ loss, which was not asked for
    test::settle();
    QVERIFY(!s.plot().map_colour(0, 0).isValid());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<SweepPanelTest>};
#include "sweep_panel_test.moc"
