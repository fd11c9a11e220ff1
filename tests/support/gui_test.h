// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QApplication>
#include <QMouseEvent>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

namespace carryover::test {

/// Makes each Qt warning fail the test that caused it; call it in init(). The offscreen platform's own remarks
/// excepted.
inline void fail_on_qt_warnings() {
  QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support |QStandardPaths: )")));
}

/// A private XDG_RUNTIME_DIR, which Qt looks for. Construct before the application.
class PrivateRuntimeDir {
 public:
  PrivateRuntimeDir() {
    QFile::setPermissions(folder_.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    qputenv("XDG_RUNTIME_DIR", folder_.path().toLocal8Bit());
  }

 private:
  QTemporaryDir folder_;
};

/// Where the pointer is in a plot's own coordinates when it moves over `pixel` of the widget: what `hovered` says.
template <typename Plot>
QPointF plot_coordinates(Plot& plot, const QPoint& pixel) {
  QPointF found(NAN, NAN);
  const auto connection = QObject::connect(&plot, &Plot::hovered, &plot, [&](double x, double y) { found = {x, y}; });
  QWidget* canvas = plot.childAt(pixel);
  const QPointF local = canvas->mapFrom(&plot, QPointF(pixel));
  QMouseEvent event(QEvent::MouseMove, local, canvas->mapToGlobal(local), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
  QApplication::sendEvent(canvas, &event);
  QObject::disconnect(connection);
  return found;
}

}  // namespace carryover::test

/// The main function of a test with widgets.
#define CARRYOVER_GUI_TEST(Test)                          \
  int main(int argc, char** argv) {                       \
    const carryover::test::PrivateRuntimeDir runtime_dir; \
    QApplication application(argc, argv);                 \
    Test test;                                            \
    return QTest::qExec(&test, argc, argv);               \
  }
