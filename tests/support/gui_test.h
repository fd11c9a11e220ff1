// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QApplication>
#include <QMouseEvent>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "tests/support/test_program.h"
#include "widgets/look/theme.h"

namespace carryover::test {

/// Makes each Qt warning fail the test that caused it; call it in init(). The offscreen platform's own remarks
/// excepted.
inline void fail_on_qt_warnings() {
  QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support |QStandardPaths: )")));
}

/// A private XDG_RUNTIME_DIR, which Qt looks for.
class PrivateRuntimeDir {
 public:
  PrivateRuntimeDir() {
    QFile::setPermissions(folder_.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    qputenv("XDG_RUNTIME_DIR", folder_.path().toLocal8Bit());
  }

 private:
  QTemporaryDir folder_;
};

/// Returns the coordinates that a plot reports by `hovered` when the pointer moves over `pixel` of the widget.
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

/// The objects that a process with widgets needs before its first window.
template <typename App = QApplication>
struct WindowProcess {
  WindowProcess(int& argc, char** argv) : application(argc, argv) { apply_theme(application, ThemeKind::Light); }
  PrivateRuntimeDir runtime_dir;
  App application;
};

/// Runs the tests of a TestFile that show widgets.
template <typename Tests, typename App = QApplication>
int in_window(int argc, char** argv) {
  const WindowProcess<App> process(argc, argv);
  return without_application<Tests>(argc, argv);
}

}  // namespace carryover::test
