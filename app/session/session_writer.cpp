// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session_writer.h"

#include <QDir>
#include <QFileInfo>
#include <filesystem>

#include "engine/core/base/error.h"
#include "engine/formats/output_file.h"

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

void SessionWriter::write_what_ifs(const QString& path, const std::vector<KeptWhatIf>& what_ifs) {
  write(path, what_ifs_text(what_ifs));
}

std::optional<KeptRun> SessionWriter::read_run(const QString& path, const std::string& open_weights) {
  if (path.isEmpty()) return std::nullopt;
  std::optional<KeptRun> kept;
  try_to([&] {
    const std::string file = path.toStdString();
    if (!QFileInfo::exists(path))
      throw EngineError(Fault::Io, file, tr("is no longer there").toStdString(),
                        tr("The session comes back without this run.").toStdString());
    const bool folder = QFileInfo(path).isDir();
    kept = KeptRun{folder ? JournaledRun{reopen_run(file), true, true} : read_run_journal(file), nullptr};
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
  Q_EMIT read_back(files);
}

void SessionWriter::remove(const QStringList& paths) {
  for (const QString& path : paths) QFile::remove(path);
}

}  // namespace carryover
