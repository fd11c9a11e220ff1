// SPDX-License-Identifier: GPL-3.0-or-later
// The search for the heads of recall in the window, on the real engine and the demo; and what the page makes of results
// that are given to it.
#include "widgets/heads/recall_heads_panel.h"

#include <QApplication>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>

#include "app/window/message_bar.h"
#include "engine/config/recall_preset.h"
#include "engine/formats/json_file.h"
#include "tests/support/cli_process.h"
#include "tests/support/demo_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_model.h"
#include "widgets/heads/recall_heads_form.h"
#include "widgets/lab/config_files.h"
#include "widgets/plot/plot_view.h"

using namespace carryover;
using namespace carryover::test;

namespace {

QSpinBox* number(const QWidget& panel, const QString& name) {
  for (QSpinBox* each : panel.findChildren<QSpinBox*>())
    if (each->accessibleName() == name) return each;
  return nullptr;
}

QPushButton* button(const QWidget& widget, const QString& text) {
  for (QPushButton* each : widget.findChildren<QPushButton*>())
    if (each->text() == text) return each;
  return nullptr;
}

QTableView* table(const QWidget& widget, const QString& name) {
  for (QTableView* each : widget.findChildren<QTableView*>())
    if (each->accessibleName() == name) return each;
  return nullptr;
}

RecallHeadsPanel& raised(MainWindow& window) {
  window.docks().raise(QStringLiteral("recall_heads"));
  return *static_cast<RecallHeadsPanel*>(window.docks().panel(QStringLiteral("recall_heads")));
}

/// Four documents of four segments in the demo's own story.
void set_small(RecallHeadsPanel& panel, const TempDir& folder) {
  std::string story;
  for (int i = 0; i < 6; ++i) story += read_bytes(demo_text().toStdString()) + " ";
  write_bytes(folder.file("story.txt"), story);
  RecallOrder order;
  order.texts = {folder.file("story.txt")};
  order.documents = 3;
  order.held_out = order.needles = 1;
  order.segments = 4;
  panel.form().set_order(order);
  QVERIFY(panel.form().order() == order);
}

/// Starts a small search over the demo, and cancels it once it has a searcher: it may be over before.
void cancel_midway(MainWindow& window, const TempDir& folder) {
  window.show();
  open_demo(window, 512);
  QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
  RecallHeadsPanel& panel = raised(window);
  set_small(panel, folder);
  RecallHeadsController& search = window.lab().recall_heads;
  const auto connection =
      QObject::connect(&search, &RecallHeadsController::found, &panel, [&search](const RecallHeads& heads) {
        if (!heads.searchers.empty() && !heads.complete) search.cancel();
      });
  panel.form().start();
  QTRY_VERIFY_WITH_TIMEOUT(!search.active(), patience_ms);
  QObject::disconnect(connection);
}

RecallHeads made_up() {
  const ModelConfig model = tiny_config(4, 8, 4, 16, 512);
  RecallHeads heads;
  heads.found = {4, 8, std::vector<double>(32, 0.25)};
  heads.searchers = {{{2, 3}, {0.75, 0.5}, 0.4}, {{1, 0}, {1, 1}, 0.1}};
  heads.all_searchers = heads.complete = true;
  heads.loss_without = 5;
  heads.readers = {{all_readers(model), 0.25, 1, 4096}, {Grouping({2}, {{}, {}, {0, 1}, {}}), 0.26, 0.875, 512}};
  return heads;
}

}  // namespace

class RecallHeadsPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { fail_on_qt_warnings(); }

  void a_search_fills_the_page_and_one_click_applies_it() {
    const TempDir folder;
    MainWindow window;
    window.resize(1280, 800);
    window.show();
    open_demo(window, 512);
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
    RecallHeadsPanel& panel = raised(window);
    set_small(panel, folder);
    QCOMPARE(panel.form().why_not(), QString());
    QVERIFY(!button(panel, RecallHeadsPanel::tr("Apply"))->isEnabled());
    QTest::mouseClick(button(panel, RecallHeadsForm::tr("Find heads")), Qt::LeftButton);
    QVERIFY(window.lab().recall_heads.active());
    QVERIFY(!window.lab().runs.can_run());
    QTRY_VERIFY_WITH_TIMEOUT(panel.heads().complete && !window.lab().recall_heads.active(), patience_ms);
    settle();
    const SegmentConfig before = window.lab().context.config();
    QTest::mouseClick(button(panel, RecallHeadsPanel::tr("Apply")), Qt::LeftButton);
    const SegmentConfig& applied = window.lab().context.config();
    QCOMPARE(applied.search_heads, panel.heads().search_heads());
    QCOMPARE(applied.grouping, panel.heads().readers.back().readers);
    QVERIFY(applied.search == SearchBy::Shared && applied.question_pass);
    window.lab().context.undo_stack().undo();
    QCOMPARE(window.lab().context.config(), before);
    QCOMPARE(window.message_bar().text().trimmed(), QString());
  }

  void a_search_that_was_cancelled_goes_on() {
    const TempDir folder;
    MainWindow window;
    cancel_midway(window, folder);
    RecallHeadsPanel& panel = raised(window);
    if (panel.heads().complete) QSKIP("the search was over before it could be cancelled");
    QVERIFY(button(panel, RecallHeadsForm::tr("Resume")) != nullptr);
    QTest::mouseClick(button(panel, RecallHeadsForm::tr("Resume")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(panel.heads().complete, patience_ms);
    number(panel, RecallHeadsForm::tr("Segments"))->setValue(5);
    QVERIFY(button(panel, RecallHeadsForm::tr("Find heads")) != nullptr);
  }

  void another_precision_is_another_search() {
    const TempDir folder;
    MainWindow window;
    cancel_midway(window, folder);
    RecallHeadsPanel& panel = raised(window);
    if (panel.heads().complete) QSKIP("the search was over before it could be cancelled");
    const RecallOrder order = panel.form().order();
    QVERIFY(window.lab().recall_heads.has_unfinished(order));
    RunOptions options = window.lab().context.run_options();
    options.dtype = DType::BFloat16;
    window.lab().context.set_run_options(options);  // which opens the model anew
    const auto& model = window.lab().loader.model();
    QTRY_VERIFY_WITH_TIMEOUT(model && model->info.dtype == DType::BFloat16, patience_ms);
    QVERIFY(!window.lab().recall_heads.has_unfinished(order));
    QVERIFY(button(panel, RecallHeadsForm::tr("Find heads")) != nullptr);
  }

  void other_contents_of_the_texts_are_another_search() {
    const TempDir folder;
    MainWindow window;
    cancel_midway(window, folder);
    RecallHeadsPanel& panel = raised(window);
    if (panel.heads().complete) QSKIP("the search was over before it could be cancelled");
    const std::string story = folder.file("story.txt");
    write_bytes(story, "It was a quiet evening by the sea. " + read_bytes(story));
    RecallHeadsController& search = window.lab().recall_heads;
    bool emptied = false;
    connect(&search, &RecallHeadsController::found, &panel, [&](const RecallHeads& heads) {
      if (!heads.searchers.empty()) return;
      emptied = true;
      search.cancel();
    });
    QTest::mouseClick(button(panel, RecallHeadsForm::tr("Resume")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!search.active(), patience_ms);
    QVERIFY(emptied);
  }

  void results_are_listed_and_drawn() {
    LabContext lab;
    lab.set_model(tiny_config(4, 8, 4, 16, 512), SegmentConfig::defaults_for(tiny_config(4, 8, 4, 16, 512)));
    RecallHeadsPanel panel(lab);
    panel.resize(900, 500);
    panel.show();
    settle();
    QVERIFY(panel.plots().front()->is_empty());
    panel.show_heads(made_up(), {}, QStringLiteral("a test"));
    settle();
    QTableView* searchers = table(panel, RecallHeadsPanel::tr("Searchers"));
    QTableView* readers = table(panel, RecallHeadsPanel::tr("Readers"));
    QCOMPARE(searchers->model()->rowCount(), 2);
    QCOMPARE(searchers->model()->index(0, SearchersTable::Head).data().toString(), QStringLiteral("2.3"));
    QCOMPARE(searchers->model()->index(1, SearchersTable::Found).data().toString(), QStringLiteral("100 %"));
    QCOMPARE(readers->model()->rowCount(), 3);  // and that nothing is read
    QCOMPARE(readers->model()->index(1, ReadersTable::Heads).data().toString(), QStringLiteral("2"));
    QCOMPARE(readers->model()->index(2, ReadersTable::Loss).data().toString(), QStringLiteral("5.000"));
    QVERIFY(!panel.plots().front()->is_empty());
    RunOptions other = lab.run_options();
    other.policy = "full";
    lab.set_run_options(other);
    panel.apply();
    QCOMPARE(lab.run_options().policy, std::string("segmented"));
    QCOMPARE(lab.config().search_heads, (std::vector<HeadRef>{{1, 0}, {2, 3}}));
    const TempDir temp;
    const QString file = QString::fromStdString(temp.file("heads.json"));
    panel.write(file);
    const SegmentConfig imported = read_config(SegmentConfig::untrained_defaults_for(*lab.model()), *lab.model(), file);
    QVERIFY(imported == lab.config());
    const auto written = read_json_file(file.toStdString());
    QVERIFY(recall_heads_from_json(written.at("heads"), *lab.model(), "test").search_heads() ==
            lab.config().search_heads);
    QCOMPARE(written.at("made_of").at(0).get<std::string>(), std::string("a test"));
    lab.tell_weights_changed();  // by a training: they are heads of the weights before
    settle();
    QVERIFY(panel.heads().readers.empty() && !button(panel, RecallHeadsPanel::tr("Apply"))->isEnabled());
  }

  void what_can_not_start_says_why() {
    RecallHeadsForm form;
    QVERIFY(!form.why_not().isEmpty());
    form.set_has_model(true);
    QVERIFY(form.why_not().contains(RecallHeadsForm::tr("Choose novels, or open a text from a file")));
    form.set_open_text(QStringLiteral("/a/novel.txt"));
    QCOMPARE(form.why_not(), QString());
    QCOMPARE(form.order().texts, std::vector<std::string>{"/a/novel.txt"});
    form.set_texts({QStringLiteral("/b.txt"), QStringLiteral("/c.txt")});
    QCOMPARE(form.order().texts.size(), std::size_t{2});
    number(form, RecallHeadsForm::tr("Held out"))->setValue(8);
    QVERIFY(!form.why_not().isEmpty());
    number(form, RecallHeadsForm::tr("Held out"))->setValue(2);
    form.set_engine_busy(QStringLiteral("a run"));
    QVERIFY(form.why_not().contains(QStringLiteral("a run")));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<RecallHeadsPanelTest>};
#include "recall_heads_panel_test.moc"
