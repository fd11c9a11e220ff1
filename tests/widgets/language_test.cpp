// SPDX-License-Identifier: GPL-3.0-or-later
// The language of the window: the catalogue, the window and its guide in German, and numbers as the language writes
// them.
#include "app/start/language.h"

#include <QAbstractSpinBox>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QRegularExpression>
#include <QTableView>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>
#include <algorithm>

#include "app/start/guide.h"
#include "app/start/layouts.h"
#include "app/start/start_panel.h"
#include "app/window/panel_registry.h"
#include "app/window/script_selection.h"
#include "tests/support/gui_test.h"
#include "tests/support/home.h"
#include "tests/support/settle.h"
#include "widgets/look/quantity_text.h"
#include "widgets/tables/table_copy.h"

using namespace carryover;
using namespace carryover::test;

namespace {

QAction* action(MainWindow& window, const QString& text) {
  for (QAction* found : window.findChildren<QAction*>())
    if (found->text() == text) return found;
  return nullptr;
}

/// Returns the texts in which a view shows numbers: labels, meters and fields, cells, and numbers with a fraction on
/// axes.
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

class LanguageTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void keys_have_the_names_of_a_german_keyboard() {
    Catalogue catalogue;
    QVERIFY(catalogue.add(QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/translations/qt_de.ts")));
    QVERIFY(QCoreApplication::installTranslator(&catalogue));
    const QString keys = QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Delete).toString(QKeySequence::NativeText);
    QVERIFY(QCoreApplication::removeTranslator(&catalogue));
    QCOMPARE(keys, QStringLiteral("Strg+Umschalt+Entf"));
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
    QVERIFY(home.shell.guide()->findChild<QTextBrowser*>()->toPlainText().startsWith("Bewertung der Köpfe"));
  }

  void numbers_are_written_and_read_in_german() {
    QCOMPARE(decimal_text(1234.5, 1), QString("1.234,5"));
    QCOMPARE(significant_text(0.00012345, 3), QString("0,000123"));
    QCOMPARE(signed_text(0.25, 2), QString("+0,25"));
    QCOMPARE(signed_text(-0.25, 2), QString("-0,25"));
    QCOMPARE(percent_text(0.125, 1), QString("12,5 %"));
    QCOMPARE(count_text(12345), QString("12.345"));
    QCOMPARE(bytes_text(1'250'000'000), QString("1,25 GB"));
    QCOMPARE(probability_text(0.19), QString("19,0\u00A0%"));
    QCOMPARE(probability_text(0.0132), QString("1,32\u00A0%"));
    QCOMPARE(probability_text(1), QString("100\u00A0%"));
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

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<LanguageTest>};
#include "language_test.moc"
