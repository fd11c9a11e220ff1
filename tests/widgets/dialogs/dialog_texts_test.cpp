// SPDX-License-Identifier: GPL-3.0-or-later
// No text of a dialog is cut off in the size that it opens with.
#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QDialog>
#include <QLabel>
#include <QTest>

#include "app/window/bench_dialog.h"
#include "app/window/evaluation_dialog.h"
#include "app/window/experiment_dialog.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "widgets/look/theme.h"
#include "widgets/training/finetune_dialog.h"

using namespace carryover;

namespace {

bool is_scrolled(const QWidget& widget) {
  for (const QWidget* above = widget.parentWidget(); above != nullptr; above = above->parentWidget())
    if (qobject_cast<const QAbstractScrollArea*>(above) != nullptr) return true;
  return false;
}

/// Says which part of the widget's text has no room; empty if all of it is seen.
QString lacking(const QWidget& widget, const QString& text) {
  const auto* label = qobject_cast<const QLabel*>(&widget);
  const bool wraps = label != nullptr && label->wordWrap();
  const QSize needed = wraps ? QSize(0, label->heightForWidth(label->width())) : widget.minimumSizeHint();
  if (needed.width() > widget.width() || needed.height() > widget.height())
    return QStringLiteral("“%1” has %2 × %3 of %4 × %5")
        .arg(text.left(40))
        .arg(widget.width())
        .arg(widget.height())
        .arg(needed.width())
        .arg(needed.height());
  for (const QWidget* above = widget.parentWidget(); above != nullptr; above = above->parentWidget())
    if (!above->rect().contains(QRect(widget.mapTo(above, QPoint()), widget.size())))
      return QStringLiteral("“%1” reaches out of what it is in").arg(text.left(40));
  return {};
}

QStringList missing_texts(const QDialog& dialog) {
  QStringList found;
  const auto look = [&found](const QWidget& widget, const QString& text) {
    if (!widget.isVisible() || text.isEmpty() || is_scrolled(widget)) return;
    if (const QString lacks = lacking(widget, text); !lacks.isEmpty()) found += lacks;
  };
  for (const QLabel* label : dialog.findChildren<QLabel*>()) look(*label, label->text());
  for (const QAbstractButton* button : dialog.findChildren<QAbstractButton*>()) look(*button, button->text());
  return found;
}

}  // namespace

class DialogTextsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { apply_theme(*qApp, ThemeKind::Light); }

  void a_dialog_opens_with_its_texts_whole_data() {
    QTest::addColumn<int>("which");
    const char* const names[] = {"fine-tune", "evaluate", "benchmark", "experiment"};
    for (int i = 0; i < 4; ++i) QTest::newRow(names[i]) << i;
  }

  void a_dialog_opens_with_its_texts_whole() {
    QFETCH(int, which);
    const test::TempDir folder;
    TrainingPlan plan;
    plan.model = CARRYOVER_SOURCE_DIR "/resources/demo";
    plan.data = {plan.model + "/text.txt"};
    plan.output_dir = folder.file("run");
    const std::unique_ptr<QDialog> dialog = which == 0   ? std::unique_ptr<QDialog>(new FinetuneDialog(plan))
                                            : which == 1 ? std::unique_ptr<QDialog>(new EvaluationDialog)
                                            : which == 2 ? std::unique_ptr<QDialog>(new BenchDialog)
                                                         : std::unique_ptr<QDialog>(new ExperimentDialog);
    dialog->show();
    QVERIFY(QTest::qWaitForWindowExposed(dialog.get()));
    QTRY_VERIFY2(missing_texts(*dialog).isEmpty(), qPrintable(missing_texts(*dialog).join(u'\n')));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<DialogTextsTest>};
#include "dialog_texts_test.moc"
