// SPDX-License-Identifier: GPL-3.0-or-later
// Ctrl+Z and Ctrl+Shift+Z in every form of settings, and dialogs that keep what was typed when they are closed.
#include "widgets/look/form_history.h"

#include <QAbstractSlider>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QTest>
#include <QTreeWidget>
#include <set>

#include "app/window/evaluation_dialog.h"
#include "app/window/lab_dialogs.h"
#include "tests/support/all_dialogs.h"
#include "tests/support/find_parts.h"
#include "tests/support/gui_test.h"
#include "tests/support/home.h"
#include "tests/support/settle.h"
#include "widgets/look/form_memory.h"
#include "widgets/runs/config_panel.h"
#include "widgets/training/plan_form.h"

using namespace carryover;
using namespace carryover::test;

namespace {

void press_undo(QWidget* at) {
  QTest::keyClick(at, Qt::Key_Z, Qt::ControlModifier);
  settle();
}
void press_redo(QWidget* at) {
  QTest::keyClick(at, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  settle();
}

/// A form of one field of each kind.
struct Form : QDialog {
  explicit Form(QWidget* parent = nullptr) : QDialog(parent) {
    auto* rows = new QFormLayout(this);
    for (QWidget* each : std::initializer_list<QWidget*>{line, combo, number, box, preset}) rows->addRow(each);
    combo->addItems({QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")});
    number->setMaximum(1000);
    connect(preset, &QPushButton::clicked, this, [this] {
      combo->setCurrentIndex(2);
      number->setValue(77);
      box->setChecked(true);
    });
    history = new FormHistory(*this);
  }
  QLineEdit* line = new QLineEdit(QStringLiteral("start"));
  QComboBox* combo = new QComboBox;
  QSpinBox* number = new QSpinBox;
  QCheckBox* box = new QCheckBox(QStringLiteral("box"));
  QPushButton* preset = new QPushButton(QStringLiteral("preset"));
  FormHistory* history;
};

/// Changes one field as a hand would; false where this one can't be changed.
bool change(QWidget* field) {
  if (auto* line = qobject_cast<QLineEdit*>(field)) return line->setText(line->text() + QStringLiteral("7")), true;
  if (auto* combo = qobject_cast<QComboBox*>(field)) {
    if (combo->count() < 2) return false;
    return combo->setCurrentIndex((combo->currentIndex() + 1) % combo->count()), true;
  }
  if (auto* number = qobject_cast<QAbstractSpinBox*>(field)) {
    const QVariant before = number->property("value");
    number->stepUp();
    if (number->property("value") == before) number->stepDown();
    return number->property("value") != before;
  }
  if (auto* button = qobject_cast<QAbstractButton*>(field)) {
    const bool before = button->isChecked();
    button->toggle();
    return button->isChecked() != before;
  }
  return false;
}

bool is_own_field(const QWidget* widget) {
  const QWidget* parent = widget->parentWidget();
  if (qobject_cast<const QComboBox*>(parent) != nullptr || qobject_cast<const QAbstractSpinBox*>(parent) != nullptr)
    return false;
  if (const auto* line = qobject_cast<const QLineEdit*>(widget)) return !line->isReadOnly();
  if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) return button->isCheckable();
  return qobject_cast<const QComboBox*>(widget) != nullptr || qobject_cast<const QAbstractSpinBox*>(widget) != nullptr;
}

}  // namespace

class FormHistoryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { fail_on_qt_warnings(); }

  void each_change_is_a_step_and_a_preset_is_one() {
    Form form;
    form.show();
    settle();
    const QVariantMap start = form.history->values();
    form.combo->setCurrentIndex(1);
    settle();
    form.box->setChecked(true);
    settle();
    form.preset->click();
    settle();
    QCOMPARE(form.history->stack().count(), 3);
    press_undo(form.preset);
    QVERIFY(form.combo->currentIndex() == 1 && form.number->value() == 0 && form.box->isChecked());
    press_undo(form.number);
    QVERIFY(form.combo->currentIndex() == 1 && !form.box->isChecked());
    press_undo(form.combo);
    QCOMPARE(form.history->values(), start);
    QVERIFY(!form.history->stack().canUndo());
    press_redo(form.box);
    press_redo(form.box);
    press_redo(form.box);
    QVERIFY(form.combo->currentIndex() == 2 && form.number->value() == 77 && form.box->isChecked());
  }

  void what_is_typed_in_a_field_is_one_step() {
    Form form;
    form.show();
    form.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&form));
    form.number->setFocus();
    form.number->selectAll();
    for (const char key : {'5', '1', '2'}) {
      QTest::keyClick(form.number, key);
      settle();
    }
    QCOMPARE(form.number->value(), 512);
    press_undo(form.number);
    QCOMPARE(form.number->value(), 0);
    press_redo(form.number);
    QCOMPARE(form.number->value(), 512);
    form.line->setFocus();
    form.line->selectAll();
    QTest::keyClicks(form.line, QStringLiteral("typed"));
    settle();
    form.box->setFocus();
    press_undo(form.box);
    QCOMPARE(form.line->text(), QStringLiteral("start"));
    QCOMPARE(form.number->value(), 512);
    press_undo(form.box);
    QCOMPARE(form.number->value(), 0);
  }

  void what_changes_while_the_keyboard_is_elsewhere_is_no_step() {
    QWidget window;
    auto* other = new QLineEdit(&window);
    auto* inside = new QWidget(&window);
    auto* number = new QSpinBox(inside);
    auto* history = new FormHistory(*inside);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    other->setFocus();
    number->setValue(9);
    settle();
    QCOMPARE(history->stack().count(), 0);
    number->setFocus();
    number->setValue(10);
    settle();
    press_undo(number);
    QCOMPARE(number->value(), 9);
  }

  void every_form_of_a_dialog_takes_back_every_change() {
    const TempDir folder;
    PlotView plot(QStringLiteral("loss"));
    int tried = 0;
    std::set<QString> with_fields;
    for (const NamedDialog& each : all_dialogs(plot, folder.file("run"))) {
      const QString name = QLatin1String(each.name);
      if (name == QStringLiteral("CommandPalette") || name == QStringLiteral("GuideWindow")) continue;  // no settings
      const auto dialog = each.make();
      dialog->show();
      settle();
      auto* history = dialog->findChild<FormHistory*>();
      if (history == nullptr) continue;
      with_fields.insert(name);
      auto* form = static_cast<QWidget*>(history->parent());
      for (QWidget* field : form->findChildren<QWidget*>()) {
        if (!is_own_field(field) || !field->isEnabled()) continue;
        const QVariantMap before = history->values();
        const int steps = history->stack().count();
        if (!change(field)) continue;
        settle();
        if (history->stack().count() == steps) continue;  // it fills in others, and they were so before
        const QString told = QStringLiteral("%1: %2 %3").arg(name, field->objectName(), field->accessibleName());
        QVERIFY2(history->values() != before, qPrintable(told));
        history->stack().undo();
        settle();
        QVERIFY2(history->values() == before, qPrintable(told));
        ++tried;
      }
    }
    const std::set<QString> wanted{QStringLiteral("BenchDialog"),      QStringLiteral("EngineDialog"),
                                   QStringLiteral("EvaluationDialog"), QStringLiteral("ExperimentDialog"),
                                   QStringLiteral("ExportDialog"),     QStringLiteral("FinetuneDialog"),
                                   QStringLiteral("ModelDialog"),      QStringLiteral("PatternDialog")};
    QVERIFY(with_fields == wanted);
    QVERIFY2(tried > 60, qPrintable(QString::number(tried)));
  }

  void tasks_of_an_evaluation_are_unticked_again() {
    EvaluationDialog dialog;
    dialog.show();
    settle();
    auto* tree = dialog.findChild<QTreeWidget*>();
    QTreeWidgetItem* item = tree->topLevelItem(0);
    item->setCheckState(0, Qt::Checked);
    settle();
    press_undo(tree);
    QCOMPARE(item->checkState(0), Qt::Unchecked);
    press_redo(tree);
    QCOMPARE(item->checkState(0), Qt::Checked);
  }

  void the_keys_in_settings_are_those_of_the_window() {
    const TempDir folder;
    Home home(folder);
    MainWindow& window = home.window;
    open_demo(window, 600);
    QTRY_VERIFY_WITH_TIMEOUT(home.lab().model().has_value(), patience_ms);
    window.docks().raise(QStringLiteral("config"));
    settle();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    const QWidget& panel = *window.docks().panel(QStringLiteral("config"));
    QSpinBox* segment = segment_field(panel);
    QVERIFY(segment);
    const std::int64_t before = home.lab().config().segment_length;
    segment->setFocus();
    segment->selectAll();
    QTest::keyClicks(segment, QStringLiteral("64"));
    QTest::keyClick(segment, Qt::Key_Return);
    settle();
    QCOMPARE(home.lab().config().segment_length, std::int64_t{64});
    press_undo(segment);
    QCOMPARE(home.lab().config().segment_length, before);
    QCOMPARE(segment->value(), static_cast<int>(before));
    press_redo(segment);
    QCOMPARE(home.lab().config().segment_length, std::int64_t{64});
    // A refused value is taken back first, and the setting before it stays.
    segment->selectAll();
    QTest::keyClicks(segment, QStringLiteral("0"));
    settle();
    QVERIFY(!home.lab().settings_problem().isEmpty());
    press_undo(segment);
    QCOMPARE(home.lab().settings_problem(), QString());
    QCOMPARE(segment->value(), 64);
    QCOMPARE(home.lab().config().segment_length, std::int64_t{64});
  }

  void a_closed_dialog_keeps_what_was_typed() {
    QWidget window;
    window.show();
    const auto open = [&window] {
      auto form = std::make_unique<Form>(&window);
      FormMemory::keep(*form, QStringLiteral("form"));
      form->show();
      settle();
      return form;
    };
    {
      const auto form = open();
      form->line->setText(QStringLiteral("typed"));
      form->number->setValue(5);
      form->reject();
    }
    {
      const auto form = open();
      QCOMPARE(form->line->text(), QStringLiteral("typed"));
      QCOMPARE(form->number->value(), 5);
      QCOMPARE(form->combo->currentIndex(), 0);
      form->combo->setCurrentIndex(1);
      form->close();  // by the window's own button
    }
    {
      const auto form = open();
      QCOMPARE(form->line->text(), QStringLiteral("typed"));
      QCOMPARE(form->combo->currentIndex(), 1);
      form->accept();  // done with it
    }
    QCOMPARE(open()->line->text(), QStringLiteral("start"));
  }

  void fine_tuning_comes_back_as_it_was_typed() {
    const TempDir folder;
    Home home(folder);
    open_demo(home.window, 600);
    QTRY_VERIFY_WITH_TIMEOUT(home.lab().model().has_value(), patience_ms);
    LabDialogs& dialogs = home.window.dialogs();
    const auto rate = [&] { return dialogs.open_finetune()->findChild<QLineEdit*>(QStringLiteral("learning_rate")); };
    QVERIFY(rate());
    const QString usual = rate()->text();
    rate()->setText(QStringLiteral("0.125"));
    dialogs.finetune()->close();
    QTRY_VERIFY(dialogs.finetune() == nullptr);
    QCOMPARE(rate()->text(), QStringLiteral("0.125"));
    QVERIFY(usual != QStringLiteral("0.125"));
  }

  void an_evaluation_that_was_opened_before_its_model_gets_it() {
    const TempDir folder;
    Home home(folder);
    EvaluationDialog* dialog = home.window.dialogs().open_evaluation();
    QVERIFY(!dialog->has_model());
    open_demo(home.window, 600);
    QTRY_VERIFY_WITH_TIMEOUT(dialog->has_model(), patience_ms);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<FormHistoryTest>};
#include "form_history_test.moc"
