// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/platform_watch.h"

#include <QString>
#include <cstdlib>
#include <vector>

#include "engine/base/terminal_text.h"

namespace carryover {
namespace {

struct Said {
  QtMsgType type;
  QString text;
};

QtMessageHandler handler_before = nullptr;
int failure_code = 1;

std::vector<Said>& said() {
  static std::vector<Said> all;
  return all;
}

/// The process is about to be aborted by Qt, so nothing of it is destroyed in an orderly way.
[[noreturn]] void end_with_reason(const QString& last) {
  QString reason = last;
  for (const Said& each : said())
    if (each.type == QtWarningMsg) reason = each.text;  // the fatal message is general, the warning before it is not
  const QByteArray wanted = qgetenv("QT_QPA_PLATFORM");
  print_error_line(
      "carryover: the window can't open on the platform \"" + wanted.toStdString() +
      "\": " + reason.simplified().toStdString() +
      "\n  Unset QT_QPA_PLATFORM, or install the platform's plug-in: on Debian, qt6-wayland has wayland, and "
      "libqt6gui6 with libxcb-cursor0 has xcb. Without a display, add --headless, or use carryover-cli.");
  std::_Exit(failure_code);
}

}  // namespace

PlatformWatch::PlatformWatch(int exit_code) {
  failure_code = exit_code;
  said().clear();
  handler_before =
      qInstallMessageHandler([](QtMsgType type, const QMessageLogContext& /*context*/, const QString& text) {
        if (type == QtFatalMsg) end_with_reason(text);
        said().push_back({type, text});
      });
}

PlatformWatch::~PlatformWatch() {
  qInstallMessageHandler(handler_before);
  for (const Said& each : said()) handler_before(each.type, QMessageLogContext(), each.text);
  said().clear();
}

}  // namespace carryover
