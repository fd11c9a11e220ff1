// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/start/shell.h"
#include "tests/support/demo_window.h"
#include "tests/support/temp_dir.h"

namespace carryover::test {

/// A window that is somebody's: with a shell, and with its settings and sessions in `folder`.
struct Home {
  explicit Home(const QString& home, bool begin = true)
      : settings(home + QStringLiteral("/settings.json")),
        keeper(window, home + QStringLiteral("/sessions")),
        shell(window, settings, keeper),
        folder(home) {
    window.resize(1280, 800);
    window.show();
    if (begin) keeper.begin(false);
  }
  explicit Home(const TempDir& home) : Home(QString::fromStdString(home.path().string())) {}
  LabContext& lab() { return window.lab().context; }
  const ModelInfo& model() { return window.lab().loader.model()->info; }

  MainWindow window;
  SettingsFile settings;
  SessionKeeper keeper;
  Shell shell;
  QString folder;
};

}  // namespace carryover::test
