// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/session_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFileInfo>
#include <QScopeGuard>
#include <QStorageInfo>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/saved_window/session_folder.h"
#include "engine/base/error.h"
#include "engine/formats/output_file.h"
#include "engine/formats/temporary_name.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

namespace fs = std::filesystem;

/// Compares size and time, which a run that has ended keeps: a session is saved again and again, and runs are long.
bool is_same_file(const std::string& from, const std::string& to) {
  struct stat a = {}, b = {};
  return ::lstat(from.c_str(), &a) == 0 && ::lstat(to.c_str(), &b) == 0 && S_ISREG(b.st_mode) &&
         a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

/// Files that take their places together: until put_in_place() what was there before stays, and what a failure leaves
/// half written goes.
class StagedFiles {
 public:
  StagedFiles() = default;
  ~StagedFiles() { discard(); }
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;
  void write(const std::string& path, std::string_view contents) {
    told_as(path, [&] {
      OutputFile file(stage(path), OutputFile::Existing::Refuse);
      file.append(contents);
      file.finish();
    });
  }
  /// Copies `from` only where it is a regular file itself, and no link to one.
  void copy(const std::string& from, const std::string& to) {
    const int source = ::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (source < 0) throw EngineError(Fault::Io, from, std::strerror(errno), "Check the file's permissions.");
    const QScopeGuard close([&] { ::close(source); });
    struct stat there = {};
    if (::fstat(source, &there) != 0 || !S_ISREG(there.st_mode))
      throw EngineError(Fault::Io, from, "is not a regular file", "Save the session without it.");
    if (is_same_file(from, to)) return;
    told_as(to, [&] {
      OutputFile file(stage(to), OutputFile::Existing::Refuse);
      file.append_copy(source, from);
      file.finish();
    });
  }
  void discard() {
    for (const auto& [beside, path] : staged_) ::unlink(beside.c_str());
    staged_.clear();
  }
  void put_in_place() {
    for (const auto& [beside, path] : staged_)
      if (std::rename(beside.c_str(), path.c_str()) != 0) throw write_error(path, errno);
    staged_.clear();
  }

 private:
  /// A name beside `path` that nobody foresees, noted before there is a file of it.
  std::string stage(const std::string& path) {
    std::error_code code;
    fs::create_directories(fs::path(path).parent_path(), code);
    if (code) throw write_error(path, code.value());
    return staged_.emplace_back(temporary_name(path + kAtomicSuffix), path).first;
  }
  /// Errors name the file that a person knows.
  static void told_as(const std::string& path, const std::function<void()>& work) {
    try {
      work();
    } catch (const EngineError& error) {
      if (error.where().find(kAtomicSuffix) == std::string::npos) throw;
      throw EngineError(error.fault(), path, error.problem(), error.advice());
    }
  }

  std::vector<std::pair<std::string, std::string>> staged_;  ///< temporary name, path
};

/// Bytes that saving needs on top of what is there.
std::int64_t bytes_of(const SessionSave& save) {
  std::int64_t bytes = std::ssize(save.contents);
  for (const auto& [from, to] : save.copies)
    if (!is_same_file(from.toStdString(), to.toStdString())) bytes += QFileInfo(from).size();
  return bytes;
}

/// Says of a full disk how much room there is, and how much is needed.
ErrorReport with_room(ErrorReport report, const QString& path, std::int64_t needed) {
  if (report.problem != report_of(write_error({}, ENOSPC)).problem) return report;
  const qint64 free = QStorageInfo(QFileInfo(path).absolutePath()).bytesAvailable();
  report.where = path;
  report.problem = SessionWriter::tr("the disk is full: the session needs %1 there, and %2 are free")
                       .arg(bytes_text(needed), bytes_text(std::max<qint64>(0, free)));
  report.advice = SessionWriter::tr(
      "What was saved there before is unchanged, and the window keeps its work. Free some space and "
      "save again, or save the session on another disk.");
  return report;
}

/// Files of runs that have been deleted since the session was last saved.
void remove_other_journals(const SessionSave& save) {
  const QDir folder(save.folder);
  for (const QString& name : folder.entryList({QStringLiteral("run-*.journal")}, QDir::Files | QDir::NoSymLinks))
    if (!save.journals.contains(folder.filePath(name))) QFile::remove(folder.filePath(name));
}

}  // namespace

void SessionWriter::try_to(const std::function<void()>& work) {
  if (const auto problem = attempt(work)) Q_EMIT failed(*problem);
}

