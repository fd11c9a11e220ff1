// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session_keeper.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <algorithm>
#include <cerrno>

#include "app/engine_thread/post.h"
#include "engine/core/base/error.h"
#include "engine/formats/output_file.h"

namespace carryover {
namespace {

constexpr int keep_every_ms = 2000;
constexpr int kept_sessions = 8;     ///< that windows left behind
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

bool is_spared(const QString& folder) {
  bool spared = false;
  attempt([&] { spared = has_marked_runs(read_session(SessionFolder::session_file_in(folder))); });
  return spared;
}

QString version_of(const QByteArray& contents) {
  return QString::fromLatin1(QCryptographicHash::hash(contents, QCryptographicHash::Sha256).toHex());
}

/// Empty where it can't be read.
QString version_of_file(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? version_of(file.readAll()) : QString();
}

bool shows_only(const SessionState& state, const QString& model) {
  return !model.isEmpty() && state.model == model && state.text.startsWith(model) && state.notes.isEmpty() &&
         state.bookmarks.empty() && state.trainings.isEmpty() && state.experiment.isEmpty() &&
         state.evaluation.isEmpty() && state.document.isEmpty() && state.file.isEmpty() && state.pinned_run.isEmpty() &&
         state.what_ifs.isEmpty() && state.runs.size() <= 1 && !has_marked_runs(state);
}

}  // namespace

QString SessionKeeper::root_of_user() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/carryover/sessions");
}

SessionKeeper::SessionKeeper(MainWindow& window, const QString& root, QObject* parent)
    : QObject(parent), window_(window), lab_(window.lab()), root_(root) {
  window.set_session_keeper(this);
  connect_writer();
  timer_.setInterval(keep_every_ms);
  connect(&timer_, &QTimer::timeout, this, &SessionKeeper::keep_now);
}

SessionKeeper::~SessionKeeper() {
  window_.set_session_keeper(nullptr);
  lab_.runs.set_journal_place({});
  if (folder_) {
    if (restoring()) {
      QFile::remove(folder_->attempt_file());  // it did not end the program: a person did
    } else if (!frozen_) {
      state_ = capture();
    }
    state_.closed = true;
    const std::string text = session_text(state_, folder_->path());
    const QStringList unused = unused_of(removed_places());  // nobody can take them back any more
    QMetaObject::invokeMethod(
        writer_.get(),
        [this, text, unused] {
          writer_.get()->write(folder_->session_file(), text);
          writer_.get()->remove(unused);
        },
        Qt::BlockingQueuedConnection);
  }
}

template <typename Call>
void SessionKeeper::post(Call call) {
  carryover::post(writer_.get(), std::move(call));
}

void SessionKeeper::connect_writer() {
  connect(writer_.get(), &SessionWriter::failed, this, &SessionKeeper::failed);
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
  connect(&lab_.loader, &ModelLoader::text_opened, this, &SessionKeeper::keep_text);
  connect(&lab_.runs, &RunController::saved, this, [this](const QString& directory) {
    const Notebook& notebook = lab_.context.notebook();
    if (notebook.is_empty()) return;
    post([path = directory + QStringLiteral("/notes.json"),
          text = notes_json(notebook).dump(2) + "\n"](SessionWriter& writer) { writer.write(path, text); });
  });
}

bool SessionKeeper::adopt(const QString& path) {
  auto folder = SessionFolder::adopt(path);
  if (!folder) return false;
  move_to(std::move(folder));
  files_made_ = static_cast<int>(QDir(path).count());
  return true;
}

/// What was on show stays among the earlier sessions, in the folder that it has.
void SessionKeeper::move_to(std::unique_ptr<SessionFolder> folder) {
  if (folder_) {
    state_ = capture();
    state_.closed = true;
    post([path = folder_->session_file(), text = session_text(state_, folder_->path())](SessionWriter& writer) {
      writer.write(path, text);
    });
  }
  folder_ = std::move(folder);
  written_.clear();
}

