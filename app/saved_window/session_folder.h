// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <QStringList>
#include <cstdint>
#include <memory>

namespace carryover {

/// A folder that one running window keeps its state in: session.json, the journal of its run, texts that are no files
/// of the user's. The system gives the lock up when the process ends, however it ends; so an unlocked folder is what a
/// window left behind. GUI thread.
class SessionFolder {
 public:
  static QString session_file_in(const QString& folder) { return folder + QStringLiteral("/session.json"); }
  /// A new one under `root`. Throws EngineError{Io}.
  static std::unique_ptr<SessionFolder> create(const QString& root);
  /// Takes over what another window left; null where that one still runs, or nothing is there.
  static std::unique_ptr<SessionFolder> adopt(const QString& path);
  /// Folders under `root` that hold a session and that no running window has, the newest first.
  static QStringList left_behind(const QString& root);
  /// Deletes folders that no running window has and in which nothing was ever kept.
  static void remove_empty(const QString& root);
  static std::int64_t bytes_in(const QString& folder);

  ~SessionFolder();
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;

  const QString& path() const { return path_; }
  QString file(const QString& name) const { return path_ + u'/' + name; }
  bool has(const QString& file) const;  ///< it lies here, or is to lie here
  /// Returns a file of a name that nothing here has, nor was returned before: "text-3.txt" for "text" and "txt".
  QString unused_file(const QString& stem, const QString& suffix);
  QString session_file() const { return session_file_in(path_); }
  /// Grows when a state is brought back and goes when that is done: one that stays says that it ended the program.
  QString attempt_file() const { return file(QStringLiteral("bringing-back")); }
  /// Deletes it with what is in it, for good. Nothing else is to be asked of it then.
  void erase();

 private:
  SessionFolder(const QString& path, int descriptor);

  QString path_;
  int descriptor_;  ///< of the lock
  int files_made_;  ///< or more
};

}  // namespace carryover
