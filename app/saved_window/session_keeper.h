// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>

#include "app/engine_thread/worker_thread.h"
#include "app/saved_window/earlier_sessions.h"
#include "app/saved_window/session_restorer.h"
#include "app/saved_window/session_state.h"
#include "app/saved_window/session_writer.h"

namespace carryover {

/// Keeps a window's state on disk while it is used, so that at most the last seconds are lost however the program ends,
/// and restores it; writes and opens session files. GUI thread; waits for the disk in its destructor only. Must not
/// outlive its window.
class SessionKeeper : public QObject {
  Q_OBJECT
 public:
  /// The keeper is a child of the window: whoever has the window finds it there.
  SessionKeeper(MainWindow& window, const QString& root);
  ~SessionKeeper() override;
  static QString root_of_user();

  /// Begins to keep the window's state. With `bring_back`, it first restores what the last window left, if there is
  /// something and restoring it did not end the program last time. Returns true if it does. A window in which nobody
  /// did anything, where the program itself opened and ran the model `demo` or nothing, leaves no session.
  bool begin(bool bring_back, const QString& demo = {});
  EarlierSessions& earlier() { return earlier_; }
  void open_earlier(const QString& folder);

  void open_session(const QString& path);
  void save_session(const QString& path);
  const QString& session_file() const { return state_.file; }  ///< empty: the session has none
  /// Returns true if the session file holds neither what this session was opened from nor what it was saved as:
  /// somebody else has saved it since, and saving would replace that. Reads the file.
  bool file_is_anothers() const;
  /// Returns the former session file of a session whose file somebody else has saved since, as a name to suggest; else
  /// empty.
  const QString& former_file() const { return former_file_; }
  bool has_unsaved_work();  ///< against the session file
  bool has_unkept_work();   ///< true if closing the window now would lose something, because of keeping_problem()
  bool restoring() const { return restorer_ != nullptr; }
  void keep_now();  ///< at once, where something changed
  /// Returns the reason why the window's state can't be written at present, which is tried again every few seconds;
  /// nothing where it is written.
  const std::optional<ErrorReport>& keeping_problem() const { return keeping_problem_; }
  void freeze();  ///< the window is closing: its present state is what will be kept
  /// Sets the function that asks whether a session's engine may be started. Without one, it never is.
  void set_ask_engine(AskEngine ask) { ask_engine_ = std::move(ask); }
  /// Connects to the declined engine after all, and opens its model; the session must still be on show.
  void start_declined_engine();

 Q_SIGNALS:
  void session_opened(const QString& path);  ///< a session file; empty: what a window left behind
  void session_saved(const QString& path);
  void kept(bool unsaved);  ///< the state has changed; `unsaved`: the session file, if there is one, lacks something
  void failed(const carryover::ErrorReport& report);
  void keeping_changed();                        ///< keeping_problem()
  void engine_declined(const QString& command);  ///< the session is opened without it

 private:
  template <typename Call>
  void post(Call call);
  void connect_window();
  void connect_writer();
  bool bring_back_from(std::unique_ptr<SessionFolder> folder);
  bool is_untouched(const SessionState& state) const;
  void leave_folder();
  void move_to(std::unique_ptr<SessionFolder> folder);
  bool refuse_when_busy();
  void restore(const SessionState& state);
  void leave_anothers_file();
  void know_version(const QString& version);
  void take_back_file(const QString& path, const QString& former);
  void end_restore();
  SessionState capture();
  QString place_of_journal();
  void keep_pin();
  void keep_text();
  void keep_unwritten_run();
  template <typename List, typename Write>
  void keep_list(QString& file, const char* stem, const List& kept, Write write);
  void keep_what_ifs();
  QStringList unused_of(const QStringList& paths) const;
  void drop_unused(const QStringList& paths);
  void drop_orphans();
  QStringList removed_places() const;

  MainWindow& window_;
  Lab& lab_;
  QString demo_;
  std::optional<RunOptions> given_options_;  ///< options with which the program's own model was opened
  std::unique_ptr<SessionFolder> folder_;    ///< none: nothing can be kept
  EarlierSessions earlier_;
  std::optional<ErrorReport> keeping_problem_;
  QTimer timer_;
  SessionRestorer* restorer_ = nullptr;
  SessionState state_;    ///< as last captured; the files that belong to it are named as they are now
  SessionState saved_;    ///< contents of the session file
  std::string written_;   ///< contents of session.json, now or once the writer is done
  QStringList versions_;  ///< versions of the session file that this session may replace
  QString former_file_;
  QString text_;  ///< the text on show where it is no file of the user's
  bool frozen_ = false;
  AskEngine ask_engine_;
  WorkerThread<SessionWriter> writer_{QStringLiteral("session writer")};
};

}  // namespace carryover
