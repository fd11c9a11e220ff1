// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/session_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QThread>
#include <algorithm>
#include <cerrno>

#include "engine/formats/output_file.h"
#include "widgets/look/filled_text.h"

namespace carryover {
namespace {

QString lock_of(const QString& folder) {
  return folder + QStringLiteral("/lock");
}

/// The lock's descriptor; -1 where another process has it, or the file can't be made.
int lock(const QString& folder) {
  const QByteArray path = QFile::encodeName(lock_of(folder));
  const int descriptor = ::open(path.constData(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (descriptor < 0) return -1;
  struct stat locked = {}, there = {};
  // The file may have been deleted with its folder since it was opened.
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::fstat(descriptor, &locked) == 0 &&
      ::stat(path.constData(), &there) == 0 && locked.st_ino == there.st_ino)
    return descriptor;
  ::close(descriptor);
  return -1;
}

/// Locks as lock() does, with a few attempts: a process that only looks whether a folder is free holds its lock for a
/// moment.
int lock_patiently(const QString& folder) {
  constexpr int attempts = 5;
  constexpr unsigned long pause_ms = 4;
  for (int i = 1;; ++i) {
    if (const int descriptor = lock(folder); descriptor >= 0 || i == attempts) return descriptor;
    QThread::msleep(pause_ms);
  }
}

/// Says whether a running window has it. Two that look at the same moment do not mistake each other for its window.
bool in_use(const QString& folder) {
  const int descriptor = ::open(QFile::encodeName(lock_of(folder)).constData(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return false;
  const bool taken = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0;
  ::close(descriptor);
  return taken;
}

QStringList folders_in(const QString& root) {
  QStringList folders;
  for (const QString& name : QDir(root).entryList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks))
    folders += root + u'/' + name;
  return folders;
}

}  // namespace

SessionFolder::SessionFolder(const QString& path, int descriptor)
    : path_(path), descriptor_(descriptor), files_made_(static_cast<int>(QDir(path).count())) {}

bool SessionFolder::has(const QString& file) const {
  return !file.isEmpty() && QFileInfo(file).absolutePath() == path_;
}

QString SessionFolder::unused_file(const QString& stem, const QString& suffix) {
  QString path;
  do path = file(filled(QStringLiteral("%1-%2.%3"), stem, ++files_made_, suffix));
  while (QFileInfo::exists(path));
  return path;
}

std::unique_ptr<SessionFolder> SessionFolder::create(const QString& root) {
  const QString base = root + u'/' + QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz-")) +
                       QString::number(getpid());
  constexpr int attempts = 100;
  for (int i = 0; i < attempts; ++i) {
    const QString path = i == 0 ? base : base + QStringLiteral("-%1").arg(i);
    if (QFileInfo::exists(path)) continue;
    if (!QDir().mkpath(path)) throw write_error(path.toStdString(), errno);
    if (const int descriptor = lock(path); descriptor >= 0)
      return std::unique_ptr<SessionFolder>(new SessionFolder(path, descriptor));
  }
  throw write_error(base.toStdString(), errno);
}

std::unique_ptr<SessionFolder> SessionFolder::adopt(const QString& path) {
  if (!QFileInfo::exists(session_file_in(path))) return nullptr;
  const int descriptor = lock_patiently(path);
  if (descriptor < 0) return nullptr;
  return std::unique_ptr<SessionFolder>(new SessionFolder(path, descriptor));
}

QStringList SessionFolder::left_behind(const QString& root) {
  std::vector<std::pair<QDateTime, QString>> found;
  for (const QString& path : folders_in(root)) {
    const QFileInfo session(session_file_in(path));
    if (session.exists() && !in_use(path)) found.emplace_back(session.lastModified(), path);
  }
  std::sort(found.begin(), found.end(), std::greater<>());
  QStringList paths;
  for (const auto& [time, path] : found) paths += path;
  return paths;
}

void SessionFolder::remove_empty(const QString& root) {
  for (const QString& path : folders_in(root)) {
    if (QDir(path).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot) != QStringList("lock")) continue;
    const int descriptor = lock(path);
    if (descriptor < 0) continue;
    SessionFolder(path, descriptor).erase();
  }
}

std::int64_t SessionFolder::bytes_in(const QString& folder) {
  std::int64_t bytes = 0;
  for (const QFileInfo& file : QDir(folder).entryInfoList(QDir::Files | QDir::Hidden | QDir::NoSymLinks))
    bytes += file.size();
  return bytes;
}

void SessionFolder::erase() {
  if (!QFileInfo(path_).isSymLink()) QDir(path_).removeRecursively();
}

SessionFolder::~SessionFolder() {
  ::close(descriptor_);
}

}  // namespace carryover
