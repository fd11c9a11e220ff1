// SPDX-License-Identifier: GPL-3.0-or-later
// Commands are found by a few letters of their name, run once, and know what can be done in a window now.
#include "widgets/controls/command_palette.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QTest>
#include <random>

#include "app/start/palette_commands.h"
#include "tests/support/demo_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/synthetic_run.h"
#include "widgets/controls/fuzzy_match.h"
#include "widgets/lab/notebook.h"

using namespace carryover;

namespace {

bool is_subsequence(const QString& query, const QString& text) {
  qsizetype at = 0;
  for (const QChar letter : text)
    if (at < query.size() && letter.toCaseFolded() == query[at].toCaseFolded()) ++at;
  return at == query.size();
}

std::vector<Command> named(const QStringList& names, QStringList* ran = nullptr) {
  std::vector<Command> commands;
  for (const QString& name : names)
    commands.push_back({name, {}, [name, ran] {
                          if (ran != nullptr) *ran += name;
                        }});
  return commands;
}

QStringList names_of(const std::vector<Command>& commands) {
  QStringList names;
  for (const Command& command : commands) names += command.name;
  return names;
}

}  // namespace

class CommandPaletteTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void a_text_fits_where_it_has_the_letters_in_order() {
    std::mt19937 random(7);
    const auto word = [&](std::uint32_t most) {
      QString text;
      for (std::uint32_t i = random() % most; i > 0; --i) text += QChar(u'a' + static_cast<char16_t>(random() % 4));
      return text;
    };
    int fits = 0;
    for (int i = 0; i < 3000; ++i) {
      const QString text = word(12), query = word(5);
      QVERIFY2(fuzzy_score(query, text).has_value() == is_subsequence(query, text), qPrintable(query + " in " + text));
      fits += fuzzy_score(query, text).has_value();
    }
    QVERIFY(fits > 300 && fits < 2700);
  }

  void what_one_means_comes_first() {
    CommandModel model(named({"Carried tail: Copy picture", "Show: Retrieval map", "Export the map", "Show: Memory",
                              "Layout: Compare", "Undo"}),
                       {});
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto first = [&](const char* query) {
      model.set_query(query);
      return model.rowCount() > 0 ? model.command(0).name : QString();
    };
    QCOMPARE(first("rm"), QString("Show: Retrieval map"));
    QCOMPARE(first("mem"), QString("Show: Memory"));
    QCOMPARE(first("lc"), QString("Layout: Compare"));
    QCOMPARE(first("UNDO"), QString("Undo"));
    QCOMPARE(first("xyz"), QString());
    QCOMPARE(first(""), QString("Carried tail: Copy picture"));  // all, as they came
    QCOMPARE(model.rowCount(), 6);
  }

  void enter_runs_the_marked_command_once() {
    QStringList ran;
    QWidget parent;
    parent.resize(800, 600);
    parent.show();
    auto* palette = new CommandPalette(named({"one", "two", "three"}, &ran), {}, &parent);
    palette->open();
    QVERIFY(QTest::qWaitForWindowExposed(palette));
    auto* query = palette->findChild<QLineEdit*>();
    QTest::keyClicks(query, "t");
    QTest::keyClick(query, Qt::Key_Down);
    const QString marked = palette->findChild<QListView*>()->currentIndex().data().toString();
    QPointer<CommandPalette> watched(palette);
    QTest::keyClick(query, Qt::Key_Return);
    QCOMPARE(ran, QStringList(marked));
    QTRY_VERIFY(watched.isNull());
  }

  void what_matches_nothing_is_said() {
    QWidget parent;
    parent.resize(800, 600);
    parent.show();
    CommandPalette palette(named({"one", "two"}), {}, &parent);
    palette.setAttribute(Qt::WA_DeleteOnClose, false);
    palette.open();
    QVERIFY(QTest::qWaitForWindowExposed(&palette));
    auto* query = palette.findChild<QLineEdit*>();
    auto* list = palette.findChild<QListView*>();
    auto* nothing = palette.findChild<QLabel*>();
    QVERIFY(list->isVisible() && !nothing->isVisible());
    query->setText("qqq");
    QVERIFY(!list->isVisible() && nothing->isVisible() && nothing->text().contains("qqq"));
    query->setText("o");
    QVERIFY(list->isVisible() && !nothing->isVisible());
  }

  void a_long_name_leaves_room_for_the_keys() {
    QWidget parent;
    parent.resize(800, 600);
    parent.show();
    CommandPalette palette(named({QString(300, u'x'), "two"}), {}, &parent);
    palette.setAttribute(Qt::WA_DeleteOnClose, false);
    palette.open();
    QVERIFY(QTest::qWaitForWindowExposed(&palette));
    const auto* list = palette.findChild<QListView*>();
    QVERIFY(list->visualRect(list->model()->index(0, 0)).width() <= list->viewport()->width());
    QVERIFY(list->visualRect(list->model()->index(1, 0)).width() > list->viewport()->width() - 10);
  }

  void a_window_says_what_it_can_do() {
    MainWindow window;
    window.show();
    LabContext& lab = window.lab().context;
    const auto at_first = names_of(window_commands(window));
    QVERIFY(at_first.contains("Show: Retrieval map"));
    QVERIFY(!at_first.contains("Go to the segment with the highest loss"));
    QVERIFY(commands_of_query(lab, "segment 0").empty());
    lab.set_model(test::synthetic_model().config, test::synthetic_request(4).config);
    test::synthetic_run(lab.run(), 4, 4, test::synthetic_request(4));
    lab.notebook().add_bookmark({"mine", {2, -1, -1, -1}});
    const auto commands = window_commands(window);
    const QStringList names = names_of(commands);
    for (const char* name : {"Go to the segment with the highest loss", "Grouping: all", "Policy: full",
                             "Bookmark: mine", "Undo bookmark “mine”"})
      QVERIFY2(names.contains(QString::fromUtf8(name)), name);
    QCOMPARE(QSet<QString>(names.begin(), names.end()).size(), names.size());
    const auto run = [&](const char* name) {
      commands[static_cast<std::size_t>(names.indexOf(QString::fromUtf8(name)))].run();
    };
    run("Go to the segment with the highest loss");
    QCOMPARE(lab.selected().segment, 0);  // the synthetic loss falls
    run("Bookmark: mine");
    QCOMPARE(lab.selected().segment, 2);
    run("Policy: full");
    QCOMPARE(lab.run_options().policy, std::string("full"));
    run("Show: Memory");
    QTRY_VERIFY(window.docks().panel("memory")->isVisible());
  }

  void places_are_spelled() {
    MainWindow window;
    LabContext& lab = window.lab().context;
    lab.set_model(test::synthetic_model().config, test::synthetic_request(4).config);
    test::synthetic_run(lab.run(), 4, 4, test::synthetic_request(4));
    const auto go = [&](const char* query) {
      const auto commands = commands_of_query(lab, query);
      if (commands.size() == 1) commands.front().run();
      return commands.size() == 1;
    };
    for (const char* query : {"3", " segment 3", "S3", "seg 3"}) {
      lab.select_segment(0);
      QVERIFY2(go(query), query);
      QCOMPARE(lab.selected().segment, 3);
    }
    QVERIFY(go("token 300"));
    QCOMPARE(lab.selected().token, std::int64_t{300});
    for (const char* query : {"l3 h1", "layer 3 head 1", "L3,H1"}) {
      lab.select_head(0, 0);
      QVERIFY2(go(query), query);
      QVERIFY(lab.selected().layer == 3 && lab.selected().head == 1);
    }
    for (const char* query : {"segment 4", "token 99999", "l12 h0", "l0 h6", "segments", ""})
      QVERIFY2(!go(query), query);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<CommandPaletteTest>};
#include "command_palette_test.moc"
