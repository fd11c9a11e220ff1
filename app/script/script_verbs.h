// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <functional>
#include <vector>

#include "app/script/script.h"
#include "app/window/main_window.h"

namespace carryover {

/// When a statement is done: at once where it is empty, else as soon as it says so. Asked again and again on the GUI
/// thread; throws EngineError where what is waited for can no longer come.
using Pending = std::function<bool()>;

/// What the first word of a statement does. `run` is called on the GUI thread with the words after it, and throws
/// EngineError. A new verb is a row in script_verbs.cpp.
struct ScriptVerb {
  QString name;
  QString usage;                                                             ///< the words after it, for people
  int least, most;                                                           ///< how many they may be
  std::function<Pending(MainWindow& window, const QStringList& words)> run;  ///< empty: the script ends
};
const std::vector<ScriptVerb>& script_verbs();

/// Throws EngineError{Usage} naming the verbs, or this one's usage where the number of words is wrong.
const ScriptVerb& verb_of(const Statement& statement);

/// Nothing is loading, running, training or audited, and no view waits for an inspection.
bool engine_is_idle(Lab& lab);

}  // namespace carryover
