// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desk/session_keeper.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <cerrno>

#include "engine/core/error.h"
#include "engine/io/output_file.h"
#include "widgets/finetune_dialog.h"
#include "widgets/plan_form.h"

namespace carryover {
namespace {

constexpr int keep_every_ms = 2000;
constexpr int kept_sessions = 8;     ///< that windows left behind
constexpr qint64 most_attempts = 2;  ///< at bringing a state back, before it has to be asked for

ErrorReport report_of(const EngineError& error) {
  return {error.fault(), QString::fromStdString(error.where()), QString::fromStdString(error.problem()),
          QString::fromStdString(error.advice())};
}

/// A byte for each attempt at bringing a state back that has not come to its end.
void count_attempt(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::Append) || file.write("1") != 1) throw write_error(path.toStdString(), errno);
}

bool shows_only(const SessionState& state, const QString& model) {
  return !model.isEmpty() && state.model == model && state.text.startsWith(model) && state.notes.isEmpty() &&
         state.bookmarks.empty() && state.trainings.isEmpty() && state.file.isEmpty();
}

}  // namespace

QString SessionKeeper::root_of_user() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/carryover/sessions");
}

SessionKeeper::SessionKeeper(MainWindow& window, const QString& root, QObject* parent)
    : QObject(parent), window_(window), root_(root), writer_(new SessionWriter) {
  thread_.setObjectName(QStringLiteral("session writer"));
  writer_->moveToThread(&thread_);
  connect(&thread_, &QThread::finished, writer_, &QObject::deleteLater);
  connect_writer();
  thread_.start();
  timer_.setInterval(keep_every_ms);
  connect(&timer_, &QTimer::timeout, this, &SessionKeeper::keep_now);
}

SessionKeeper::~SessionKeeper() {
  window_.controller().set_journal_place({});
  if (folder_ && !restoring()) {
    if (!frozen_) state_ = capture();
    state_.closed = true;
    const std::string text = session_text(state_, folder_->path());
    QMetaObject::invokeMethod(
        writer_, [this, text] { writer_->write(folder_->session_file(), text); }, Qt::BlockingQueuedConnection);
  }
  thread_.quit();
  thread_.wait();
}

template <typename Call>
void SessionKeeper::post(Call call) {
  SessionWriter* writer = writer_;
  QMetaObject::invokeMethod(
      writer, [writer, call = std::move(call)] { call(*writer); }, Qt::QueuedConnection);
}

void SessionKeeper::connect_writer() {
  connect(writer_, &SessionWriter::failed, this, &SessionKeeper::failed);
  connect(writer_, &SessionWriter::session_saved, this, &SessionKeeper::session_saved);
  connect(writer_, &SessionWriter::run_read, this, [this](const std::shared_ptr<const JournaledRun>& run) {
    if (restorer_ != nullptr) restorer_->show_run(run);
  });
  connect(writer_, &SessionWriter::run_unreadable, this, [this] {
    if (restorer_ != nullptr) restorer_->show_run(nullptr);
  });
}

void SessionKeeper::connect_window() {
  RunController& controller = window_.controller();
  controller.set_journal_place([this] { return place_of_journal(); });
  connect(&controller, &RunController::run_started, this, [this] {
    keep_now();
    const QString before = std::exchange(last_run_, QString());
    if (folder_ && before.startsWith(folder_->path())) post([before](SessionWriter& writer) { writer.remove({before}); });
  });
  connect(&controller, &RunController::text_opened, this, &SessionKeeper::keep_text);
  connect(&controller, &RunController::saved, this, [this](const QString& directory) {
    const Notebook& notebook = window_.context().notebook();
    if (notebook.is_empty()) return;
    post([path = directory + QStringLiteral("/notes.json"),
          text = notes_json(notebook).dump(2) + "\n"](SessionWriter& writer) { writer.write(path, text); });
  });
}

bool SessionKeeper::adopt(const QString& path) {
  auto folder = SessionFolder::adopt(path);
  if (!folder) return false;
  if (folder_) {  // what was on show stays among the earlier sessions
    state_ = capture();
    state_.closed = true;
    post([path = folder_->session_file(), text = session_text(state_, folder_->path())](SessionWriter& writer) {
      writer.write(path, text);
    });
  }
  folder_ = std::move(folder);
  written_.clear();
  files_made_ = static_cast<int>(QDir(path).count());
  return true;
}

bool SessionKeeper::begin(bool bring_back, const QString& demo) {
  connect_window();
  const QStringList left = SessionFolder::left_behind(root_);
  const bool found = bring_back && !left.isEmpty() && bring_back_from(left.front(), demo);
  try {
    if (!folder_) folder_ = SessionFolder::create(root_);
    SessionFolder::prune(root_, kept_sessions);
    timer_.start();
  } catch (const EngineError& error) {
    window_.context().add_note(tr("Nothing of this session can be kept: %1").arg(QString::fromUtf8(error.what())),
                               true);
  }
  return found;
}

