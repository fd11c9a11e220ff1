// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/script/script_verbs.h"

namespace carryover {

/// finetune PRESET FOLDER [FIELD VALUE]…: fine-tunes the open model on the open text, as the dialog would; done when
/// the training ends. Throws EngineError{Usage, BadInput} for values that the dialog would mark.
Pending finetune_by_words(MainWindow& window, const QStringList& words);

/// ask TEXT: asks a question about the text that was run, or whose state is open, as the panel does. "ask without N"
/// and "ask alone N" answer it again without its N-th passage, or with that passage alone; passages are counted from 1,
/// best first. Done when it is answered. Throws EngineError{Usage}.
Pending ask_by_words(MainWindow& window, const QStringList& words);

/// Open and save a session file, as the menu does. Throw EngineError{Usage} where the window keeps no sessions.
Pending open_session_file(MainWindow& window, const QString& path);
Pending save_session_file(MainWindow& window, const QString& path);

/// Open and save a document's state, as the menu does.
Pending open_state_file(MainWindow& window, const QString& path);
Pending save_state_file(MainWindow& window, const QString& path);

/// Returns the window's text about the open weights, about those of the run on show where they are others, and about
/// the document whose state is open.
QString identity_text(MainWindow& window);

}  // namespace carryover
