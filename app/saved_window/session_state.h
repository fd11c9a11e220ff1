// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QString>
#include <QStringList>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "engine/runs/values/what_if.h"
#include "widgets/campaigns/state/prompt_order.h"
#include "widgets/lab/lab_context.h"
#include "widgets/lab/notebook.h"
#include "widgets/look/form_memory.h"

namespace carryover {

/// Everything that restores a window: the contents of a session file. Paths are absolute here; a file names those in
/// its own folder relatively, so that the folder can move. A plain value.
struct SessionState {
  QString engine;             ///< command line of an engine elsewhere, or empty; model paths are then of its machine
  QString model, adapter;     ///< as opened, or as a training left them; empty: none
  std::string weights;        ///< their hash; empty: not known
  DType dtype = DType::Auto;  ///< dtype of the weights; Auto: not known
  QString text;               ///< a file
  QString text_name;          ///< name of a text that is not the user's file but kept with the session
  RunOptions options;
  nlohmann::json config;  ///< fields of SegmentConfig; null where no model was open
  Selection selection, pinned;
  SegmentRange range;
  QString notes;
  std::vector<Bookmark> bookmarks;
  QString run;                  ///< journal of the run on show (engine/runs/records/run_journal.h), or empty
  QString run_folder;           ///< folder that keeps that run for good, or empty; without a journal it is read from
                                ///< there
  QString pinned_run;           ///< journal or folder of run B, or empty
  int pinned_segments = 0;      ///< number of its segments when it was pinned
  QString what_ifs;             ///< file of the what-ifs that were run (kept_what_ifs.h), or empty
  int shown_what_if = -1;       ///< index in it
  QString questions;            ///< file of the questions that were asked (kept_questions.h), or empty
  SegmentEdit draft;            ///< edit of the next what-if
  std::vector<ListedRun> runs;  ///< the list, but for what-ifs
  QString foil;                 ///< text of the token that logits are compared with, or empty
  QStringList trainings;        ///< folders of training runs in the list
  QString experiment;           ///< folder of the one in view; empty: none
  QString evaluation;           ///< likewise
  QString prompts;              ///< of the prompt set in view, likewise
  PromptOrder prompt_order;     ///< as it is filled in, for the next one
  QString document;             ///< file of the open state of a document, of the engine's machine; empty: none
  nlohmann::json finetune;      ///< fields of a TrainingPlan that is being filled in; null: no dialog
  TypedForms typed;             ///< what was typed into dialogs and is not done yet
  QByteArray geometry, layout;  ///< of the window and its docks
  QString file;                 ///< the session file that it was saved in or opened from; autosaves alone
  QString file_version;         ///< hash of what `file` held when it was opened or saved last; autosaves alone
  bool unsaved = false;         ///< that file lacks some of the work; autosaves alone
  bool closed = false;          ///< the window ended by itself; autosaves alone
  bool untouched = false;       ///< nothing was run, typed or changed in it; autosaves alone
  QStringList foreign;          ///< files that a session file named and that are not its own; autosaves alone

  /// Returns true if nothing differs that a person would miss; the selection and the view are not compared.
  bool same_work(const SessionState& other) const;
  bool same_drafts(const SessionState& other) const;  ///< compares inputs for something that is not run yet
  /// A file that is copied when the session is saved in another place, and its name there.
  struct TakenFile {
    QString* path;
    QString name;
    bool is_run = false;
  };
  /// Returns the journals of runs, what-ifs, questions, and a text that is no file of the user's.
  std::vector<TakenFile> files_taken_along();
};

/// A session file may come from anybody and name any file. Those of `files_taken_along()` that are not regular files of
/// the folder NAME.files beside it are noted as foreign: they are read like files of the user's, and never copied.
void note_foreign_files(SessionState& state, const QString& session_file);

/// Returns the contents of a session file. `folder`: the file's folder; see SessionState.
std::string session_text(const SessionState& state, const QString& folder);
/// Throws EngineError{Io, BadInput, Unsupported}.
SessionState read_session(const QString& path);

nlohmann::json notes_json(const Notebook& notebook);  ///< notes.json of a run folder: notes and bookmarks

inline const QString session_suffix = QStringLiteral("carryover");

}  // namespace carryover