bool SessionKeeper::bring_back_from(const QString& folder, const QString& demo) {
  LabContext& context = window_.context();
  const auto refuse = [&](const QString& why) {
    context.add_note(why, true);
    return false;
  };
  try {
    const SessionState state = read_session(folder + QStringLiteral("/session.json"));
    if (state.model.isEmpty() || shows_only(state, demo)) return false;
    if (!QFileInfo::exists(state.model)) return refuse(tr("The last session's model is gone: %1").arg(state.model));
    if (QFileInfo(folder + QStringLiteral("/bringing-back")).size() >= most_attempts)
      return refuse(tr("Bringing back the last session ended the program; it is among the earlier sessions"));
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
  const QString file = folder + QStringLiteral("/session.json");
  const QString when = QLocale().toString(QFileInfo(file).lastModified(), QLocale::ShortFormat);
  try {
    const SessionState state = read_session(file);
    const QString text = state.text_name.isEmpty() ? QFileInfo(state.text).fileName() : state.text_name;
    return QStringLiteral("%1 · %2 · %3").arg(QFileInfo(state.model).fileName(), text, when);
  } catch (const EngineError&) {
    return QStringLiteral("%1 · %2").arg(tr("unreadable"), when);
  }
}

void SessionKeeper::open_earlier(const QString& folder) {
  try {
    const SessionState state = read_session(folder + QStringLiteral("/session.json"));
    if (adopt(folder)) restore(state);
  } catch (const EngineError& error) {
    Q_EMIT failed(report_of(error));
  }
}

void SessionKeeper::open_session(const QString& path) {
  try {
    SessionState state = read_session(path);
    state.file = QFileInfo(path).absoluteFilePath();
    restore(state);
  } catch (const EngineError& error) {
    Q_EMIT failed(report_of(error));
  }
}

void SessionKeeper::restore(const SessionState& state) {
  if (restoring() || !window_.controller().busy().isEmpty()) {
    const QString why = restoring() ? tr("another session is being opened") : window_.controller().busy();
    return Q_EMIT failed({Fault::Usage, tr("session"), why, tr("Stop it first, or wait for its end.")});
  }
  if (folder_) count_attempt(folder_->attempt_file());
  state_ = state;
  state_.closed = false;
  restorer_ = new SessionRestorer(window_, state, this);
  connect(restorer_, &SessionRestorer::run_wanted, this,
          [this](const QString& path) { post([path](SessionWriter& writer) { writer.read_run(path); }); });
  connect(restorer_, &SessionRestorer::done, this, &SessionKeeper::end_restore);
  restorer_->start();
}

void SessionKeeper::end_restore(bool run_shown) {
  restorer_->deleteLater();
  restorer_ = nullptr;
  if (run_shown) run_ = state_.run;
  if (folder_) QFile::remove(folder_->attempt_file());
  keep_now();
  saved_ = state_;
  Q_EMIT session_opened(state_.file);
}

QString SessionKeeper::unused_file(const QString& stem, const QString& suffix) {
  QString path;
  do path = folder_->file(QStringLiteral("%1-%2.%3").arg(stem).arg(++files_made_).arg(suffix));
  while (QFileInfo::exists(path));
  return path;
}

QString SessionKeeper::place_of_journal() {
  if (!folder_) return {};
  last_run_ = std::exchange(run_, unused_file(QStringLiteral("run"), QStringLiteral("journal")));
  return run_;
}

void SessionKeeper::keep_text() {
  const auto& contents = window_.controller().text()->contents;
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

// Where no model is open, what was last known of one stays: it may only be out of reach.
SessionState SessionKeeper::capture() {
  SessionState state = state_;
  LabContext& context = window_.context();
  if (const auto& model = window_.controller().model()) {
    state.model = QString::fromStdString(model->info.path);
    state.adapter = QString::fromStdString(model->info.adapter);
    state.config = context.config();
    state.run = run_;
  }
  if (const auto& text = window_.controller().text()) {
    state.text = text->contents ? text_ : text->name;
    state.text_name = text->contents ? text->name : QString();
  }
  state.options = context.run_options();
  state.selection = context.selected();
  state.notes = context.notebook().text();
  state.bookmarks = context.notebook().bookmarks();
  state.trainings.clear();
  for (int i = 0; i < context.training().count(); ++i) state.trainings += context.training().run(i).directory();
  FinetuneDialog* dialog = window_.finetune();
  if (dialog == nullptr) state.finetune = nullptr;
  try {
    if (dialog != nullptr) state.finetune = dialog->form().fields();
  } catch (const EngineError&) {  // half a number, say: what it was before stays
  }
  state.geometry = window_.saveGeometry();
  state.layout = window_.saveState();
  return state;
}

void SessionKeeper::keep_now() {
  if (!folder_ || restoring() || frozen_ || window_.controller().loading()) return;
  state_ = capture();
  std::string text = session_text(state_, folder_->path());
  if (text == written_) return;
  written_ = std::move(text);
  post([path = folder_->session_file(), text = written_](SessionWriter& writer) { writer.write(path, text); });
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
  const QString files = info.absolutePath() + u'/' + info.completeBaseName() + QStringLiteral(".files/");
  state_ = capture();
  state_.file = info.absoluteFilePath();
  saved_ = state_;
  SessionState stored = state_;
  stored.file.clear();
  SessionSave save{state_.file, {}, {}};
  const auto take_along = [&](QString& from, const QString& name) {
    const QString to = files + name;
    if (from != to) save.copies.emplace_back(from, to);
    from = to;
  };
  if (!stored.run.isEmpty()) take_along(stored.run, QStringLiteral("run.journal"));
  if (!stored.text_name.isEmpty()) take_along(stored.text, QStringLiteral("text.txt"));
  save.contents = session_text(stored, info.absolutePath());
  post([save](SessionWriter& writer) { writer.save_session(save); });
}

}  // namespace carryover
