// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <functional>

#include "app/saved_window/settings.h"
#include "app/window/main_window.h"

namespace carryover {

/// A function that calls `answer`, at once or later, with true if the engine command may be started.
using AskEngine = std::function<void(const QString& command, const std::function<void(bool start)>& answer)>;

/// Decides whether a command that a session file names may be started: a session file may come from somebody else, and
/// a command can do anything. The user's answer for a command, compared word by word, is kept in the settings; without
/// one, a dialog asks. A command that the window uses was typed or allowed by the user, and is remembered as allowed.
/// GUI thread.
class EngineConsent : public QObject {
  Q_OBJECT
 public:
  EngineConsent(MainWindow& window, SettingsFile& settings, QObject* parent = nullptr);

  /// Returns the command as it is shown: see visible_command().
  static QString shown(const QString& command);
  /// Uses the earlier answer, else asks.
  void ask(const QString& command, const std::function<void(bool start)>& answer);
  /// Asks, whatever the earlier answer was.
  void ask_again(const QString& command, const std::function<void(bool start)>& answer);

 private:
  void remember(const EngineCommand& words, bool start);

  MainWindow& window_;
  SettingsFile& settings_;
};

}  // namespace carryover
