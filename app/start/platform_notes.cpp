// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/platform_notes.h"

#include <QString>

namespace carryover {
namespace {

QtMessageHandler pass_on = nullptr;

}  // namespace

void drop_platform_notes() {
  pass_on = qInstallMessageHandler([](QtMsgType type, const QMessageLogContext& context, const QString& text) {
    const bool note = text.startsWith(QLatin1String("This plugin does not support ")) ||
                      text.startsWith(QLatin1String("OpenType support missing for "));
    if (!note) pass_on(type, context, text);
  });
}

}  // namespace carryover
