// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/session_keeper.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <algorithm>
#include <cerrno>

#include "app/engine_thread/post.h"
#include "app/saved_window/window_capture.h"
#include "engine/base/error.h"
#include "engine/formats/output_file.h"

namespace carryover {
namespace {

constexpr int keep_every_ms = 2000;
constexpr qint64 most_attempts = 2;  ///< at bringing a state back, before it has to be asked for

/// The model or, where none was open, the run that a state is about.
QString subject_of(const SessionState& state) {
  return state.model.isEmpty() ? state.run_folder : state.model;
}

/// A byte for each attempt at bringing a state back that has not come to its end.
void count_attempt(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::Append) || file.write("1") != 1) throw write_error(path.toStdString(), errno);
}

/// Somebody has named or tagged a run of it.
bool has_marked_runs(const SessionState& state) {
  return std::ranges::any_of(state.runs, [](const ListedRun& run) { return run.renamed || !run.tags.isEmpty(); });
}

QString version_of(const QByteArray& contents) {
  return QString::fromLatin1(QCryptographicHash::hash(contents, QCryptographicHash::Sha256).toHex());
}

/// Returns the hash of a file's contents; empty where it can't be read.
QString version_of_file(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? version_of(file.readAll()) : QString();
}

}  // namespace

QString SessionKeeper::root_of_user() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/carryover/sessions");
}

SessionKeeper::SessionKeeper(MainWindow& window, const QString& root)
    : QObject(&window), window_(window), lab_(window.lab()), earlier_(root) {
  connect_writer();
  timer_.setInterval(keep_every_ms);
  connect(&timer_, &QTimer::timeout, this, [this] {
    keep_now();
    if (keeping_problem_) post([](SessionWriter& writer) { writer.write_waiting(); });
  });
}

SessionKeeper::~SessionKeeper() {
  lab_.runs.set_journal_place({});
  if (folder_) {
    if (restoring()) {
      QFile::remove(folder_->attempt_file());  // it did not end the program: a person did
    } else if (!frozen_) {
      state_ = capture();
    }
    leave_folder();
  }
  // Everything has been written by then, and what was removed is erased.
  QMetaObject::invokeMethod(
      writer_.get(), [] {}, Qt::BlockingQueuedConnection);
}

/// The session stays among the earlier ones, unless nobody did anything in it. What was removed from it can't be taken
/// back any more. Nobody else gets the folder before all of it is written.
void SessionKeeper::leave_folder() {
  state_.closed = true;
  const QStringList unused = unused_of(removed_places());
  const std::shared_ptr<SessionFolder> folder = std::move(folder_);
  if (state_.untouched && !restoring()) return post([folder](SessionWriter&) { folder->erase(); });
  post([folder, unused, text = session_text(state_, folder->path())](SessionWriter& writer) {
    writer.write(folder->session_file(), text);
    writer.remove(unused);
  });
}

template <typename Call>
void SessionKeeper::post(Call call) {
  carryover::post(writer_.get(), std::move(call));
}

void SessionKeeper::connect_writer() {
  connect(writer_.get(), &SessionWriter::failed, this, &SessionKeeper::failed);
  const auto tell = [this](const std::optional<ErrorReport>& problem) {
    keeping_problem_ = problem;
    Q_EMIT keeping_changed();
  };
  connect(writer_.get(), &SessionWriter::keeping_failed, this, tell);
  connect(writer_.get(), &SessionWriter::keeping_again, this, [tell] { tell({}); });
  connect(writer_.get(), &SessionWriter::run_written, &lab_.library, &LibraryController::measure);
  connect(writer_.get(), &SessionWriter::session_saved, this, &SessionKeeper::session_saved);
  connect(writer_.get(), &SessionWriter::session_not_saved, this, &SessionKeeper::take_back_file);
  connect(writer_.get(), &SessionWriter::read_back, this, [this](const std::shared_ptr<const KeptFiles>& files) {
    if (restorer_ != nullptr) restorer_->go_on_with(files);
  });
}

