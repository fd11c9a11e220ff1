// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/session_writer.h"

#include <QDir>
#include <QFileInfo>
#include <filesystem>

#include "engine/core/base/error.h"
#include "engine/formats/output_file.h"

namespace carryover {
namespace {

namespace fs = std::filesystem;

/// By size and time, as a run that has ended keeps them: a session is saved again and again, and runs are long.
void copy_if_changed(const fs::path& from, const fs::path& to) {
  std::error_code code;
  const auto time = fs::last_write_time(from, code);
  const auto size = fs::file_size(from, code);
  if (!code && fs::file_size(to, code) == size && fs::last_write_time(to, code) == time && !code) return;
  const fs::path beside = to.string() + kAtomicSuffix;
  fs::create_directories(to.parent_path(), code);
  fs::copy_file(from, beside, fs::copy_options::overwrite_existing, code);
  if (!code) fs::last_write_time(beside, time, code);
  if (!code) fs::rename(beside, to, code);
  if (code) throw write_error(to.string(), code.value());
}

/// Files of runs that have been deleted since the session was last saved. What only a link leads to is not ours.
void remove_other_journals(const SessionSave& save) {
  if (QFileInfo(save.folder).isSymLink()) return;
  const QDir folder(save.folder);
  for (const QString& name : folder.entryList({QStringLiteral("run-*.journal")}, QDir::Files | QDir::NoSymLinks))
    if (!save.journals.contains(folder.filePath(name))) QFile::remove(folder.filePath(name));
}

}  // namespace

void SessionWriter::try_to(const std::function<void()>& work) {
  if (const auto problem = attempt(work)) Q_EMIT failed(*problem);
}

void SessionWriter::write(const QString& path, const std::string& contents) {
  try_to([&] { write_file_atomically(path.toStdString(), contents); });
}

void SessionWriter::save_session(const SessionSave& save) {
  const auto problem = attempt([&] {
    for (const auto& [from, to] : save.copies) {
      if (QFileInfo(from).isFile())
        copy_if_changed(from.toStdString(), to.toStdString());
      else  // it could not be written when it was to be
        Q_EMIT failed({Fault::Io, from, tr("is missing"), tr("The session is saved without it.")});
    }
    write_file_atomically(save.path.toStdString(), save.contents);
    remove_other_journals(save);
  });
  if (!problem) return Q_EMIT session_saved(save.path);
  Q_EMIT session_not_saved(save.path, save.former);
  Q_EMIT failed(*problem);
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
  Q_EMIT read_back(files);
}

void SessionWriter::remove(const QStringList& paths) {
  for (const QString& path : paths) QFile::remove(path);
}

}  // namespace carryover
