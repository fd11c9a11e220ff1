// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/saved_window/session_state.h"
#include "app/window/main_window.h"

/// The state of a window that is to be kept. GUI thread.
namespace carryover {

/// Returns `before` with what the window has now; a model that can't be reached at present stays in it. `own_text` is
/// the file of the text on show if that is no file of the user's. Whether the state is unsaved or untouched is left as
/// it was.
SessionState captured(MainWindow& window, SessionState before, const QString& own_text);
/// Returns true if the state names an engine that is not used, and nothing else has been opened in its place.
bool engine_is_declined(const SessionState& state, const Lab& lab);

}  // namespace carryover
