// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/whole_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "engine/core/base/error.h"
#include "engine/formats/output_file.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;

// Names of our own, so that nothing of a user's is taken for a leftover.
constexpr const char* kUnfinished = ".unfinished";
constexpr const char* kOutgoing = ".outgoing";

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

/// Renames `made` to `path`; a folder that is there already changes places with it, at once where the system can.
void put_in_place(const std::string& made, const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return rename_path(made, path);
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) {
    fs::remove_all(made, ignored);
    return;
  }
  rename_path(path, path + kOutgoing);
  rename_path(made, path);
  fs::remove_all(path + kOutgoing, ignored);
}

}  // namespace

void sync_folder(const std::string& path) {
  sync_path(path);
}

void write_whole_folder(const std::string& path, const std::function<void(const std::string& directory)>& fill) {
  const std::string temporary = path + kUnfinished;
  std::error_code ignored;
  try {
    const std::string parent = fs::absolute(path).parent_path().string();
    fs::remove_all(temporary);
    fs::create_directories(temporary);
    fill(temporary);
    sync_tree(temporary);
    put_in_place(temporary, path);
    sync_folder(parent);
  } catch (const fs::filesystem_error& error) {
    fs::remove_all(temporary, ignored);
    throw write_error(path, error.code().value());
  } catch (...) {
    fs::remove_all(temporary, ignored);
    throw;
  }
}

void remove_whole_folder(const std::string& path) {
  std::error_code ignored;
  const std::string outgoing = path + kOutgoing;
  fs::remove_all(outgoing, ignored);
  fs::rename(path, outgoing, ignored);
  fs::remove_all(outgoing, ignored);
}

void remove_leftover_folders(const std::string& parent) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(kUnfinished) || name.ends_with(kOutgoing)) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace carryover