void SessionKeeper::connect_window() {
  RunModel& run = lab_.context.run();
  connect(&run, &RunModel::reset, this, [this] {
    if (!lab_.context.what_ifs().results().empty()) keep_what_ifs();  // they are of an earlier run now
  });
  lab_.runs.set_journal_place([this] { return place_of_journal(); });
  for (const auto signal : {&RunController::run_started, &RunController::run_kept, &RunController::run_opened})
    connect(&lab_.runs, signal, this, &SessionKeeper::keep_now);
  connect(&lab_.context.library(), &RunLibrary::forgotten, this, [this](const QStringList& places) {
    keep_now();
    drop_unused(places);
  });
  connect(&lab_.context, &LabContext::pinned_run_changed, this, &SessionKeeper::keep_pin);
  connect(&lab_.context.what_ifs(), &WhatIfs::results_changed, this, &SessionKeeper::keep_what_ifs);
  connect(&lab_.context.questions(), &Questions::list_changed, this, [this] {
    keep_list(state_.questions, "questions", lab_.context.questions().all(), &SessionWriter::write_questions);
  });
  connect(&lab_.loader, &ModelLoader::text_opened, this, &SessionKeeper::keep_text);
  connect(&lab_.loader, &ModelLoader::model_opened, this, [this] {
    if (!given_options_ && !restoring()) given_options_ = lab_.context.run_options();
  });
  connect(&lab_.runs, &RunController::run_ended, this, &SessionKeeper::keep_unwritten_run);
  connect(&lab_.runs, &RunController::saved, this, [this](const QString& directory) {
    const Notebook& notebook = lab_.context.notebook();
    if (notebook.is_empty()) return;
    post([path = directory + QStringLiteral("/notes.json"),
          text = notes_json(notebook).dump(2) + "\n"](SessionWriter& writer) { writer.write(path, text); });
  });
}

/// Moves to another folder. The session on show stays among the earlier sessions, in its present folder.
void SessionKeeper::move_to(std::unique_ptr<SessionFolder> folder) {
  if (folder_) {
    state_ = capture();
    leave_folder();
  }
  folder_ = std::move(folder);
  written_.clear();
}

bool SessionKeeper::begin(bool bring_back, const QString& demo) {
  demo_ = demo;
  connect_window();
  earlier_.erase_untouched();
  bool found = false;
  for (const QString& path : bring_back ? earlier_.folders() : QStringList()) {
    auto folder = SessionFolder::adopt(path);
    if (!folder) continue;  // another window that starts now was faster
    found = bring_back_from(std::move(folder));
    break;
  }
  try {
    if (!folder_) folder_ = SessionFolder::create(earlier_.root());
    timer_.start();
  } catch (const EngineError& error) {
    lab_.context.add_note(tr("This session can't be saved: %1").arg(QString::fromUtf8(error.what())), true);
  }
  return found;
}

/// Returns true if the session has nothing but what the program itself opens and runs at a start.
bool SessionKeeper::is_untouched(const SessionState& state) const {
  const bool demo = !demo_.isEmpty() && state.model == demo_;
  if (!demo && !(state.model.isEmpty() && state.text.isEmpty())) return false;
  if (!state.text.isEmpty() && !state.text.startsWith(demo_ + u'/')) return false;
  SessionState given;
  given.model = state.model;
  given.weights = state.weights;
  given.text = state.text;
  given.run = state.run;
  given.run_folder = state.run_folder;
  given.options = given_options_.value_or(RunOptions());
  if (const auto& model = lab_.loader.model()) given.config = opening_config(*model);
  if (state.runs.size() <= 1 && !has_marked_runs(state)) given.runs = state.runs;
  return state.same_work(given) && state.same_drafts(given) && state.file.isEmpty();
}

bool SessionKeeper::bring_back_from(std::unique_ptr<SessionFolder> folder) {
  LabContext& context = lab_.context;
  const auto refuse = [&](const QString& why) {
    context.add_note(why, true);
    return false;
  };
  try {
    const SessionState state = read_session(folder->session_file());
    const QString subject = subject_of(state);
    if (!subject.isEmpty() && state.engine.isEmpty() && !QFileInfo::exists(subject))
      return refuse(state.model.isEmpty() ? tr("The last session's run is gone: %1").arg(subject)
                                          : tr("The last session's model is gone: %1").arg(subject));
    if (QFileInfo(folder->attempt_file()).size() >= most_attempts)
      return refuse(
          tr("The program ended while it restored the last session; the session is in File, Session history"));
    move_to(std::move(folder));
    if (!state.closed) context.add_note(tr("The program ended unexpectedly; this is what it last showed"));
    restore(state);
    return true;
  } catch (const EngineError& error) {
    return refuse(tr("The last session can't be read: %1").arg(QString::fromUtf8(error.what())));
  }
}

void SessionKeeper::open_earlier(const QString& path) {
  try {
    const SessionState state = read_session(SessionFolder::session_file_in(path));
    if (refuse_when_busy()) return;
    auto folder = SessionFolder::adopt(path);
    if (!folder) return;
    move_to(std::move(folder));
    restore(state);
  } catch (const EngineError& error) {
    Q_EMIT failed(report_of(error));
  }
}

void SessionKeeper::open_session(const QString& path) {
  try {
    SessionState state = read_session(path);
    state.file = QFileInfo(path).absoluteFilePath();
    state.file_version = version_of_file(state.file);
    note_foreign_files(state, state.file);
    if (refuse_when_busy()) return;
    if (folder_) move_to(SessionFolder::create(earlier_.root()));
    restore(state);
  } catch (const EngineError& error) {
    Q_EMIT failed(report_of(error));
  }
}

