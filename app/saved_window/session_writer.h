// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/engine_thread/error_report.h"
#include "app/saved_window/kept_questions.h"
#include "app/saved_window/kept_what_ifs.h"
#include "app/saved_window/session_state.h"
#include "engine/runs/records/run_journal.h"
#include "engine/tokenizers/tokenizer.h"

namespace carryover {

/// A session file to be written, with copies of the files that belong to it.
struct SessionSave {
  QString path;
  std::string contents;
  std::vector<std::pair<QString, QString>> copies;  ///< from, to
  QString folder;                                   ///< of the copies
  QStringList journals;                             ///< journals in that folder; others of an earlier saving are
                                                    ///< deleted
  QString former;                                   ///< the session's file before; empty: none
};

/// A run that was kept, read back from its journal or its folder.
struct KeptRun {
  QString place;
  JournaledRun run;
  std::shared_ptr<const Tokenizer> tokenizer;  ///< from its model's files; null where they are out of reach
};

/// The files beside a session file, as far as they can be read.
struct KeptFiles {
  std::optional<KeptRun> run, pinned;
  std::vector<KeptWhatIf> what_ifs;
  std::vector<Question> questions;
};

/// Writes and reads the files that a window keeps on disk, in the order of the calls. Lives on a thread of its own, so
/// that a slow disk never holds up the window or the engine. Called by queued calls with plain values; errors come as
/// signals.
class SessionWriter : public QObject {
  Q_OBJECT
 public:
  /// Writes a file of the window's folder, and keeps its contents until it is written: if the disk is full,
  /// keeping_failed() is emitted once, each later call tries again, and keeping_again() says that everything is
  /// written.
  void write(const QString& path, const std::string& contents);
  void write_waiting();  ///< tries again to write what could not be written before
  /// Writes a run whose journal could not take it when it was made, whole or not at all.
  void write_run(const QString& path, const RunContents& run);
  void save_session(const SessionSave& save);
  void write_what_ifs(const QString& path, const std::vector<KeptWhatIf>& what_ifs);
  void write_questions(const QString& path, const std::vector<Question>& questions);
  /// Reads the files of a session and answers by read_back(). `open_weights`: hash of the open model, whose tokenizer
  /// is at hand; empty: none is open.
  void read(const SessionState& state, const std::string& open_weights);
  void remove(const QStringList& paths);

 Q_SIGNALS:
  void session_saved(const QString& path);
  void session_not_saved(const QString& path, const QString& former);  ///< and failed says why
  void read_back(const std::shared_ptr<const carryover::KeptFiles>& files);
  void failed(const carryover::ErrorReport& report);
  void keeping_failed(const carryover::ErrorReport& report);
  void keeping_again();
  void run_written(const QString& path);

 private:
  struct Waiting {
    QString path;
    std::function<void()> write;
  };

  void try_to(const std::function<void()>& work);
  void keep(const QString& path, std::function<void()> write);
  std::optional<KeptRun> read_run(const QString& path, const std::string& open_weights);

  std::vector<Waiting> waiting_;  ///< in the order of the calls
  bool failing_ = false;          ///< some of them could not be written
};

}  // namespace carryover
