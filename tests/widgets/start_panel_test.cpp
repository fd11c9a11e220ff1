// SPDX-License-Identifier: GPL-3.0-or-later
// The questions to begin with, on the real engine and the demo.
#include "app/start/start_panel.h"

#include <QApplication>
#include <QTest>

#include "engine/base/error.h"
#include "tests/support/demo_window.h"
#include "tests/support/gui_test.h"

using namespace carryover;
using namespace carryover::test;

class StartPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void a_sentence_is_hidden_whole_and_asked_for_before_the_last_segment() {
    const auto tokenizer = Tokenizer::load(demo_folder().toStdString());
    const std::string text = read_text_of_demo();
    const auto ids = tokenizer->encode(text);
    const std::int64_t length = static_cast<std::int64_t>(ids.size()) / 6;
    const QString sentence = "The  brass key hangs under the third lantern.";
    std::int64_t before = -1;
    for (const double depth : {0.0, 0.3, 0.7, 1.0}) {
      const HiddenSentence hidden = hide_sentence(*tokenizer, ids, length, sentence, depth);
      const auto begin = static_cast<std::size_t>(hidden.begin), end = static_cast<std::size_t>(hidden.end);
      QCOMPARE(hidden.text.substr(begin, end - begin), std::string("The brass key hangs under the third lantern."));
      QCOMPARE(hidden.cue, std::string("The brass key hangs"));
      QVERIFY(hidden.begin > before);
      before = hidden.begin;
      const std::size_t cue = hidden.text.find(hidden.cue, end);
      QVERIFY(cue != std::string::npos);
      const auto cue_end = std::ssize(tokenizer->encode(hidden.text.substr(0, cue + hidden.cue.size())));
      const std::int64_t boundary = 6 * length < std::ssize(ids) ? 6 * length : 5 * length;
      QVERIFY2(cue_end <= boundary && cue_end > boundary - 24, qPrintable(QString::number(cue_end - boundary)));
    }
    QVERIFY_THROWS_EXCEPTION(EngineError, hide_sentence(*tokenizer, ids, length, "  ", 0.5));
    QVERIFY_THROWS_EXCEPTION(EngineError, hide_sentence(*tokenizer, ids, std::ssize(ids) / 2, sentence, 0.5));
  }

  void it_says_who_fetched_the_selected_token() {
    MainWindow window;
    StartPanel start(window.lab(), window.docks().panel("text"));
    window.show();
    open_demo(window, 1000);
    run_to_the_end(window);
    LabContext& lab = window.lab().context;
    start.ask_who_fetched();  // nothing is selected: it shows one that was fetched
    const Selection shown = lab.selected();
    QVERIFY(shown.token >= 0 && lab.run().hits(shown.segment, shown.layer, shown.head) != nullptr);
    QVERIFY2(start.answer().contains(QString("layer %1, head %2").arg(shown.layer).arg(shown.head)) ||
                 start.answer().contains("Other heads that retrieved it"),
             qPrintable(start.answer()));
    QVERIFY(start.answer().contains(QString("segment %1").arg(shown.segment)));
    lab.select_token(lab.run().token_count() - 1);  // the last one, which nobody can have read
    QVERIFY2(start.answer().contains("no head has retrieved this"), qPrintable(start.answer()));
  }

  void a_needle_is_run_and_looked_for() {
    MainWindow window;
    StartPanel start(window.lab(), window.docks().panel("text"));
    window.show();
    open_demo(window, 1200);
    run_to_the_end(window);
    LabContext& lab = window.lab().context;
    QSignalSpy ended(&window.lab().runs, &RunController::run_ended);
    start.hide_and_run("The brass key hangs under the third blue lantern.", 0.3);
    QVERIFY2(ended.wait(patience_ms), qPrintable(start.answer()));
    QCOMPARE(lab.run().token_count(), std::int64_t{1200});
    QVERIFY(window.lab().loader.text()->contents->find("The brass key hangs under the third blue lantern.") !=
            std::string::npos);
    QString text;
    for (std::int64_t i = std::max<std::int64_t>(0, lab.selected().token - 40); i < lab.selected().token + 40; ++i)
      text += lab.run().token_text(i);
    QVERIFY2(text.contains("brass key hangs"), qPrintable(text));  // it was gone to
    if (start.answer().contains("retrieved")) {
      const HeadHits* hits = lab.run().hits(lab.selected().segment, lab.selected().layer, lab.selected().head);
      const bool nobody = start.answer().contains("No head");
      QCOMPARE(hits == nullptr || lab.selected().head < 0, nobody);
    }
    start.hide_and_run("", 0.3);
    QVERIFY(start.answer().contains("There is no sentence"));
    const QString name = window.lab().loader.text()->name;
    start.hide_and_run("The silver key hangs under the third blue lantern.", 0.5);  // in place of the other one
    QVERIFY2(ended.wait(patience_ms), qPrintable(start.answer()));
    const auto& both = window.lab().loader.text();
    QCOMPARE(both->name, name);
    QVERIFY(both->contents->find("The silver key") != std::string::npos);
    QVERIFY(both->contents->find("brass key") == std::string::npos);
  }

 private:
  static std::string read_text_of_demo() {
    QFile file(demo_folder() + "/text.txt");
    if (!file.open(QIODevice::ReadOnly)) qFatal("no demo");
    return file.readAll().toStdString();
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<StartPanelTest>};
#include "start_panel_test.moc"
