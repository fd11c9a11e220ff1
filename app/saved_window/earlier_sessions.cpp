// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/earlier_sessions.h"

#include <QDir>

#include "app/engine_thread/error_report.h"
#include "app/saved_window/session_state.h"

namespace carryover {

EarlierSessions::~EarlierSessions() {
  for (const auto& folder : removed_) folder->erase();
}

bool EarlierSessions::remove(const QString& path) {
  auto folder = SessionFolder::adopt(path);
  if (!folder) return false;
  removed_.push_back(std::move(folder));
  return true;
}

void EarlierSessions::undo() {
  if (can_undo()) removed_.pop_back();  // who has its lock has the folder
}

void EarlierSessions::erase_untouched() const {
  SessionFolder::remove_empty(root_);
  for (const QString& path : folders()) {
    bool untouched = false;
    attempt([&] { untouched = read_session(SessionFolder::session_file_in(path)).untouched; });
    if (!untouched || QDir(path).entryList({QStringLiteral("*.journal")}).size() > 1) continue;
    if (const auto folder = SessionFolder::adopt(path)) folder->erase();
  }
}

}  // namespace carryover
