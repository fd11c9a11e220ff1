// SPDX-License-Identifier: GPL-3.0-or-later
// The habits of a window that is somebody's: layouts, recent files, the guide, the palette, the question at the end,
// and the other language.
#include "app/shell/shell.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>
#include <algorithm>
#include <filesystem>
#include <map>

#include "app/shell/guide.h"
#include "app/shell/language.h"
#include "app/shell/layouts.h"
#include "app/shell/start_panel.h"
#include "app/window/script_selection.h"
#include "engine/formats/output_file.h"
#include "tests/support/demo_evaluation.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/temp_dir.h"
#include "widgets/controls/command_palette.h"
#include "widgets/panels/panel_registry.h"
#include "widgets/state/notebook.h"
#include "widgets/state/quantity_text.h"
#include "widgets/tables/hits_model.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// A window with a shell in a folder of its own.
struct Home {
  explicit Home(const TempDir& folder)
      : settings(QString::fromStdString(folder.file("settings.json"))),
        keeper(window, QString::fromStdString(folder.file("sessions"))),
        shell(window, settings, keeper) {
    window.resize(1280, 800);
    window.show();
    keeper.begin(false);
  }
  MainWindow window;
  SettingsFile settings;
  SessionKeeper keeper;
  Shell shell;
};

QStringList shown_panels(MainWindow& window) {
  QStringList ids;
  for (const QString& id : window.docks().ids())
    if (!window.docks().dock(id)->isHidden()) ids += id;
  return ids;
}

QAction* action(MainWindow& window, const QString& text) {
  for (QAction* found : window.findChildren<QAction*>())
    if (found->text() == text) return found;
  return nullptr;
}

/// What a view shows as numbers: texts of labels, meters and fields, cells, and numbers with a fraction on axes.
QStringList shown_texts(const QWidget& view) {
  QStringList texts;
  for (const auto* label : view.findChildren<QLabel*>()) texts += label->text();
  for (const auto* meter : view.findChildren<QProgressBar*>()) texts += meter->format();
  for (const auto* box : view.findChildren<QAbstractSpinBox*>()) texts += box->findChild<QLineEdit*>()->text();
  for (const auto* table : view.findChildren<QTableView*>())
    for (int row = 0; row < table->model()->rowCount(); ++row)
      for (int column = 0; column < table->model()->columnCount(); ++column)
        texts += table->model()->index(row, column).data().toString();
  for (const auto* child : view.findChildren<QWidget*>())
    if (child->inherits("QCustomPlot")) texts += child->locale().toString(0.5);
  return texts;
}

/// A number with a decimal point; 1.234 and 1.234.567 are whole numbers in German.
const QRegularExpression english_fraction("(?<![\\d.,])(0\\.\\d+|\\d+\\.(\\d{1,2}|\\d{4,}))(?![\\d.])");