bool SessionKeeper::refuse_when_busy() {
  const QString why = restoring() ? tr("another session is being opened") : lab_.engine.busy();
  if (!why.isEmpty()) Q_EMIT failed({Fault::Usage, tr("session"), why, tr("Stop it first, or wait for its end.")});
  return !why.isEmpty();
}

void SessionKeeper::restore(const SessionState& state) {
  if (folder_) attempt([&] { count_attempt(folder_->attempt_file()); });  // a full disk does not keep it from coming
  state_ = state;
  state_.closed = false;
  leave_anothers_file();
  restorer_ = new SessionRestorer(window_, state, ask_engine_, this);
  connect(restorer_, &SessionRestorer::files_wanted, this, [this](const std::string& open_weights) {
    post([state = state_, open_weights](SessionWriter& writer) { writer.read(state, open_weights); });
  });
  connect(restorer_, &SessionRestorer::done, this, &SessionKeeper::end_restore);
  restorer_->start();
}

/// A session that was kept may be older than the file that it names. It is one without a file then, so that saving it
/// asks where, and nothing that the file got since is lost by it.
void SessionKeeper::leave_anothers_file() {
  versions_.clear();
  know_version(state_.file_version);
  former_file_.clear();
  if (!file_is_anothers()) return;
  lab_.context.add_note(
      tr("%1 has been saved since by another session. This one has no file now: Save asks for one").arg(state_.file),
      true);
  former_file_ = std::exchange(state_.file, QString());
  state_.file_version.clear();
}

void SessionKeeper::know_version(const QString& version) {
  if (!version.isEmpty() && !versions_.contains(version)) versions_ += version;
}

bool SessionKeeper::file_is_anothers() const {
  return !state_.file.isEmpty() && QFileInfo::exists(state_.file) && !versions_.contains(version_of_file(state_.file));
}

void SessionKeeper::end_restore() {
  const bool declined = engine_is_declined(state_, lab_);
  restorer_->deleteLater();
  restorer_ = nullptr;
  if (folder_) QFile::remove(folder_->attempt_file());
  saved_ = state_.unsaved ? SessionState() : capture();
  keep_now();
  drop_orphans();
  Q_EMIT session_opened(state_.file);
  if (declined) Q_EMIT engine_declined(state_.engine);
}

void SessionKeeper::start_declined_engine() {
  if (restoring() || !engine_is_declined(state_, lab_)) return;
  const SessionState wanted = state_;
  lab_.engine.use(wanted.engine);
  if (!wanted.model.isEmpty()) lab_.loader.open_model(wanted.model, wanted.adapter);
}

/// Named by the time: a session file has journals of many windows beside it.
QString SessionKeeper::place_of_journal() {
  if (!folder_) return {};
  const QString now = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz"));
  return folder_->unused_file(QStringLiteral("run-") + now, QStringLiteral("journal"));
}

void SessionKeeper::keep_pin() {
  if (restoring()) return;
  const auto& pinned = lab_.context.pinned_run();
  state_.pinned_run = pinned ? lab_.runs.place() : QString();
  state_.pinned_segments = state_.pinned_run.isEmpty() ? 0 : pinned->segment_count();
  keep_now();
}

/// Has `kept` written to a new file of this window's, which replaces `file`; an empty list has none.
template <typename List, typename Write>
void SessionKeeper::keep_list(QString& file, const char* stem, const List& kept, Write write) {
  if (restoring() || !folder_) return;
  const QString before =
      std::exchange(file, kept.empty() ? QString() : folder_->unused_file(QLatin1String(stem), QStringLiteral("json")));
  if (!kept.empty()) post([path = file, kept, write](SessionWriter& writer) { (writer.*write)(path, kept); });
  keep_now();
  drop_unused({before});
}

void SessionKeeper::keep_what_ifs() {
  keep_list(state_.what_ifs, "what-ifs", kept_of(lab_.context.what_ifs()), &SessionWriter::write_what_ifs);
}

/// Returns those of the files that this window has made and its state does not name. No file outside its folder is ever
/// deleted: a session file may name any path.
QStringList SessionKeeper::unused_of(const QStringList& paths) const {
  QStringList unused;
  for (const QString& path : paths)
    if (folder_ && folder_->has(path) && path != state_.run && path != state_.pinned_run && path != state_.what_ifs &&
        path != state_.questions && lab_.context.library().index_of(path) < 0)
      unused += path;
  return unused;
}

void SessionKeeper::drop_unused(const QStringList& paths) {
  const QStringList unused = unused_of(paths);
  if (!unused.isEmpty()) post([unused](SessionWriter& writer) { writer.remove(unused); });
}

