// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <cerrno>

#include "engine/formats/output_file.h"

namespace carryover {
namespace {

/// The lock's descriptor; -1 where another process has it, or the file can't be made.
int lock(const QString& folder) {
  const int descriptor = ::open(QFile::encodeName(folder + QStringLiteral("/lock")).constData(),
                                O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor < 0) return -1;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

}  // namespace

std::unique_ptr<SessionFolder> SessionFolder::create(const QString& root) {
  const QString base = root + u'/' + QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss-zzz-")) +
                       QString::number(getpid());
  QString path = base;
  for (int i = 1; QFileInfo::exists(path); ++i) path = base + QStringLiteral("-%1").arg(i);
  if (!QDir().mkpath(path)) throw write_error(path.toStdString(), errno);
  const int descriptor = lock(path);
  if (descriptor < 0) throw write_error(path.toStdString(), errno);
  return std::unique_ptr<SessionFolder>(new SessionFolder(path, descriptor));
}

std::unique_ptr<SessionFolder> SessionFolder::adopt(const QString& path) {
  if (!QFileInfo::exists(session_file_in(path))) return nullptr;
  const int descriptor = lock(path);
  if (descriptor < 0) return nullptr;
  return std::unique_ptr<SessionFolder>(new SessionFolder(path, descriptor));
}

QStringList SessionFolder::left_behind(const QString& root) {
  std::vector<std::pair<QDateTime, QString>> found;
  for (const QString& name : QDir(root).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    const QString path = root + u'/' + name;
    const QFileInfo session(session_file_in(path));
    if (!session.exists()) continue;
    const int descriptor = lock(path);
    if (descriptor < 0) continue;
    ::close(descriptor);
    found.emplace_back(session.lastModified(), path);
  }
  std::sort(found.begin(), found.end(), std::greater<>());
  QStringList paths;
  for (const auto& [time, path] : found) paths += path;
  return paths;
}

void SessionFolder::prune(const QString& root, int kept, const std::function<bool(const QString& folder)>& spared) {
  const QStringList paths = left_behind(root);
  for (qsizetype i = kept; i < paths.size(); ++i) {
    if (spared(paths[i])) continue;
    if (const auto folder = adopt(paths[i])) QDir(folder->path()).removeRecursively();
  }
}

SessionFolder::~SessionFolder() {
  ::close(descriptor_);
}

}  // namespace carryover
