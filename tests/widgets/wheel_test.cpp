// SPDX-License-Identifier: GPL-3.0-or-later
// The wheel scrolls what a control stands in and changes no value, unless a click or a key said that the control is
// meant. Every such control of every panel and dialog is tried.
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QDateEdit>
#include <QDial>
#include <QLineEdit>
#include <QMetaProperty>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QTabBar>
#include <QTest>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <set>

#include "tests/support/all_dialogs.h"
#include "tests/support/gui_test.h"
#include "tests/support/home.h"
#include "tests/support/repository.h"
#include "tests/support/settle.h"

using namespace carryover;
using namespace carryover::test;

namespace {

bool holds_value(const QWidget* widget) {
  if (qobject_cast<const QScrollBar*>(widget) != nullptr) return false;
  return qobject_cast<const QComboBox*>(widget) != nullptr ||
         qobject_cast<const QAbstractSpinBox*>(widget) != nullptr ||
         qobject_cast<const QAbstractSlider*>(widget) != nullptr || qobject_cast<const QTabBar*>(widget) != nullptr;
}

QString value_of(const QWidget* widget) {
  if (const auto* box = qobject_cast<const QComboBox*>(widget)) return QString::number(box->currentIndex());
  if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) return QString::number(tabs->currentIndex());
  return widget->metaObject()->userProperty().read(widget).toString();
}

/// Turns the wheel with the pointer over the middle of the widget: the child that is there gets the event.
void turn_wheel(QWidget* over, int turned) {
  QWidget* target = over->childAt(over->rect().center());
  if (target == nullptr) target = over;
  const QPointF at = target->rect().center();
  QWheelEvent event(at, target->mapToGlobal(at), {}, {0, turned}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                    false);
  QSpontaneKeyEvent::setSpontaneous(&event);  // else Qt offers it to no parent
  qApp->notify(target, &event);
}

struct Tried {
  int controls = 0;
  QStringList changed;
};

/// Turns the wheel over every control that is seen in `place`.
void try_controls(QWidget* place, const QString& name, Tried& tried) {
  for (QWidget* widget : place->findChildren<QWidget*>()) {
    if (!holds_value(widget) || !widget->isVisible()) continue;
    const QString before = value_of(widget);
    const QString told =
        QStringLiteral("%1: %2 '%3'").arg(name, widget->metaObject()->className(), widget->accessibleName());
    if (widget->focusPolicy() == Qt::WheelFocus) tried.changed += told + QStringLiteral(" takes the focus");
    for (const int turned : {120, -120, -240, 360}) turn_wheel(widget, turned);
    if (value_of(widget) != before || widget->hasFocus() != (QApplication::focusWidget() == widget))
      tried.changed += told + QStringLiteral(": ") + before + QStringLiteral(" → ") + value_of(widget);
    ++tried.controls;
  }
}

/// A page of controls that is higher than its view.
struct Page {
  Page() {
    auto* inside = new QWidget;
    auto* column = new QVBoxLayout(inside);
    for (QWidget* each : std::initializer_list<QWidget*>{combo, number, slider, dial, date, tabs})
      column->addWidget(each);
    combo->addItems({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")});
    combo->setCurrentIndex(1);
    number->setValue(50);
    slider->setValue(50);
    dial->setValue(50);
    for (const char* name : {"x", "y", "z"}) tabs->addTab(QLatin1String(name));
    tabs->setCurrentIndex(1);
    inside->setMinimumHeight(2000);
    view.setWidget(inside);
    view.setWidgetResizable(true);
    view.resize(300, 400);
    view.show();
    settle();
  }
  QComboBox* combo = new QComboBox;
  QSpinBox* number = new QSpinBox;
  QSlider* slider = new QSlider(Qt::Horizontal);
  QDial* dial = new QDial;
  QDateEdit* date = new QDateEdit;
  QTabBar* tabs = new QTabBar;
  QScrollArea view;
};

}  // namespace

class WheelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void over_a_control_it_scrolls_the_page() {
    Page page;
    page.view.activateWindow();
    page.number->setFocus(Qt::TabFocusReason);  // as a dialog gives it to its first field
    for (QWidget* widget :
         std::initializer_list<QWidget*>{page.combo, page.number, page.slider, page.dial, page.date, page.tabs}) {
      page.view.verticalScrollBar()->setValue(0);
      const QString before = value_of(widget);
      turn_wheel(widget, -120);
      QVERIFY2(page.view.verticalScrollBar()->value() > 0, widget->metaObject()->className());
      QCOMPARE(value_of(widget), before);
    }
  }

