// SPDX-License-Identifier: GPL-3.0-or-later
// Values of the forward pass as a heatmap: what is asked for, the order of columns, and the code for Python.
#include "widgets/inspection/tensors_panel.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <cmath>

#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_inspection.h"

using namespace carryover;

namespace {

constexpr int kSegment = 5;

struct Shown {
  LabContext lab;
  std::unique_ptr<TensorsPanel> panel;

  Shown() {
    lab.set_model(test::synthetic_model().config, test::synthetic_request(6).config);
    test::synthetic_run(lab.run(), 6, 6, test::synthetic_request(6));
    lab.select({kSegment, 3, 1, lab.run().record(kSegment).first_token + 2});
    panel = std::make_unique<TensorsPanel>(lab);
    panel->resize(1000, 500);
    panel->show();
    test::settle();
  }
  void answer() {
    test::serve(lab);
    test::settle();
  }
  QComboBox* box(const QString& name) {
    for (QComboBox* box : panel->findChildren<QComboBox*>())
      if (box->accessibleName() == name) return box;
    return nullptr;
  }
  QString says() {
    for (const QLabel* label : panel->findChildren<QLabel*>())
      if (label->accessibleName().startsWith("Size")) return label->text();
    return {};
  }
  PointRef asked() { return lab.inspections().next()->parts.points.front(); }
};

}  // namespace

class TensorsPanelTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void it_asks_for_the_selected_layer_and_point() {
    Shown s;
    QVERIFY(s.asked() == (PointRef{3, ForwardPoint::Entering}));
    s.box("Point of the forward pass")->setCurrentIndex(static_cast<int>(ForwardPoint::Neurons));
    test::settle();
    QVERIFY(s.asked() == (PointRef{3, ForwardPoint::Neurons}));
    s.panel->findChild<QSpinBox*>()->setValue(1);
    test::settle();
    QVERIFY(s.asked() == (PointRef{1, ForwardPoint::Neurons}));
    QCOMPARE(s.lab.selected().layer, 1);
  }

  void it_draws_the_values_and_their_distribution() {
    Shown s;
    s.answer();
    const RunModel& run = s.lab.run();
    const std::int64_t tokens = run.record(kSegment).length, width = run.model().config.hidden;
    QVERIFY2(s.says().startsWith(QString("%1 tokens × %2 values").arg(tokens).arg(width)), qPrintable(s.says()));
    QVERIFY(s.panel->plots()[0]->map_colour(0, 0).isValid());
    QVERIFY(s.panel->plots()[0]->map_colour(static_cast<double>(width - 1), static_cast<double>(tokens - 1)).isValid());
    double shares = 0;
    for (const auto& [x, share] : s.panel->plots()[1]->drawn_points(0)) shares += share;
    QVERIFY(std::abs(shares - 1) < 1e-6);
    QVERIFY(s.panel->plots()[0]->csv().contains("\n0,0,1"));
  }

  void columns_may_begin_with_the_largest() {
    Shown s;
    s.box("Order of the columns")->setCurrentIndex(1);
    test::settle();
    s.answer();
    const std::int64_t width = s.lab.run().model().config.hidden;
    // Synthetic values rise along a row, so that the last column comes first.
    const double first = 1 + 0.01 * static_cast<double>(width - 1);
    const QString csv = s.panel->plots()[0]->csv();
    QVERIFY2(std::abs(csv.section('\n', 1, 1).section(',', -1).toDouble() - first) < 1e-5, qPrintable(csv.left(200)));
  }

  void python_gets_the_same_array() {
    Shown s;
    for (QToolButton* button : s.panel->findChildren<QToolButton*>())
      if (button->text() == "Copy as Python") button->click();
    const QString code = QGuiApplication::clipboard()->text();
    QVERIFY(code.contains("model.activations(run, 5, [\"3.resid_pre\"])[\"3.resid_pre\"]"));
    QVERIFY(code.contains(QString::fromStdString(s.lab.run().model().path)));
  }

  void a_click_selects_a_token() {
    Shown s;
    s.answer();
    Q_EMIT s.panel->plots()[0]->clicked(3, 7.2);
    QCOMPARE(s.lab.selected().token, s.lab.run().record(kSegment).first_token + 7);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<TensorsPanelTest>};
#include "tensors_panel_test.moc"