/// Whether the session in this window has runs that lie in its folder, and would be lost with it.
bool SessionKeeper::has_own_runs() const {
  const RunLibrary& library = lab_.context.library();
  for (int i = 0; i < library.count(); ++i)
    if (is_own_file(library.run(i).place)) return true;
  return false;
}

bool SessionKeeper::begin(bool bring_back, const QString& demo) {
  connect_window();
  const QStringList left = SessionFolder::left_behind(root_);
  const bool found = bring_back && !left.isEmpty() && bring_back_from(left.front(), demo);
  try {
    if (!folder_) folder_ = SessionFolder::create(root_);
    SessionFolder::prune(root_, kept_sessions, is_spared);
    timer_.start();
  } catch (const EngineError& error) {
    lab_.context.add_note(tr("This session can't be saved: %1").arg(QString::fromUtf8(error.what())), true);
  }
  return found;
}

bool SessionKeeper::bring_back_from(const QString& folder, const QString& demo) {
  LabContext& context = lab_.context;
  const auto refuse = [&](const QString& why) {
    context.add_note(why, true);
    return false;
  };
  try {
    const SessionState state = read_session(SessionFolder::session_file_in(folder));
    const QString subject = subject_of(state);
    if (subject.isEmpty() || shows_only(state, demo)) return false;
    if (state.engine.isEmpty() && !QFileInfo::exists(subject))
      return refuse(state.model.isEmpty() ? tr("The last session's run is gone: %1").arg(subject)
                                          : tr("The last session's model is gone: %1").arg(subject));
    if (QFileInfo(folder + QStringLiteral("/bringing-back")).size() >= most_attempts)
      return refuse(
          tr("The program ended while it restored the last session; the session is in File, Session history"));
    if (!adopt(folder)) return false;
    if (!state.closed) context.add_note(tr("The program ended unexpectedly; this is what it last showed"));
    restore(state);
    return true;
  } catch (const EngineError& error) {
    return refuse(tr("The last session can't be read: %1").arg(QString::fromUtf8(error.what())));
  }
}

QStringList SessionKeeper::earlier_sessions() const {
  return SessionFolder::left_behind(root_);
}

QString SessionKeeper::describe(const QString& folder) {
  const QString file = SessionFolder::session_file_in(folder);
  const QString when = QLocale().toString(QFileInfo(file).lastModified(), QLocale::ShortFormat);
  try {
    const SessionState state = read_session(file);
    const QString text = state.text_name.isEmpty() ? QFileInfo(state.text).fileName() : state.text_name;
    return QStringLiteral("%1 · %2 · %3").arg(QFileInfo(subject_of(state)).fileName(), text, when);
  } catch (const EngineError&) {
    return QStringLiteral("%1 · %2").arg(tr("unreadable"), when);
  }
}

void SessionKeeper::open_earlier(const QString& folder) {
  try {
    const SessionState state = read_session(SessionFolder::session_file_in(folder));
    if (!refuse_when_busy() && adopt(folder)) restore(state);
  } catch (const EngineError& error) {
    Q_EMIT failed(report_of(error));
  }
}

