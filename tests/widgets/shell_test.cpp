// SPDX-License-Identifier: GPL-3.0-or-later
// The habits of a window that is somebody's: layouts, recent files, the guide, the palette, the question at the end.
#include "app/start/shell.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QTabBar>
#include <QTest>
#include <filesystem>
#include <map>

#include "app/start/guide.h"
#include "app/start/layouts.h"
#include "app/window/panel_registry.h"
#include "tests/support/demo_evaluation.h"
#include "tests/support/find_parts.h"
#include "tests/support/gui_test.h"
#include "tests/support/home.h"
#include "widgets/controls/command_palette.h"
#include "widgets/lab/notebook.h"

using namespace carryover;
using namespace carryover::test;

namespace {

QStringList shown_panels(MainWindow& window) {
  QStringList ids;
  for (const QString& id : window.docks().ids())
    if (!window.docks().dock(id)->isHidden()) ids += id;
  return ids;
}

}  // namespace

class ShellTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void each_layout_shows_its_panels_and_the_first_one_all_of_inspect() {
    const TempDir folder;
    Home home(folder);
    QStringList all;
    for (const PanelEntry& entry : panel_registry())
      if (entry.group == PanelGroup::Inspect) all += entry.id;
    for (int round = 0; round < 2; ++round) {  // from every layout to every other
      for (const LayoutPreset& preset : layout_presets()) {
        apply_layout(home.window.docks(), preset.id);
        const QStringList shown = shown_panels(home.window);
        QVERIFY2(!shown.isEmpty(), qPrintable(preset.id));
        QCOMPARE(shown == all, preset.id == "inspect");
        QCoreApplication::processEvents();
        for (const QString& id : shown)
          QVERIFY2(home.window.docks().dock(id)->height() > 60, qPrintable(preset.id + id));
      }
    }
    apply_layout(home.window.docks(), "train");
    QVERIFY(home.window.docks().panel("training")->isVisible());
    QVERIFY(home.window.docks().dock("hits")->isHidden());
    home.window.docks().raise("hits");  // nothing is lost
    QTRY_VERIFY(home.window.docks().panel("hits")->isVisible());
    apply_layout(home.window.docks(), "figure");
    for (const QString& id : shown_panels(home.window))
      QVERIFY(id == "hits" || id == "notes" || !home.window.docks().panel(id)->plots().empty());
  }

  void layouts_keep_their_places_data() {
    QTest::addColumn<QSize>("size");
    for (const QSize size : {QSize(1024, 700), QSize(1400, 900), QSize(1920, 1080)})
      QTest::addRow("%d", size.width()) << size;
  }
  void layouts_keep_their_places() {
    QFETCH(const QSize, size);
    const TempDir folder;
    Home home(folder);
    home.window.resize(size);
    QCoreApplication::processEvents();
    QCOMPARE(home.window.size(), size);  // nothing in it needs more
    PanelDocks& docks = home.window.docks();
    std::map<QString, QRect> places;
    for (int round = 0; round < 3; ++round)
      for (const LayoutPreset& preset : layout_presets()) {
        apply_layout(docks, preset.id);
        QCoreApplication::processEvents();
        QCOMPARE(home.window.size(), size);
        if (preset.id == "inspect") {
          QVERIFY(!home.window.tabifiedDockWidgets(docks.dock("text")).contains(docks.dock("hits")));
          QVERIFY(docks.dock("grid")->geometry().right() < docks.dock("text")->geometry().left());
          QVERIFY(docks.dock("text")->geometry().right() < docks.dock("hits")->geometry().left());
          QVERIFY(docks.dock("text")->geometry().bottom() < docks.dock("loss")->geometry().top());
          QVERIFY(docks.dock("loss")->height() <= size.height() / 4);
          const int text = docks.dock("text")->width() * 100 / size.width();
          const int hits = docks.dock("hits")->width() * 100 / size.width();
          QVERIFY2(text >= 42 && text <= 52 && hits >= 28 && hits <= 38,
                   qPrintable(QString("%1 %2").arg(text).arg(hits)));
        }
        for (const QString& id : shown_panels(home.window)) {
          if (docks.dock(id)->visibleRegion().isEmpty()) continue;  // behind another tab
          const QRect now = docks.dock(id)->geometry();
          const auto [known, is_new] = places.try_emplace(preset.id + "/" + id, now);
          QVERIFY2(is_new || known->second == now, qPrintable(known->first));
        }
      }
  }

  void an_own_layout_is_there_at_the_next_start() {
    const TempDir folder;
    QStringList wanted;
    {
      Home home(folder);
      apply_layout(home.window.docks(), "train");
      home.window.docks().dock("grid")->hide();
      wanted = shown_panels(home.window);
      home.shell.save_layout(" mine ");
    }
    Home home(folder);
    QVERIFY(shown_panels(home.window) != wanted);
    home.shell.apply_own_layout("mine");
    QCOMPARE(shown_panels(home.window), wanted);
  }

  void about_says_what_a_report_needs_and_copies_it() {
    const TempDir folder;
    Home home(folder);
    open_demo(home.window, 300);
    QTRY_VERIFY_WITH_TIMEOUT(home.window.lab().runs.can_run(), patience_ms);
    QAction* about = nullptr;
    for (QAction* action : home.window.menus().help()->actions())
      if (action->text() == Shell::tr("About Carryover")) about = action;
    QVERIFY(about);
    about->trigger();
    const QLabel* text = label_named(home.window, LabDialogs::tr("About Carryover"));
    QVERIFY(text && text->isVisible());
    for (const QString& part : {QStringLiteral("Carryover 0."), QStringLiteral("General Public License"),
                                QStringLiteral("Qt %1").arg(qVersion()), QStringLiteral("LibTorch 2.")})
      QVERIFY2(text->text().contains(part), qPrintable(text->text()));
    button<QPushButton>(*text->window(), LabDialogs::tr("Copy"))->click();
    QCOMPARE(QApplication::clipboard()->text(), text->text());
    text->window()->close();
  }

  void files_that_were_open_are_recent() {
    const TempDir folder;
    {
      Home home(folder);
      open_demo(home.window, 300);
      run_to_the_end(home.window);
      home.window.lab().loader.open_pasted_text("not a file");
      QTRY_VERIFY_WITH_TIMEOUT(home.window.lab().runs.can_run(), patience_ms);
      QSignalSpy saved(&home.keeper, &SessionKeeper::session_saved);
      home.keeper.save_session(QString::fromStdString(folder.file("a.carryover")));
      QVERIFY(saved.wait(patience_ms));
    }
    Home home(folder);
    QCOMPARE(home.settings.values.models, (QList<RecentModel>{{demo_folder(), {}}}));
    QCOMPARE(home.settings.values.texts, QStringList(demo_folder() + "/text.txt"));
    QCOMPARE(home.settings.values.sessions, QStringList(QString::fromStdString(folder.file("a.carryover"))));
    QSignalSpy opened(&home.keeper, &SessionKeeper::session_opened);
    home.window.open_path(home.settings.values.sessions.front());  // as a drop does
    QVERIFY(opened.wait(patience_ms));
    QCOMPARE(home.window.lab().loader.text()->name, QString("pasted text"));
  }

  void unsaved_work_is_asked_about_and_only_that() {
    const TempDir folder;
    Home home(folder);
    const QString file = QString::fromStdString(folder.file("a.carryover"));
    home.window.lab().context.notebook().set_text("one");
    QVERIFY(home.window.close());  // without a file there is nothing to ask: it is kept
    home.window.show();
    Home second(folder);
    QSignalSpy saved(&second.keeper, &SessionKeeper::session_saved);
    second.keeper.save_session(file);
    QVERIFY(saved.wait(patience_ms));
    second.window.lab().context.notebook().set_text("two");
    const auto answer = [&](QMessageBox::StandardButton button) {
      QVERIFY(!second.window.close());
      auto* box = second.window.findChild<QMessageBox*>();
      QVERIFY(box != nullptr);
      box->button(button)->click();
      QTRY_VERIFY(second.window.findChild<QMessageBox*>() == nullptr);
    };
    answer(QMessageBox::Cancel);
    QVERIFY(second.window.isVisible());
    answer(QMessageBox::Save);
    QTRY_VERIFY(second.window.isHidden());
    QTRY_COMPARE(read_session(file).notes, QString("two"));
  }

  void a_running_process_is_asked_about_data() {
    QTest::addColumn<bool>("experiment");
    QTest::addColumn<bool>("evaluation");
    QTest::newRow("an experiment") << true << false;
    QTest::newRow("an evaluation") << false << true;
    QTest::newRow("both, one after the other") << true << true;
  }
  void a_running_process_is_asked_about() {
    QFETCH(bool, experiment);
    QFETCH(bool, evaluation);
    const TempDir folder;
    Home home(folder);
    ExperimentController& experiments = home.window.lab().experiments;
    EvaluationController& evaluations = home.window.lab().evaluations;
    const std::string program = folder.file("program"), out = folder.file("out");
    test::write_bytes(program, "#!/bin/sh\ntrap 'exit 130' TERM\nwhile :; do sleep 0.05; done\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    experiments.process().set_program(QString::fromStdString(program));
    evaluations.process().set_program(QString::fromStdString(program));
    if (experiment) experiments.start({"plan.json", out, {}});
    if (evaluation) evaluations.start({demo_evaluation(), folder.file("evaluation"), 0});
    QCOMPARE(experiments.process().running(), experiment);
    QCOMPARE(evaluations.process().running(), evaluation);
    if (experiment) QCOMPARE(home.settings.values.experiments, QStringList(QString::fromStdString(out)));
    const auto answer = [&](const QString& text) {
      auto* box = home.window.findChild<QMessageBox*>();
      QVERIFY(box != nullptr);
      for (QAbstractButton* each : box->buttons())
        if (each->text() == text) return each->click();
      QFAIL("no such button");
    };
    QVERIFY(!home.window.close());
    answer(Shell::tr("Keep it running"));
    QTRY_VERIFY(home.window.findChild<QMessageBox*>() == nullptr);
    QVERIFY(home.window.isVisible());
    QVERIFY(experiments.process().running() == experiment && evaluations.process().running() == evaluation);
    QVERIFY(!home.window.close());
    answer(Shell::tr("Stop and close"));
    if (experiment && evaluation) {  // the other one is asked about when the first one has ended
      QTRY_VERIFY(!experiments.process().running() && home.window.findChild<QMessageBox*>() != nullptr);
      QVERIFY(home.window.isVisible() && evaluations.process().running());
      answer(Shell::tr("Stop and close"));
    }
    QTRY_VERIFY(home.window.isHidden());
    QVERIFY(!experiments.process().running() && !evaluations.process().running());
  }

  void the_guide_opens_where_one_is() {
    for (const PanelEntry& entry : panel_registry()) {
      const GuideSection& section = guide_sections()[static_cast<std::size_t>(guide_section_of(entry.id))];
      QVERIFY2(section.title != "The window", qPrintable(entry.id));  // each panel has a section of its own
      QVERIFY2(section.markdown.size() > section.title.size() + 30, qPrintable(section.markdown));
    }
    const TempDir folder;
    Home home(folder);
    home.window.docks().raise("hits");
    home.window.activateWindow();
    QTRY_VERIFY(home.window.docks().panel("hits")->isVisible());
    home.window.docks().panel("hits")->findChild<QWidget*>("qt_scrollarea_viewport")->parentWidget()->setFocus();
    QTRY_VERIFY(QApplication::focusWidget() != nullptr);
    home.shell.open_guide();
    QCOMPARE(home.shell.guide()->shown_section(), guide_section_of("hits"));
    QVERIFY(!home.shell.guide()->grab().isNull());
  }

  void files_are_opened_wherever_they_are_dropped() {
    const TempDir folder;
    Home home(folder);
    home.window.docks().raise("text");
    auto* search = home.window.docks().panel("text")->findChild<QLineEdit*>();
    QVERIFY(search->acceptDrops());
    QSignalSpy wanted(&home.window, &MainWindow::session_wanted);
    const auto drop = [&](QMimeData& data) {
      QDragEnterEvent enter({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
      QApplication::sendEvent(search, &enter);
      QVERIFY(enter.isAccepted());
      QDropEvent event({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
      QApplication::sendEvent(search, &event);
    };
    QMimeData files, words;
    files.setUrls({QUrl::fromLocalFile(QString::fromStdString(folder.file("none.carryover")))});
    drop(files);
    QCOMPARE(wanted.count(), 1);
    QVERIFY(search->text().isEmpty());
    words.setText("dropped");
    drop(words);
    QCOMPARE(search->text(), QString("dropped"));
    QCOMPARE(wanted.count(), 1);
  }

  void what_can_have_the_keyboard_has_a_name() {
    const TempDir folder;
    Home home(folder);
    open_demo(home.window, 600);
    run_to_the_end(home.window);
    QStringList nameless;
    for (QWidget* widget : home.window.findChildren<QWidget*>()) {
      if (!(widget->focusPolicy() & Qt::TabFocus) || widget->objectName().startsWith("qt_")) continue;
      const auto* tabs = qobject_cast<QTabBar*>(widget);
      if (tabs != nullptr && tabs->count() == 0) continue;  // kept by Qt for the next arrangement
      if (widget->inherits("QComboBoxListView") || qobject_cast<QAbstractButton*>(widget->parent()) ||
          qobject_cast<QComboBox*>(widget->parent()) || qobject_cast<QAbstractSpinBox*>(widget->parent()))
        continue;  // a part of what has the name
      QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
      if (face == nullptr || face->text(QAccessible::Name).isEmpty())
        nameless +=
            QString("%1 in %2").arg(widget->metaObject()->className(), widget->parent()->metaObject()->className());
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join('\n')));
  }

  void what_was_written_is_told_and_hides_no_error() {
    const TempDir folder;
    Home home(folder);
    MainWindow& window = home.window;
    open_demo(window, 600);
    run_to_the_end(window);
    MessageBar& bar = window.message_bar();
    QVERIFY(bar.isHidden());
    const QString plots = QString::fromStdString(folder.file("plots"));
    window.exports().export_plots(plots);
    QVERIFY(bar.isVisible() && bar.text().contains(plots));
    QCOMPARE(bar.accessibleName(), QString("Written"));
    const ErrorReport error{Fault::Io, "a file", "is gone", "Look for it."};
    window.show_error(error);
    QVERIFY(bar.text().contains("is gone"));
    window.exports().export_plots(plots);
    QVERIFY2(bar.isVisible() && bar.text().contains("is gone"), qPrintable(bar.text()));
    QCOMPARE(bar.accessibleName(), QString("Error"));
    bar.hide();
    QSignalSpy saved(&window.lab().runs, &RunController::saved);
    window.lab().runs.save_run(QString::fromStdString(folder.file("run")));
    QVERIFY(saved.wait(patience_ms));
    QVERIFY(bar.isVisible() && bar.text().contains("run"));
  }

  void keys_open_the_palette_and_set_bookmarks() {
    const TempDir folder;
    Home home(folder);
    open_demo(home.window, 600);
    run_to_the_end(home.window);
    home.window.lab().context.select_segment(1);
    QTest::keyClick(&home.window, Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(home.window.lab().context.notebook().bookmarks().size(), std::size_t{1});
    QTest::keyClick(&home.window, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    auto* palette = home.window.findChild<CommandPalette*>();
    QVERIFY(palette != nullptr);
    palette->close();
    QTest::keyClick(&home.window, Qt::Key_2, Qt::ControlModifier);
    QTRY_VERIFY(home.window.docks().dock("hits")->isHidden());  // the layout for training
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<ShellTest>};
#include "shell_test.moc"
