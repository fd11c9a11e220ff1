// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/whole_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "engine/base/error.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/output_file.h"
#include "engine/formats/temporary_name.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;

// These names are the program's own, so that nothing of a user's is taken for a leftover.
constexpr const char* kUnfinished = ".unfinished-";
constexpr const char* kOutgoing = ".outgoing-";

/// Syncs a file, or a folder's list of names.
void sync_path(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw write_error(path.string(), errno);
  const int failure = ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;  // EINVAL: it can't be synced
  ::close(descriptor);
  if (failure != 0) throw write_error(path.string(), failure);
}

void sync_tree(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() || entry.is_directory()) sync_path(entry.path());
  }
  sync_path(folder);
}

void rename_path(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) throw write_error(to, errno);
}

bool is_link(const fs::path& path) {
  std::error_code ignored;
  return fs::is_symlink(fs::symlink_status(path, ignored));
}

bool is_marked(const fs::path& folder) {
  std::error_code ignored;
  return !is_link(folder) && fs::is_regular_file(fs::symlink_status(folder / kFolderMark, ignored));
}

/// Removes a whole folder; no other code does. The mark is removed last, so that what a kill leaves is still marked, or
/// empty, and an empty folder is removed too. remove_all() itself follows no links.
void remove_marked(const std::string& folder) {
  std::error_code ignored;
  if (is_marked(folder)) {
    std::vector<fs::path> inside;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) inside.push_back(entry.path());
    for (const fs::path& path : inside)
      if (path.filename() != kFolderMark) fs::remove_all(path, ignored);
    fs::remove(fs::path(folder) / kFolderMark, ignored);
  }
  ::rmdir(folder.c_str());
}

/// Creates a folder that did not exist before, with the mark in it.
std::string make_temporary_folder(const std::string& path) {
  const std::string made = temporary_name(path + kUnfinished);
  fs::create_directories(fs::absolute(path).parent_path());
  if (::mkdir(made.c_str(), 0777) != 0) throw write_error(path, errno);
  try {
    OutputFile(path_in(made, kFolderMark), OutputFile::Existing::Refuse).finish();
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(made, ignored);
    throw;
  }
  return made;
}

void refuse_existing(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) return;
  if (!is_link(path) && fs::is_directory(path, ignored) && fs::is_empty(path, ignored)) return;
  throw EngineError(Fault::Usage, path, "is there already, and nothing that is there is written over",
                    "Choose another folder, or remove this one first.");
}

/// Renames `made` to `path`. A folder that is there already is exchanged with it, atomically if the system can do that.
void put_in_place(const std::string& made, const std::string& path, ExistingFolder existing) {
  if (existing == ExistingFolder::Refuse) return rename_path(made, path);  // replaces only an empty folder
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) return rename_path(made, path);
  const std::string outgoing = temporary_name(path + kOutgoing);
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) {
    rename_path(made, outgoing);
  } else {
    rename_path(path, outgoing);
    rename_path(made, path);
  }
  remove_marked(outgoing);
}

}  // namespace

void sync_folder(const std::string& path) {
  sync_path(path);
}

void write_whole_folder(const std::string& folder, ExistingFolder existing,
                        const std::function<void(const std::string& directory)>& fill) {
  const std::string path = fs::path(folder).has_filename() ? folder : fs::path(folder).parent_path().string();
  if (existing == ExistingFolder::Refuse) refuse_existing(path);
  std::string temporary;
  try {
    temporary = make_temporary_folder(path);
    fill(temporary);
    if (existing == ExistingFolder::Refuse)
      fs::remove(fs::path(temporary) / kFolderMark);  // from now on it belongs to the user
    sync_tree(temporary);
    put_in_place(temporary, path, existing);
    sync_folder(fs::absolute(path).parent_path().string());
  } catch (...) {
    std::error_code ignored;
    if (!temporary.empty()) fs::remove_all(temporary, ignored);
    try {
      throw;
    } catch (const fs::filesystem_error& error) {
      throw write_error(path, error.code().value());
    }
  }
}

void remove_whole_folder(const std::string& path) {
  if (!is_marked(path) || is_link(fs::absolute(path).parent_path())) return;
  const std::string outgoing = temporary_name(path + kOutgoing);
  if (std::rename(path.c_str(), outgoing.c_str()) == 0) remove_marked(outgoing);
}

void remove_leftover_folders(const std::string& parent) {
  std::error_code ignored;
  if (is_link(parent)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.find(kUnfinished) != std::string::npos || name.find(kOutgoing) != std::string::npos)
      remove_marked(entry.path().string());
  }
}

}  // namespace carryover
