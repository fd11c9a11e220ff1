// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <vector>

#include "app/saved_window/session_folder.h"

namespace carryover {

/// The sessions under `root` that windows left behind. One that is removed is locked until this object ends, which
/// erases it, so that nothing is lost before that or if the program ends in another way (ADR 0048). GUI thread.
class EarlierSessions {
 public:
  explicit EarlierSessions(const QString& root) : root_(root) {}
  EarlierSessions(const EarlierSessions&) = delete;
  ~EarlierSessions();

  const QString& root() const { return root_; }
  QStringList folders() const { return SessionFolder::left_behind(root_); }  ///< the newest first
  bool remove(const QString& folder);                                        ///< false where another window has it
  bool can_undo() const { return !removed_.empty(); }
  void undo();  ///< for the one removed last
  /// Erases those of windows in which nobody did anything, killed ones too. Nothing else is deleted unasked.
  void erase_untouched() const;

 private:
  QString root_;
  std::vector<std::unique_ptr<SessionFolder>> removed_;
};

}  // namespace carryover