void SessionWriter::keep(const QString& path, std::function<void()> write) {
  std::erase_if(waiting_, [&](const Waiting& each) { return each.path == path; });
  waiting_.push_back({path, std::move(write)});
  write_waiting();
}

void SessionWriter::write_waiting() {
  std::optional<ErrorReport> problem;
  std::vector<Waiting> left;
  for (Waiting& each : std::exchange(waiting_, {})) {
    auto failure = attempt(each.write);
    if (!failure) continue;
    if (!problem) problem = failure;
    left.push_back(std::move(each));
  }
  waiting_ = std::move(left);
  if (failing_ == problem.has_value()) return;
  failing_ = problem.has_value();
  failing_ ? Q_EMIT keeping_failed(*problem) : Q_EMIT keeping_again();
}

void SessionWriter::write(const QString& path, const std::string& contents) {
  keep(path, [path, contents] { write_file_atomically(path.toStdString(), contents); });
}

void SessionWriter::write_run(const QString& path, const RunContents& run) {
  keep(path, [this, path, run] {
    const std::string beside = path.toStdString() + kAtomicSuffix + "run";
    const QScopeGuard remove([&] { ::unlink(beside.c_str()); });
    {
      RunJournal journal(beside, run.description);
      for (int i = 0; i < run.segments->count(); ++i) journal.append(*run.segments->load(i));
      journal.finish(run.summary);
    }
    if (std::rename(beside.c_str(), path.toStdString().c_str()) != 0) throw write_error(path.toStdString(), errno);
    Q_EMIT run_written(path);
  });
}

void SessionWriter::save_session(const SessionSave& save) {
  StagedFiles files;
  const auto problem = attempt([&] {
    if (QFileInfo(save.folder).isSymLink()) throw write_error(save.folder.toStdString(), ELOOP);  // not ours
    for (const auto& [from, to] : save.copies) {
      if (QFileInfo(from).isFile())
        files.copy(from.toStdString(), to.toStdString());
      else  // it could not be written when it was to be
        Q_EMIT failed({Fault::Io, from, tr("is missing"), tr("The session is saved without it.")});
    }
    files.write(save.path.toStdString(), save.contents);
    files.put_in_place();
    remove_other_journals(save);
  });
  if (!problem) return Q_EMIT session_saved(save.path);
  Q_EMIT session_not_saved(save.path, save.former);
  files.discard();
  QDir().rmdir(save.folder);  // it goes where nothing is in it, which is as it was
  Q_EMIT failed(with_room(*problem, save.path, bytes_of(save)));
}

void SessionWriter::write_what_ifs(const QString& path, const std::vector<KeptWhatIf>& what_ifs) {
  write(path, what_ifs_text(what_ifs));
}

void SessionWriter::write_questions(const QString& path, const std::vector<Question>& questions) {
  write(path, questions_text(questions));
}

std::optional<KeptRun> SessionWriter::read_run(const QString& path, const std::string& open_weights) {
  if (path.isEmpty()) return std::nullopt;
  std::optional<KeptRun> kept;
  try_to([&] {
    const std::string file = path.toStdString();
    if (!QFileInfo::exists(path))
      throw EngineError(Fault::Io, file, tr("is no longer there").toStdString(),
                        tr("The session comes back without this run.").toStdString());
    kept = KeptRun{path, read_kept_run(file), nullptr};
  });
  if (!kept) return kept;
  const ModelInfo& model = kept->run.contents.description.model;
  if (model.weights_hash != open_weights) attempt([&] { kept->tokenizer = Tokenizer::load(model.path); });
  return kept;
}

void SessionWriter::read(const SessionState& state, const std::string& open_weights) {
  auto files = std::make_shared<KeptFiles>();
  files->pinned = read_run(state.pinned_run, open_weights);
  files->run = read_run(state.run.isEmpty() ? state.run_folder : state.run, open_weights);
  if (files->run && is_run_folder(state.run_folder.toStdString()))
    files->run->run.contents.directory = state.run_folder.toStdString();
  if (!state.what_ifs.isEmpty()) try_to([&] { files->what_ifs = read_what_ifs(state.what_ifs); });
  if (!state.questions.isEmpty()) try_to([&] { files->questions = read_questions(state.questions); });
  Q_EMIT read_back(files);
}

void SessionWriter::remove(const QStringList& paths) {
  std::erase_if(waiting_, [&](const Waiting& each) { return paths.contains(each.path); });
  for (const QString& path : paths) QFile::remove(path);
}

}  // namespace carryover
