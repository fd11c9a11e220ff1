// SPDX-License-Identifier: GPL-3.0-or-later
// Questions in the window: what the panel shows of answers that are given to it, and a question that the real engine
// answers about the demo's text.
#include "widgets/text/ask_panel.h"

#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTextBrowser>

#include "app/window/message_bar.h"
#include "engine/config/recall_preset.h"
#include "tests/support/demo_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/provenance.h"

using namespace carryover;
using namespace carryover::test;

namespace {

QPushButton* button(const QWidget& widget, const QString& text) {
  for (QPushButton* each : widget.findChildren<QPushButton*>())
    if (each->text() == text) return each;
  return nullptr;
}

QString probability_of(const QWidget& panel) {
  for (const QLabel* label : panel.findChildren<QLabel*>())
    if (label->accessibleName() == AskPanel::tr("Probability of the answer")) return label->text();
  return {};
}

QString cell(const QWidget& panel, int row, PassagesTable::Column column) {
  return panel.findChild<QTableView*>()->model()->index(row, column).data().toString();
}

/// Two windows of a shared search.
HeadHits windows() {
  HeadHits hits{6, 8, 1, {}, true};
  hits.hits = {{20, HitKind::Expanded, 1, 21, -1},
               {21, HitKind::Anchor, 1, 21, -1},
               {300, HitKind::Anchor, 2, 300, -1},
               {301, HitKind::Expanded, 2, 300, -1}};
  return hits;
}

}  // namespace

class AskPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { fail_on_qt_warnings(); }

  void an_answer_is_shown_with_its_passages_and_what_they_are_worth() {
    LabContext lab;
    lab.set_model(synthetic_model().config, synthetic_request(6).config);
    synthetic_run(lab.run(), 6, 6, synthetic_request(6));
    AskPanel panel(lab);
    panel.resize(900, 300);
    panel.show();
    settle();
    Questions& questions = lab.questions();
    QSignalSpy wanted(&questions, &Questions::wanted), again(&questions, &Questions::what_if_wanted);
    QVERIFY(!button(panel, AskPanel::tr("Ask"))->isEnabled());
    QTest::keyClicks(panel.findChild<QLineEdit*>(), QStringLiteral("Who came?"));
    settle();
    QTest::keyClick(panel.findChild<QLineEdit*>(), Qt::Key_Return);
    QCOMPARE(wanted.count(), 1);
    QCOMPARE(wanted[0][0].toString(), QStringLiteral("Who came?"));

    Question asked;
    asked.text = QStringLiteral("Who came?");
    asked.provenance = run_provenance(lab.run());
    asked.run = run_name_in(asked.provenance);
    questions.begin(asked);
    questions.set_hits({windows()});
    questions.add_text(false, QStringLiteral(" Eva <Moon>."));
    questions.add_text(true, QStringLiteral(" Nobody."));
    settle();
    QVERIFY(panel.findChild<QTextBrowser*>()->toPlainText().contains(QStringLiteral("Eva <Moon>.")));
    QCOMPARE(panel.findChild<QTableView*>()->model()->rowCount(), 2);
    questions.set_probabilities(QStringLiteral("Eva Moon."), 0.875, 0.015625);
    questions.end();
    settle();
    QVERIFY2(probability_of(panel).contains(QStringLiteral("87.5")) && probability_of(panel).contains("1.56"),
             qPrintable(probability_of(panel)));

    panel.findChild<QTableView*>()->selectRow(0);  // the better one, at 300
    QTest::mouseClick(button(panel, AskPanel::tr("Remove")), Qt::LeftButton);
    QTest::mouseClick(button(panel, AskPanel::tr("Only this one")), Qt::LeftButton);
    QCOMPARE(again.count(), 2);
    const auto without = again[0][0].value<std::vector<TokenRange>>(),
               only = again[1][0].value<std::vector<TokenRange>>();
    QVERIFY(without == (std::vector<TokenRange>{{300, 302}}) && only == (std::vector<TokenRange>{{20, 22}}));
    questions.begin_what_if();
    settle();
    QVERIFY(!button(panel, AskPanel::tr("Remove"))->isEnabled());
    const auto* progress = panel.findChild<QProgressBar*>();
    QVERIFY(!progress->isVisible());
    questions.set_progress(0.25, QStringLiteral("reading"));
    QVERIFY(progress->isVisible() && 4 * progress->value() == progress->maximum());
    questions.add_what_if({without, 0.25});
    questions.add_what_if({only, 0.5});
    questions.end();
    settle();
    QVERIFY(!progress->isVisible());
    QCOMPARE(cell(panel, 0, PassagesTable::Without), probability_text(0.25));
    QCOMPARE(cell(panel, 0, PassagesTable::Alone), probability_text(0.5));
    QCOMPARE(cell(panel, 1, PassagesTable::Without), probability_text(0.5));  // there are two: the same what-if
    questions.begin(asked);  // another question: nothing is known of it
    settle();
    QCOMPARE(panel.findChild<QTableView*>()->model()->rowCount(), 0);
    QCOMPARE(probability_of(panel), QString());
  }

  void an_answer_of_another_run_names_it_and_lists_no_passage() {
    LabContext lab;
    synthetic_run(lab.run(), 6, 6, synthetic_request(6));
    AskPanel panel(lab);
    panel.resize(900, 300);
    panel.show();
    Question asked;
    asked.text = QStringLiteral("Who came?");
    asked.provenance = run_provenance(lab.run());
    asked.run = run_name_in(asked.provenance);
    lab.questions().begin(asked);
    lab.questions().set_hits({windows()});
    lab.questions().set_probabilities(QStringLiteral("Eva"), 0.5, 0.25);
    lab.questions().end();
    settle();
    const auto* answers = panel.findChild<QTextBrowser*>();
    QCOMPARE(panel.findChild<QTableView*>()->model()->rowCount(), 2);
    QVERIFY(answers->toPlainText().contains(AskPanel::tr("The question was not answered.")));  // it was cancelled
    lab.questions().complete();
    lab.questions().end();
    settle();
    QVERIFY(answers->toPlainText().contains(AskPanel::tr("The model generated an empty answer.")));
    QVERIFY(!answers->toPlainText().contains(asked.run));
    synthetic_run(lab.run(), 5, 5, synthetic_request(5));
    settle();
    QCOMPARE(panel.findChild<QTableView*>()->model()->rowCount(), 0);
    QCOMPARE(probability_of(panel), QString());
    QVERIFY(answers->toPlainText().contains(asked.run));
  }

  void a_policy_that_does_not_retrieve_has_one_answer() {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    open_demo(window, 512);
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
    window.docks().raise(QStringLiteral("ask"));
    LabContext& lab = window.lab().context;
    const Questions& questions = lab.questions();
    QStringList done;
    connect(&questions, &Questions::progressed, this, [&] {
      QVERIFY(questions.progress() >= 0 && questions.progress() <= 1);
      done += questions.doing();
    });
    for (const char* policy : {"streaming", "full"}) {
      done.clear();
      RunOptions options = lab.run_options();
      options.policy = policy;
      lab.set_run_options(options);
      run_to_the_end(window);
      lab.questions().ask(QStringLiteral("Who is Eva"));
      QTRY_VERIFY_WITH_TIMEOUT(!questions.all().empty() && !questions.running(), patience_ms);
      settle();
      const Question& last = questions.all().back();
      QVERIFY2(!last.answer.isEmpty() && last.probability > 0, qPrintable(window.message_bar().text()));
      QVERIFY(!last.retrieves && last.without_retrieval.isEmpty() && last.probability_without < 0);
      const QWidget& panel = *window.docks().panel(QStringLiteral("ask"));
      const QString shown = panel.findChild<QTextBrowser*>()->toPlainText();
      QVERIFY2(shown.simplified().contains(last.answer.simplified().left(10)) &&
                   !shown.contains(AskPanel::tr("With retrieval:")) &&
                   !shown.contains(AskPanel::tr("Retrieval switched off:")),
               qPrintable(shown));
      QVERIFY(!probability_of(panel).isEmpty() && probability_of(panel).count(u'%') == 1);
      QVERIFY2(done.size() > 0, policy);
      QVERIFY(!done.contains(AskController::tr("answering without retrieval")));
    }
    QCOMPARE(done.front(), AskController::tr("reading the text"));  // a state that grows is not kept by a run
  }

  void the_engine_answers_and_answers_again_without_a_passage() {
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    open_demo(window, 512);
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
    LabContext& lab = window.lab().context;
    SegmentConfig config = recall_preset(*lab.model(), SegmentConfig::untrained_defaults_for(*lab.model()));
    config.search_heads = {{3, 3}};
    lab.edit_config(config, QStringLiteral("recall"));
    run_to_the_end(window);
    window.docks().raise(QStringLiteral("ask"));
    auto* panel = window.docks().panel(QStringLiteral("ask"));
    settle();
    panel->findChild<QLineEdit*>()->setText(QStringLiteral("Who is Eva"));
    settle();
    QTest::mouseClick(button(*panel, AskPanel::tr("Ask")), Qt::LeftButton);
    const Questions& questions = lab.questions();
    QTRY_VERIFY_WITH_TIMEOUT(!questions.all().empty() && !questions.running(), patience_ms);
    QVERIFY2(questions.all().back().probability >= 0, qPrintable(window.message_bar().text()));
    QVERIFY(questions.all().back().probability <= 1 && !questions.all().back().scored.isEmpty());
    QVERIFY(panel->findChild<QTableView*>()->model()->rowCount() > 0);
    panel->findChild<QTableView*>()->selectRow(0);
    settle();
    QTest::mouseClick(button(*panel, AskPanel::tr("Remove")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!questions.all().back().what_ifs.empty() && !questions.running(), patience_ms);
    settle();
    QVERIFY(!cell(*panel, 0, PassagesTable::Without).isEmpty());
    const double without = questions.all().back().what_ifs[0].probability;
    QVERIFY(without >= 0 && without <= 1 && without != questions.all().back().probability);

    // In another dtype its probability is another one: the two are not compared.
    const auto reopened = [&](DType dtype) {
      RunOptions options = lab.run_options();
      options.dtype = dtype;
      lab.set_run_options(options);
      return QTest::qWaitFor(
          [&] {
            return !window.lab().loader.loading() && window.lab().loader.model()->info.dtype == dtype &&
                   questions.unavailable().isEmpty();
          },
          patience_ms);
    };
    const DType own = window.lab().loader.model()->info.dtype;
    QVERIFY(reopened(own == DType::Float64 ? DType::Float32 : DType::Float64));
    QSignalSpy failed(&window.lab(), &Lab::failed);
    lab.questions().ask_without({{0, 1}});
    QCOMPARE(failed.count(), 1);
    QCOMPARE(failed[0][0].value<ErrorReport>().problem,
             AskController::tr("it was answered in another dtype or on another device"));
    QVERIFY(!questions.running() && questions.all().back().what_ifs.size() == 1);

    synthetic_run(lab.run(), 6, 6, synthetic_request(6));  // a run of another model
    settle();
    QVERIFY2(questions.unavailable().contains(QStringLiteral("synthetic")), qPrintable(questions.unavailable()));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<AskPanelTest>};
#include "ask_panel_test.moc"
