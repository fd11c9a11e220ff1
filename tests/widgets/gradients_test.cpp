// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/look/gradients.h"

#include <QTest>
#include <cmath>

#include "tests/support/test_program.h"

using namespace carryover;

class GradientsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void lightness_rises_evenly_data() {
    QTest::addColumn<int>("scale");
    QTest::newRow("viridis") << static_cast<int>(ColourScale::Viridis);
    QTest::newRow("cividis") << static_cast<int>(ColourScale::Cividis);
  }
  // Equal steps must look equal and survive grey print: L* is linear to within what sRGB's gamut and 8 bits allow.
  void lightness_rises_evenly() {
    QFETCH(int, scale);
    const auto kind = static_cast<ColourScale>(scale);
    const double first = cie_lightness(scale_colour(kind, 0)), last = cie_lightness(scale_colour(kind, 1));
    QVERIFY(last - first > 70);
    double before = first;
    for (int i = 1; i <= 100; ++i) {
      const double t = i / 100.0, lightness = cie_lightness(scale_colour(kind, t));
      QVERIFY2(lightness > before, qPrintable(QString::number(t)));
      QVERIFY2(std::abs(lightness - (first + (last - first) * t)) < 3, qPrintable(QString::number(t)));
      before = lightness;
    }
  }
  // A simple stand-in for protanopia and deuteranopia: red and green are seen as one. Cividis must stay ordered and
  // keep its blue-yellow contrast; red minus green must carry nothing.
  void cividis_needs_no_red_green() {
    for (int i = 0; i <= 100; ++i) {
      const QColor colour = scale_colour(ColourScale::Cividis, i / 100.0);
      QVERIFY2(std::abs(colour.red() - colour.green()) < 52, qPrintable(colour.name()));
    }
  }
  // A difference and its opposite must look equally large, a zero neutral, on either page.
  void differences_are_symmetric() {
    for (const bool on_dark : {false, true}) {
      const double page = cie_lightness(diverging_colour(0, on_dark));
      const double end = cie_lightness(diverging_colour(1, on_dark));
      QVERIFY(on_dark ? end - page > 40 : page - end > 40);
      const QColor zero = diverging_colour(0, on_dark);
      QVERIFY(std::abs(zero.red() - zero.blue()) <= 2 && std::abs(zero.red() - zero.green()) <= 2);
      for (int i = 1; i <= 50; ++i) {
        const double t = i / 50.0, expected = page + (end - page) * t;
        const QColor above = diverging_colour(t, on_dark), below = diverging_colour(-t, on_dark);
        QVERIFY2(std::abs(cie_lightness(above) - expected) < 2, qPrintable(QString::number(t)));
        QVERIFY2(std::abs(cie_lightness(below) - expected) < 2, qPrintable(QString::number(t)));
        QVERIFY(above.red() > above.blue() && below.blue() > below.red());
      }
      QCOMPARE(diverging_colour(4, on_dark), diverging_colour(1, on_dark));
    }
  }
  void ends_are_clamped() {
    QCOMPARE(scale_colour(ColourScale::Viridis, -3), scale_colour(ColourScale::Viridis, 0));
    QCOMPARE(scale_colour(ColourScale::Viridis, 7), scale_colour(ColourScale::Viridis, 1));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<GradientsTest>};
#include "gradients_test.moc"
