// SPDX-License-Identifier: GPL-3.0-or-later
// The text coloured by the sources of the selected token: what it says is what a session of its own computes.
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cmath>

#include "engine/api/engine_library.h"
#include "tests/support/demo_window.h"
#include "tests/support/find_parts.h"
#include "tests/support/gui_test.h"
#include "widgets/text/state/token_source_values.h"
#include "widgets/text/token_view.h"

using namespace carryover;
using namespace carryover::test;

namespace {

QLabel* legend_of(const Panel& panel) {
  return label_named(panel, QStringLiteral("What the colours mean"));
}

void show_demo(MainWindow& window) {
  window.resize(1280, 800);
  window.show();
  open_demo(window, 640);
  run_to_the_end(window);
}

}  // namespace

class TokenSourcesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void values_are_means_maxima_rows_and_logits() {
    const TokenSources sources{0, {0, 4, 7}, {2, 3, {0.5F, 0.1F, 0.4F, 0.7F, 0.3F, 0}}, {2, -1, 0.5F}};
    const TokenSourceValues mean(sources, SourceValue::MeanAttention, 0, 0);
    QCOMPARE(mean.at(4), 0.2F);
    QCOMPARE(mean.full(), 0.2F);  // the first position of the text is left out of the scale
    QCOMPARE(mean.strength(0), 1.0F);
    QVERIFY(std::isnan(mean.at(5)) && std::isnan(mean.strength(8)));
    const TokenSourceValues largest(sources, SourceValue::LargestAttention, 0, 0);
    QCOMPARE(largest.at(7), 0.4F);
    QCOMPARE(largest.strength(4), std::sqrt(0.75F));
    const TokenSourceValues head(sources, SourceValue::HeadAttention, 1, 0);
    QCOMPARE(head.at(7), 0.0F);
    QCOMPARE(head.at(4), 0.3F);
    const TokenSourceValues logit(sources, SourceValue::Logit, 0, 0);
    QCOMPARE(logit.full(), 1.0F);
    QCOMPARE(logit.strength(4), -1.0F);
    QCOMPARE(logit.strength(7), 0.5F);
    QVERIFY(std::isnan(TokenSourceValues().strength(0)));
  }

  void the_text_is_coloured_by_what_a_session_of_its_own_finds() {
    MainWindow window;
    show_demo(window);
    LabContext& lab = window.lab().context;
    const Panel& panel = *window.docks().panel("text");
    QComboBox* colour = box_with(panel, "Colour: sources by attention");
    QComboBox* heads = box_with(panel, "Strongest head");
    QLabel* legend = legend_of(panel);
    QVERIFY(colour && heads && legend && legend->isHidden());
    colour->setCurrentText("Colour: sources by attention");
    QTRY_VERIFY(legend->isVisible());
    const std::int64_t token = 6 * 64 + 2;  // predicted in segment 6, which has a carry and hits
    lab.select_token(token);
    QTRY_VERIFY_WITH_TIMEOUT(legend->text().contains("Full colour"), patience_ms);

    const RunModel& run = lab.run();
    const auto session =
        load_session({run.model().path, DType::Float32, Device::Cpu, 0, false, {}}, [](double, const std::string&) {});
    RunControl control;
    InspectionParts parts;
    parts.sources = 1;
    const TokenSources sources = *session->inspect({run.request(), 6, parts}, control).sources;
    const auto percent = [&](SourceValue value, std::int64_t row) {
      const TokenSourceValues values(sources, value, row, 0);
      return QString("%1 %").arg(100 * static_cast<double>(values.full()), 0, 'f', 1);
    };
    QVERIFY2(legend->text().contains(percent(SourceValue::MeanAttention, 0)), qPrintable(legend->text()));
    heads->setCurrentText("Strongest head");
    QTRY_VERIFY2(legend->text().contains(percent(SourceValue::LargestAttention, 0)), qPrintable(legend->text()));
    heads->setCurrentText("Selected head");
    Selection selection = lab.selected();
    selection.layer = 3;
    selection.head = 4;
    lab.select(selection);
    QTRY_VERIFY2(legend->text().contains(percent(SourceValue::HeadAttention, 3 * 8 + 4)), qPrintable(legend->text()));
    colour->setCurrentText("Colour: sources by logit");
    const double full = static_cast<double>(TokenSourceValues(sources, SourceValue::Logit, 0, 0).full());
    QTRY_VERIFY2(legend->text().contains(QString::number(full, 'f', 2)), qPrintable(legend->text()));
    colour->setCurrentIndex(0);
    QTRY_VERIFY(legend->isHidden());
    QVERIFY(heads->currentText() != "Strongest head");
  }

  /// Resting on a token shows what a click on it shows, until the pointer moves on.
  void the_pointer_previews_the_sources_of_a_token() {
    MainWindow window;
    show_demo(window);
    LabContext& lab = window.lab().context;
    const Panel& panel = *window.docks().panel("text");
    QComboBox* colour = box_with(panel, "Colour: sources by attention");
    QLabel* legend = legend_of(panel);
    auto* view = panel.findChild<TokenView*>();
    QVERIFY(colour && legend && view);
    colour->setCurrentText("Colour: sources by attention");
    const std::int64_t token = 6 * 64 + 2, other = 3 * 64 + 9;
    const auto legend_at = [&](std::int64_t selected) {
      legend->clear();
      lab.select_token(selected);
      return QTest::qWaitFor([&] { return legend->text().contains("Full colour"); }, patience_ms) ? legend->text()
                                                                                                  : QString();
    };
    const QString of_other = legend_at(other), of_token = legend_at(token);
    QVERIFY(!of_other.isEmpty() && !of_token.isEmpty() && of_other != of_token);
    const Selection selected = lab.selected();
    Q_EMIT view->token_hovered(other);
    QCOMPARE(legend->text(), of_token);  // nothing while the pointer only passes
    QTRY_COMPARE_WITH_TIMEOUT(legend->text(), "Preview: " + of_other, patience_ms);
    QVERIFY(lab.selected() == selected);
    Q_EMIT view->token_hovered(-1);
    QCOMPARE(legend->text(), of_token);
    Q_EMIT view->token_hovered(other);
    Q_EMIT view->token_hovered(token);  // the selected one has no preview
    const auto waits = [&] {
      const auto timers = panel.findChildren<QTimer*>();
      return std::any_of(timers.begin(), timers.end(), [](const QTimer* timer) { return timer->isActive(); });
    };
    QVERIFY(!waits());
    QCOMPARE(legend->text(), of_token);
    Q_EMIT view->token_hovered(other);
    QVERIFY(waits());
    colour->setCurrentIndex(0);
    QTRY_VERIFY(!waits());
    QVERIFY(legend->isHidden());
    Q_EMIT view->token_hovered(other);
    QVERIFY(!waits());
  }

  /// The pointer still rests where a token of the last run was.
  void nothing_is_said_of_a_run_or_a_model_that_is_gone() {
    MainWindow window;
    show_demo(window);
    LabContext& lab = window.lab().context;
    const Panel& panel = *window.docks().panel("text");
    QComboBox* colour = box_with(panel, "Colour: sources by attention");
    QLabel* legend = legend_of(panel);
    auto* view = panel.findChild<TokenView*>();
    QVERIFY(colour && legend && view);
    colour->setCurrentText("Colour: sources by attention");
    const auto preview = [&] {
      lab.select_token(6 * 64 + 2);
      Q_EMIT view->token_hovered(3 * 64 + 9);
      return QTest::qWaitFor([&] { return legend->text().startsWith("Preview: Where the query"); }, patience_ms);
    };
    QVERIFY(preview());
    window.lab().runs.run(1);  // stops by itself in the middle of segment 1
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.engine_paused(), patience_ms);
    QTRY_VERIFY2(legend->text().startsWith("Select a token"), qPrintable(legend->text()));
    window.lab().runs.resume();
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
    QVERIFY(preview());
    ModelConfig other = lab.run().model().config;
    other.layers += 1;
    lab.set_model(other, lab.config());
    QTRY_VERIFY2(legend->text().startsWith("Select a token"), qPrintable(legend->text()));
  }

  void a_position_is_ablated_in_all_heads_from_the_menu() {
    MainWindow window;
    show_demo(window);
    LabContext& lab = window.lab().context;
    const HeadHits& head = lab.run().snapshot(5).hits.front();
    const std::int64_t position = head.hits.back().position;
    lab.select({5, head.layer, head.head, position});
    QTest::qWait(0);
    auto* view = window.docks().panel("text")->findChild<TokenView*>();
    Q_EMIT view->menu_wanted(QPoint(10, 10));
    QAction* ablate = nullptr;
    for (QAction* action : window.findChildren<QAction*>())
      if (action->text().startsWith("Ablate token")) ablate = action;
    QVERIFY(ablate && ablate->isEnabled());
    QSignalSpy appended(&lab.what_ifs(), &WhatIfs::appended);
    ablate->trigger();
    QVERIFY(appended.wait(patience_ms));
    const WhatIfResult* result = lab.what_ifs().shown_in_run();
    QVERIFY(result && result->segment == 5);
    QVERIFY(!result->edit.dropped.empty());
    for (const HeadHits& hits : lab.run().snapshot(5).hits) {
      const bool holds = std::ranges::count(hits.hits, position, &Hit::position) > 0;
      QCOMPARE(std::ranges::count(result->edit.dropped, SlotRef{hits.layer, hits.head, position}) > 0, holds);
    }
    QApplication::activePopupWidget()->close();
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<TokenSourcesTest>};
#include "token_sources_test.moc"
