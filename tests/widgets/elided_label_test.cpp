// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/elided_label.h"

#include <QHBoxLayout>
#include <QTest>

#include "tests/support/gui_test.h"
#include "tests/support/settle.h"

using namespace carryover;

class ElidedLabelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void it_never_asks_for_more_than_its_place() {
    QWidget window;
    ElidedLabel label(&window);
    auto* layout = new QHBoxLayout(&window);
    layout->addWidget(&label);
    const int least = window.minimumSizeHint().width();
    label.setText(QStringLiteral("no sink lost in any of the segments of this run"));
    QCOMPARE(window.minimumSizeHint().width(), least);
    window.resize(60, 40);
    window.show();
    test::settle();
    QVERIFY(label.is_cut());
    window.resize(900, 40);
    test::settle();
    QVERIFY(!label.is_cut());
  }

  void what_does_not_fit_is_left_out_where_the_mode_says() {
    const auto drawn = [](const QString& text, Qt::TextElideMode mode) {
      ElidedLabel label(nullptr, mode);
      label.setText(text);
      label.resize(120, 24);
      return label.grab().toImage();
    };
    const QString one = QStringLiteral("persuasion.txt · segmented S 1024 M 128 R 128");
    const QString other = QStringLiteral("persuasion.txt · segmented S 1024 M 128 R 0");
    QCOMPARE(drawn(one, Qt::ElideRight), drawn(other, Qt::ElideRight));
    QVERIFY(drawn(one, Qt::ElideMiddle) != drawn(other, Qt::ElideMiddle));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<ElidedLabelTest>};
#include "elided_label_test.moc"