/// Journals of a window that was ended before it deleted them.
void SessionKeeper::drop_orphans() {
  if (!folder_) return;
  QStringList journals;
  for (const QString& name : QDir(folder_->path()).entryList({QStringLiteral("run-*.journal")}, QDir::Files))
    journals += folder_->file(name);
  drop_unused(journals);
}

QStringList SessionKeeper::removed_places() const {
  QStringList places;
  for (const ListedRun& run : lab_.context.library().removed()) places += run.place;
  return places;
}

void SessionKeeper::keep_text() {
  const auto& contents = lab_.loader.text()->contents;
  const QString before = std::exchange(text_, QString());
  if (!contents || !folder_) return;
  if (restoring() && state_.text.startsWith(folder_->path())) {  // it is kept already
    text_ = state_.text;
    return;
  }
  text_ = folder_->unused_file(QStringLiteral("text"), QStringLiteral("txt"));
  post([path = text_, contents](SessionWriter& writer) { writer.write(path, *contents); });
  if (before.startsWith(folder_->path())) post([before](SessionWriter& writer) { writer.remove({before}); });
}

/// A run that the disk had no room for is written again, until there is some.
void SessionKeeper::keep_unwritten_run() {
  if (!folder_ || lab_.runs.journal_is_whole()) return;
  if (lab_.runs.place().isEmpty()) lab_.runs.adopt_journal(place_of_journal());
  post([place = lab_.runs.place(), run = lab_.runs.run_contents()](SessionWriter& writer) {
    writer.write_run(place, run);
  });
}

SessionState SessionKeeper::capture() {
  SessionState state = captured(window_, state_, text_);
  state.unsaved = !state.file.isEmpty() && !state.same_work(saved_);
  state.untouched = is_untouched(state);
  return state;
}

void SessionKeeper::keep_now() {
  if (!folder_ || restoring() || frozen_) return;
  if (lab_.loader.loading() && subject_of(state_).isEmpty()) return;  // there is nothing yet
  state_ = capture();
  std::string text = session_text(state_, folder_->path());
  if (text == written_) return;
  written_ = std::move(text);
  post([path = folder_->session_file(), text = written_](SessionWriter& writer) { writer.write(path, text); });
  Q_EMIT kept(!state_.file.isEmpty() && !state_.same_work(saved_));
}

void SessionKeeper::freeze() {
  keep_now();
  frozen_ = true;
}

bool SessionKeeper::has_unsaved_work() {
  if (state_.file.isEmpty() || restoring()) return false;
  return !capture().same_work(saved_);
}

bool SessionKeeper::has_unkept_work() {
  if (!keeping_problem_ || restoring() || capture().untouched) return false;
  return state_.file.isEmpty() || has_unsaved_work();
}

void SessionKeeper::save_session(const QString& path) {
  const QFileInfo info(path);
  const QString files = info.absolutePath() + u'/' + info.completeBaseName() + QStringLiteral(".files");
  const QString former = state_.file;
  state_ = capture();
  state_.file = info.absoluteFilePath();
  SessionState stored = state_;
  stored.untouched = false;
  stored.file.clear();
  stored.file_version.clear();
  stored.unsaved = false;
  SessionSave save{state_.file, {}, {}, files, removed_places(), former};
  for (const auto& [file, name, is_run] : stored.files_taken_along()) {
    const QString from = *file;
    // One of our own, but for runs, may be on its way to the disk: the writer takes one thing after another.
    const bool is_there = QFileInfo(from).isFile() || (!is_run && folder_ && folder_->has(from));
    if (!is_there || state_.foreign.contains(from)) continue;
    *file = files + u'/' + name;
    if (*file != from) save.copies.emplace_back(from, *file);
    if (!is_run) continue;
    save.journals += *file;
    for (QString* named : {&stored.run, &stored.pinned_run})
      if (*named == from) *named = *file;
  }
  stored.foreign.clear();
  save.contents = session_text(stored, info.absolutePath());
  know_version(version_of_file(state_.file));  // it stays on the disk until the next one is written
  state_.file_version = version_of(QByteArray::fromStdString(save.contents));
  know_version(state_.file_version);
  former_file_.clear();
  saved_ = state_;
  post([save](SessionWriter& writer) { writer.save_session(save); });
}

/// A file that could not be written is not the session's: Save asks again, and what it was to hold is unsaved.
void SessionKeeper::take_back_file(const QString& path, const QString& former) {
  if (state_.file != path) return;  // another one has been named since
  state_.file = former;
  state_.file_version = former.isEmpty() ? QString() : version_of_file(former);
  saved_ = SessionState();
  keep_now();
}

}  // namespace carryover