  void a_control_that_was_clicked_or_typed_in_takes_it() {
    Page page;
    page.view.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&page.view));
    QTest::mouseClick(page.number->findChild<QLineEdit*>(), Qt::LeftButton);
    turn_wheel(page.number, 120);
    QCOMPARE(page.number->value(), 51);
    page.slider->setFocus(Qt::TabFocusReason);
    QTest::keyClick(page.slider, Qt::Key_Right);
    const int typed = page.slider->value();
    QCOMPARE(typed, 51);
    turn_wheel(page.slider, 120);
    QVERIFY(page.slider->value() > typed);
    turn_wheel(page.number, 120);  // it has lost the focus
    QCOMPARE(page.number->value(), 51);
  }

  void it_changes_no_control_of_a_panel() {
    const TempDir folder;
    Home home(folder);
    MainWindow& window = home.window;
    open_demo(window, 600);
    run_to_the_end(window);
    Tried tried;
    const nlohmann::json before = home.lab().config();
    for (const QString& id : window.docks().ids()) {
      window.docks().raise(id);
      settle();
      try_controls(window.docks().dock(id), id, tried);
    }
    try_controls(&window, QStringLiteral("window"), tried);
    QVERIFY2(tried.changed.isEmpty(), qPrintable(tried.changed.join(u'\n')));
    QVERIFY2(tried.controls > 60, qPrintable(QString::number(tried.controls)));
    QVERIFY(nlohmann::json(home.lab().config()) == before);
  }

  void it_changes_no_control_of_a_dialog() {
    const TempDir folder;
    PlotView plot(QStringLiteral("loss"));
    Tried tried;
    for (const NamedDialog& each : all_dialogs(plot, folder.file("run"))) {
      const auto dialog = each.make();
      dialog->show();
      QVERIFY(QTest::qWaitForWindowExposed(dialog.get()));
      for (QTabWidget* pages : dialog->findChildren<QTabWidget*>())
        for (int page = 0; page < pages->count(); ++page) {
          pages->setCurrentIndex(page);
          try_controls(dialog.get(), QLatin1String(each.name), tried);
        }
      try_controls(dialog.get(), QLatin1String(each.name), tried);
    }
    QVERIFY2(tried.changed.isEmpty(), qPrintable(tried.changed.join(u'\n')));
    QVERIFY2(tried.controls > 40, qPrintable(QString::number(tried.controls)));
  }

  void every_dialog_is_in_the_list() {
    static const QRegularExpression dialog(QStringLiteral("class (\\w+) : public (?:QDialog|CommandDialog)\\b"));
    const TempDir folder;
    PlotView plot(QStringLiteral("loss"));
    std::set<QString> listed, written;
    for (const NamedDialog& each : all_dialogs(plot, folder.file("run"))) listed.insert(QLatin1String(each.name));
    for (const Source& source : code({"app", "widgets"}))
      for (auto all = dialog.globalMatch(source.text); all.hasNext();) written.insert(all.next().captured(1));
    written.erase(QStringLiteral("CommandDialog"));   // the base of others
    written.erase(QStringLiteral("SessionHistory"));  // a list and buttons, made with a window's session
    QCOMPARE(QStringList(listed.begin(), listed.end()), QStringList(written.begin(), written.end()));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<WheelTest>};
#include "wheel_test.moc"
