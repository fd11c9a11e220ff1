// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "widgets/lab/run_library.h"
#include "widgets/look/theme.h"

namespace carryover {

/// A model with the adapter that was merged into it, or none.
struct RecentModel {
  QString path, adapter;

  QString text() const;   ///< for people
  bool is_there() const;  ///< on this machine, both
  bool operator==(const RecentModel&) const = default;
};

using EngineCommand = std::vector<std::string>;  ///< program and arguments

/// The settings that a person's window keeps from one start to the next, beside sessions. A plain value.
struct Settings {
  ThemeKind theme = ThemeKind::Light;
  QString language = QStringLiteral("system");         ///< or "en", "de"
  bool start_panel = true;                             ///< true if the panel of a first look is shown
  std::int64_t run_limit = RunLibrary::default_limit;  ///< bytes that a session's runs may take on disk; 0: any number
  QList<RecentModel> models;                           ///< recently used, the newest first
  QStringList texts, sessions, experiments;            ///< likewise
  std::map<QString, QByteArray> layouts;               ///< the user's own, by name: QMainWindow::saveState()
  std::map<EngineCommand, bool> engines;               ///< commands that a session may, or may not, start
                                                       ///< (engine_consent.h)

  bool operator==(const Settings&) const = default;
};

/// Puts `newest` in front of a list of recent entries, once.
template <typename List>
void remember_recent(List& list, const typename List::value_type& newest) {
  constexpr qsizetype most = 10;
  list.removeAll(newest);
  list.prepend(newest);
  while (list.size() > most) list.removeLast();
}

/// Reads and writes settings.json of a folder. A file that can't be read is set aside (settings.json.aside) and the
/// defaults taken, so that it never keeps the window from opening; problem() then says so. GUI thread.
class SettingsFile {
 public:
  explicit SettingsFile(const QString& path);
  static QString of_user();  ///< its path in the user's configuration

  Settings values;
  const QString& problem() const { return problem_; }
  void save();  ///< writes changed settings. Throws EngineError{Io}

 private:
  QString path_, problem_;
  Settings saved_;
};

}  // namespace carryover