void SessionKeeper::open_session(const QString& path) {
  try {
    SessionState state = read_session(path);
    state.file = QFileInfo(path).absoluteFilePath();
    state.file_version = version_of_file(state.file);
    if (refuse_when_busy()) return;
    if (has_own_runs()) move_to(SessionFolder::create(root_));
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
  if (folder_) count_attempt(folder_->attempt_file());
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
  const bool declined = engine_is_declined();
  restorer_->deleteLater();
  restorer_ = nullptr;
  if (folder_) QFile::remove(folder_->attempt_file());
  saved_ = state_.unsaved ? SessionState() : capture();
  keep_now();
  drop_orphans();
  Q_EMIT session_opened(state_.file);
  if (declined) Q_EMIT engine_declined(state_.engine);
}

/// The session names an engine that is not used, and nothing else has been opened in its place.
bool SessionKeeper::engine_is_declined() const {
  return !state_.engine.isEmpty() && lab_.engine.command().isEmpty() && !lab_.loader.model();
}

void SessionKeeper::start_declined_engine() {
  if (restoring() || !engine_is_declined()) return;
  const SessionState wanted = state_;
  lab_.engine.use(wanted.engine);
  if (!wanted.model.isEmpty()) lab_.loader.open_model(wanted.model, wanted.adapter);
}

QString SessionKeeper::unused_file(const QString& stem, const QString& suffix) {
  QString path;
  do path = folder_->file(QStringLiteral("%1-%2.%3").arg(stem).arg(++files_made_).arg(suffix));
  while (QFileInfo::exists(path));
  return path;
}

/// Named by the time: a session file has journals of many windows beside it.
QString SessionKeeper::place_of_journal() {
  if (!folder_) return {};
  const QString now = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz"));
  return unused_file(QStringLiteral("run-") + now, QStringLiteral("journal"));
}

void SessionKeeper::keep_pin() {
  if (restoring()) return;
  const auto& pinned = lab_.context.pinned_run();
  state_.pinned_run = pinned ? lab_.runs.place() : QString();
  state_.pinned_segments = state_.pinned_run.isEmpty() ? 0 : pinned->segment_count();
  keep_now();
}

void SessionKeeper::keep_what_ifs() {
  if (restoring() || !folder_) return;
  const auto kept = kept_of(lab_.context.what_ifs());
  const QString before = std::exchange(
      state_.what_ifs, kept.empty() ? QString() : unused_file(QStringLiteral("what-ifs"), QStringLiteral("json")));
  if (!kept.empty()) post([path = state_.what_ifs, kept](SessionWriter& writer) { writer.write_what_ifs(path, kept); });
  keep_now();
  drop_unused({before});
}

/// Nothing else is ever deleted: a session file may name any path.
bool SessionKeeper::is_own_file(const QString& path) const {
  return folder_ && !path.isEmpty() && QFileInfo(path).absolutePath() == folder_->path();
}

/// Of these files, those that this window has made and its state does not name.
QStringList SessionKeeper::unused_of(const QStringList& paths) const {
  QStringList unused;
  for (const QString& path : paths)
    if (is_own_file(path) && path != state_.run && path != state_.pinned_run && path != state_.what_ifs &&
        lab_.context.library().index_of(path) < 0)
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
  text_ = unused_file(QStringLiteral("text"), QStringLiteral("txt"));
  post([path = text_, contents](SessionWriter& writer) { writer.write(path, *contents); });
  if (before.startsWith(folder_->path())) post([before](SessionWriter& writer) { writer.remove({before}); });
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

void SessionKeeper::save_session(const QString& path) {
  const QFileInfo info(path);
  const QString files = info.absolutePath() + u'/' + info.completeBaseName() + QStringLiteral(".files");
  const QString former = state_.file;
  state_ = capture();
  state_.file = info.absoluteFilePath();
  SessionState stored = state_;
  stored.file.clear();
  stored.file_version.clear();
  stored.unsaved = false;
  SessionSave save{state_.file, {}, {}, files, removed_places(), former};
  const auto take_along = [&](QString& from, const QString& name) {
    const QString to = files + u'/' + name;
    if (from != to) save.copies.emplace_back(from, to);
    from = to;
  };
  for (ListedRun& run : stored.runs) {  // the one on show and the pinned one are among them
    if (!is_journal(run)) continue;
    const QString from = run.place;
    if (!QFileInfo(from).isFile()) continue;
    take_along(run.place, QFileInfo(from).fileName());
    save.journals += run.place;
    for (QString* named : {&stored.run, &stored.pinned_run})
      if (*named == from) *named = run.place;
  }
  // One of our own may be on its way to the disk: the writer takes one thing after another.
  const auto is_there = [&](const QString& file) { return is_own_file(file) || QFileInfo(file).isFile(); };
  if (is_there(stored.what_ifs)) take_along(stored.what_ifs, QStringLiteral("what-ifs.json"));
  if (!stored.text_name.isEmpty() && is_there(stored.text)) take_along(stored.text, QStringLiteral("text.txt"));
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
