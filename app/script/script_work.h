// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/script/script_verbs.h"

namespace carryover {

/// finetune PRESET FOLDER [FIELD VALUE]…: fine-tunes the open model on the open text, as the dialog would; done when
/// that ends. Throws EngineError{Usage, BadInput} for what the dialog would mark.
Pending finetune_by_words(MainWindow& window, const QStringList& words);

/// ask TEXT: a question about the text that was run, or whose state is open, as the panel asks it; ask without N and
/// ask alone N: the answer again without its N-th passage, counted from 1 and best first, or with that one alone. Done
/// when it is answered. Throws EngineError{Usage}.
Pending ask_by_words(MainWindow& window, const QStringList& words);

/// A session file, as the menu opens and saves it. Throws EngineError{Usage} where the window keeps no sessions.
Pending open_session_file(MainWindow& window, const QString& path);
Pending save_session_file(MainWindow& window, const QString& path);

/// A document's state, as the menu opens and saves it.
Pending open_state_file(MainWindow& window, const QString& path);
Pending save_state_file(MainWindow& window, const QString& path);

/// What the window says of the open weights, of those of the run on show where they are others, and of the document
/// whose state is open.
QString identity_text(MainWindow& window);

}  // namespace carryover
