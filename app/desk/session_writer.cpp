// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desk/session_writer.h"

#include <QDir>
#include <QFileInfo>
#include <filesystem>

#include "engine/io/output_file.h"

namespace carryover {

void SessionWriter::try_to(const std::function<void()>& work) {
  if (const auto problem = attempt(work)) Q_EMIT failed(*problem);
}

void SessionWriter::write(const QString& path, const std::string& contents) {
  try_to([&] { write_file_atomically(path.toStdString(), contents); });
}

void SessionWriter::save_session(const SessionSave& save) {
  try_to([&] {
    for (const auto& [from, to] : save.copies) {
      const std::filesystem::path target = to.toStdString(), beside = to.toStdString() + kAtomicSuffix;
      std::error_code code;
      std::filesystem::create_directories(target.parent_path(), code);
      std::filesystem::copy_file(from.toStdString(), beside, std::filesystem::copy_options::overwrite_existing, code);
      if (!code) std::filesystem::rename(beside, target, code);
      if (code) throw write_error(target.string(), code.value());
    }
    write_file_atomically(save.path.toStdString(), save.contents);
    Q_EMIT session_saved(save.path);
  });
}

void SessionWriter::read_run(const QString& path) {
  std::shared_ptr<const JournaledRun> run;
  try_to([&] { run = std::make_shared<const JournaledRun>(read_run_journal(path.toStdString())); });
  if (run) {
    Q_EMIT run_read(run);
  } else {
    Q_EMIT run_unreadable();
  }
}

void SessionWriter::remove(const QStringList& paths) {
  for (const QString& path : paths) QFile::remove(path);
}

}  // namespace carryover
