// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QString>
#include <QStringList>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "widgets/lab_context.h"
#include "widgets/notebook.h"

namespace carryover {

/// Everything that brings a window back to where it was: what a session file says. Paths are absolute here; a file
/// names those in its own folder relatively, so that the folder can move. A plain value.
struct SessionState {
  QString model, adapter;  ///< as opened; empty: none
  QString text;            ///< a file
  QString text_name;       ///< what a text is called that is not the user's file but kept with the session
  RunOptions options;
  nlohmann::json config;  ///< fields of SegmentConfig; null where no model was open
  Selection selection;
  QString notes;
  std::vector<Bookmark> bookmarks;
  QString run;                  ///< journal of the run on show (engine/io/run_journal.h), or empty
  QStringList trainings;        ///< folders of training runs in the list
  nlohmann::json finetune;      ///< fields of a TrainingPlan that is being filled in; null: no dialog
  QByteArray geometry, layout;  ///< of the window and its docks
  QString file;                 ///< the session file that it was saved in or opened from; autosaves alone
  bool closed = false;          ///< the window ended by itself; autosaves alone

  /// What a person would miss: what is looked at, and how, left out.
  bool same_work(const SessionState& other) const;
};

/// `folder`: of the file; see SessionState.
std::string session_text(const SessionState& state, const QString& folder);
/// Throws EngineError{Io, BadInput, Unsupported}.
SessionState read_session(const QString& path);

nlohmann::json notes_json(const Notebook& notebook);  ///< notes.json of a run folder: notes and bookmarks

inline const QString session_suffix = QStringLiteral("carryover");

}  // namespace carryover
