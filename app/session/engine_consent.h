// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <functional>

#include "app/session/settings.h"
#include "app/window/main_window.h"

namespace carryover {

/// Gives `answer`, at once or later, whether the engine command may be started.
using AskEngine = std::function<void(const QString& command, const std::function<void(bool start)>& answer)>;

/// Whether a command that a session file names may be started: a session is a file that somebody sent, and a command
/// can do anything. What the user said of a command, word by word, is kept in the settings; else a dialog asks. A
/// command that the window uses was typed or allowed by the user, and is remembered as such. GUI thread.
class EngineConsent : public QObject {
  Q_OBJECT
 public:
  EngineConsent(MainWindow& window, SettingsFile& settings, QObject* parent = nullptr);

  /// The command as it is shown: see visible_command().
  static QString shown(const QString& command);
  /// By what was said before, else by asking.
  void ask(const QString& command, const std::function<void(bool start)>& answer);
  /// By asking, whatever was said before.
  void ask_again(const QString& command, const std::function<void(bool start)>& answer);

 private:
  void remember(const EngineCommand& words, bool start);

  MainWindow& window_;
  SettingsFile& settings_;
};

}  // namespace carryover
