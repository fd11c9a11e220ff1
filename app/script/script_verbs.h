// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStringList>
#include <functional>
#include <vector>

#include "app/script/script.h"
#include "app/window/main_window.h"

namespace carryover {

/// Tells when a statement is done: at once where it is empty, else as soon as it returns true. It is called repeatedly
/// on the GUI thread, and throws EngineError where the awaited event can no longer come.
using Pending = std::function<bool()>;

/// A verb, which is the first word of a statement. `run` is called on the GUI thread with the words after it, and
/// throws EngineError. A new verb is a row in script_verbs.cpp.
struct ScriptVerb {
  QString name;
  QString usage;                                                             ///< the words after it, for people
  int least, most;                                                           ///< limits on their number
  std::function<Pending(MainWindow& window, const QStringList& words)> run;  ///< empty: the script ends
};
const std::vector<ScriptVerb>& script_verbs();

/// Returns a statement's verb. Throws EngineError{Usage} naming the verbs, or this verb's usage where the number of
/// words is wrong.
const ScriptVerb& verb_of(const Statement& statement);

/// Returns true if nothing is loading, running, training or audited, and no view waits for an inspection.
bool engine_is_idle(Lab& lab);

}  // namespace carryover
