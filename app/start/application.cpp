// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/application.h"

#include <QEvent>

#include "engine/base/current_error.h"
#include "engine/base/terminal_text.h"

namespace carryover {

bool Application::notify(QObject* receiver, QEvent* event) {
  const bool painting = event->type() == QEvent::Paint;  // asked before, since a handler may delete its event
  try {
    return QApplication::notify(receiver, event);
  } catch (...) {
    // Told later: what was interrupted has to come to its end before anything is shown.
    QMetaObject::invokeMethod(
        this, [this, report = report_of(current_error()), painting] { tell(report, painting); }, Qt::QueuedConnection);
    return true;
  }
}

void Application::tell(const ErrorReport& report, bool painting) {
  // Telling makes the window paint again: what every painting says is reported once.
  const QString text = report.where + QStringLiteral(": ") + report.problem;
  if (painting && told_of_painting_.contains(text)) return;
  if (painting) told_of_painting_.insert(text);
  const bool told = reporter_ && !attempt([&] { reporter_(report); });
  if (!told) print_error_line(("carryover: " + text).toStdString());
}

}  // namespace carryover