/// Cells of CSV that hold a decimal comma.
const QRegularExpression german_field("\"[+-]?\\d+,\\d+( %)?\"");

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

  void every_sentence_of_the_catalogue_keeps_its_places() {
    Catalogue catalogue;
    QVERIFY(catalogue.add(QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/translations/carryover_de.ts")));
    QVERIFY(catalogue.size() > 800);
    QCOMPARE(catalogue.translate("MainWindow", "Previous segment", nullptr, -1), QString("Voriges Segment"));
    QVERIFY(catalogue.translate("MainWindow", "no such words", nullptr, -1).isNull());
    QFile file(QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/translations/carryover_de.ts"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    static const QRegularExpression message("<source>([^<]*)</source>\\s*<translation>([^<]*)</translation>");
    static const QRegularExpression place("%L?\\d|&lt;/?\\w+");
    int checked = 0;
    for (auto all = message.globalMatch(QString::fromUtf8(file.readAll())); all.hasNext(); ++checked) {
      const auto found = all.next();
      const auto places = [&](const QString& text) {
        QStringList list;
        for (auto each = place.globalMatch(text); each.hasNext();) list += each.next().captured().remove('L');
        list.sort();
        return list;
      };
      QVERIFY2(places(found.captured(1)) == places(found.captured(2)), qPrintable(found.captured(1)));
    }
    QVERIFY(checked > 800);
  }

  void english_numbers_have_separators_on_any_system() {
    const QLocale before;
    install_language(*qApp, "en");
    QCOMPARE(count_text(13720), QString("13,720"));
    QCOMPARE(decimal_text(1234.5, 1), QString("1,234.5"));
    QLocale::setDefault(before);
  }

  void the_window_speaks_german() {  // the language stays for all that follows
    install_language(*qApp, "de");
    const TempDir folder;
    Home home(folder);
    QVERIFY(action(home.window, "Sitzung sichern") != nullptr);
    QCOMPARE(action(home.window, "Voriges Segment")->shortcut(), QKeySequence("Alt+Shift+Left"));
    QCOMPARE(action(home.window, "Text öffnen…")->shortcut(), QKeySequence("Ctrl+T"));
    QVERIFY(home.shell.start_panel().isVisible());
    open_demo(home.window, 300);
    run_to_the_end(home.window);
    QVERIFY(!home.window.grab().isNull());
    QCOMPARE(QLocale().decimalPoint(), QString(","));
  }

  /// Its words are longer.
  void german_layouts_fit_a_small_screen() {
    const TempDir folder;
    Home home(folder);
    const QSize size(1024, 700);
    home.window.resize(size);
    for (const LayoutPreset& preset : layout_presets()) {
      apply_layout(home.window.docks(), preset.id);
      QCoreApplication::processEvents();
      QVERIFY2(home.window.size() == size,
               qPrintable(QString("%1 is %2 wide").arg(preset.id).arg(home.window.width())));
    }
  }

  /// Names of buttons give way before what a run says, and before its Stop.
  void german_progress_stays_in_sight_on_a_small_screen() {
    const TempDir folder;
    Home home(folder);
    const auto* bar = home.window.findChild<LabToolbar*>();
    const auto* more = bar->findChild<QToolButton*>("qt_toolbar_ext_button");
    const auto meters = bar->findChildren<QProgressBar*>();
    const auto progress = std::ranges::find(meters, StatusMeters::tr("Progress"), &QProgressBar::accessibleName);
    QVERIFY(more != nullptr && progress != meters.end());
    const auto has_name = [&](QAction* action) {
      return static_cast<QToolButton*>(bar->widgetForAction(action))->toolButtonStyle() == Qt::ToolButtonTextUnderIcon;
    };
    for (const int width : {1024, 1800, 1024}) {
      home.window.resize(width, 700);
      settle();
      QCOMPARE(home.window.width(), width);
      QVERIFY(more->isHidden());
      QVERIFY((*progress)->isVisible() && bar->rect().contains((*progress)->geometry()));
      QVERIFY(bar->widgetForAction(bar->actions().stop)->isVisible() && has_name(bar->actions().stop));
      QVERIFY(width < 1800 || has_name(bar->actions().pin));
    }
  }

  void the_german_guide_opens_where_one_is() {
    QCOMPARE(guide_sections()[static_cast<std::size_t>(guide_section_of("hits"))].title, QString("Treffer"));
    QCOMPARE(guide_sections()[static_cast<std::size_t>(guide_section_of("no panel"))].title, QString("Das Fenster"));
    for (const PanelEntry& entry : panel_registry())
      QVERIFY2(guide_sections()[static_cast<std::size_t>(guide_section_of(entry.id))].title != "Das Fenster",
               qPrintable(entry.id));
    const TempDir folder;
    Home home(folder);
    home.window.docks().raise("carry");
    home.window.activateWindow();
    QTRY_VERIFY(home.window.docks().panel("carry")->isVisible());
    home.window.docks().panel("carry")->findChild<QComboBox*>()->setFocus();
    QTRY_VERIFY(QApplication::focusWidget() != nullptr);
    home.shell.open_guide();
    QCOMPARE(home.shell.guide()->shown_section(), guide_section_of("carry"));
    QVERIFY(home.shell.guide()->findChild<QTextBrowser*>()->toPlainText().startsWith("Übertrag"));
    home.shell.guide()->findChild<QLineEdit*>()->setText("Spearmans");
    QVERIFY(home.shell.guide()->findChild<QTextBrowser*>()->toPlainText().startsWith("Retrieval-Köpfe"));
  }

  void numbers_are_written_and_read_in_german() {
    QCOMPARE(decimal_text(1234.5, 1), QString("1.234,5"));
    QCOMPARE(significant_text(0.00012345, 3), QString("0,000123"));
    QCOMPARE(signed_text(0.25, 2), QString("+0,25"));
    QCOMPARE(signed_text(-0.25, 2), QString("-0,25"));
    QCOMPARE(percent_text(0.125, 1), QString("12,5 %"));
    QCOMPARE(count_text(12345), QString("12.345"));
    QCOMPARE(bytes_text(1'250'000'000), QString("1,25 GB"));
    {
      const FileNumbers plain;
      QCOMPARE(decimal_text(1234.5, 1) + count_text(12345) + bytes_text(7'200'000), QString("1234.5123457.2 MB"));
    }
    for (const double value : {0.05, 2e-5, 1234567.25, -3.0}) QVERIFY(number_in(editable_text(value)) == value);
    QCOMPARE(editable_text(1234.5), QString("1234,5"));
    QVERIFY(number_in(" 0,05 ") == 0.05);
    QVERIFY(number_in("0.05") == 0.05);  // as on the command line
    QVERIFY(number_in("2e-5") == 2e-5);
    for (const char* text : {"", "fast", "1.234,5", "0,05,1"}) QVERIFY2(!number_in(text), text);
  }

  void numbers_look_alike_in_german() {
    const TempDir folder;
    Home home(folder);
    LabContext& lab = home.window.lab().context;
    open_demo(home.window, 1200);
    run_to_the_end(home.window);
    lab.pin_run();
    SegmentConfig config = lab.config();
    config.top_k = 1;
    lab.edit_config(config, "k");
    run_to_the_end(home.window);
    select_something(lab);
    SegmentEdit edit;
    edit.no_carry = true;
    lab.what_ifs().set_draft(edit);
    home.window.docks().raise("what_if");
    QTRY_VERIFY_WITH_TIMEOUT(lab.what_ifs().unavailable().isEmpty() && !lab.what_ifs().running(), patience_ms);
    lab.what_ifs().ask_run({lab.selected().segment, {edit}}, "ohne");
    QTRY_VERIFY_WITH_TIMEOUT(lab.what_ifs().shown_result() != nullptr && !lab.what_ifs().running(), patience_ms);
    int fractions = 0;
    const auto look = [&](const QWidget& view, const QString& name) {
      for (const QString& text : shown_texts(view)) {
        QVERIFY2(!english_fraction.match(text).hasMatch(), qPrintable(name + ": " + text));
        fractions += text.contains(QRegularExpression("\\d,\\d"));
      }
    };
    for (const QString& id : home.window.docks().ids()) {
      home.window.docks().raise(id);
      Panel& panel = *home.window.docks().panel(id);
      panel.catch_up();
      QTRY_VERIFY_WITH_TIMEOUT(!home.window.lab().inspections.active(), patience_ms);
      settle();
      look(panel, id);
      for (const auto* table : panel.findChildren<QTableView*>())
        if (id != "compare") QVERIFY2(!table_text(*table->model(), {}, ',').contains(german_field), qPrintable(id));
    }
    look(home.window, "window");
    QVERIFY2(fractions > 100, qPrintable(QString::number(fractions)));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<ShellTest>};
#include "shell_test.moc"
