// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace carryover {

namespace {

/// An error keeps its problem where it is passed on under another path, or from another process.
constexpr const char* kDiskFull = "the disk is full";

}  // namespace

bool is_disk_full(const EngineError& error) {
  return error.fault() == Fault::Io && error.problem() == kDiskFull;
}

EngineError write_error(const std::string& path, int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return {Fault::Io, path, kDiskFull, "Free some space, or write to another disk."};
    case EFBIG:
      return {Fault::Io, path, "the file would grow past the size that is allowed here",
              "Raise the limit (`ulimit -f`), or write to another disk."};
    case EACCES:
    case EPERM:
    case EROFS:
      return {Fault::Io, path, std::string("can't be written: ") + std::strerror(code),
              "Write to a folder that you own."};
    default:
      return {Fault::Io, path, std::string("can't be written: ") + std::strerror(code), "Check the path."};
  }
}

OutputFile::OutputFile(std::string path, Existing existing) : path_(std::move(path)) {
  const int emptied = existing == Existing::Empty ? O_TRUNC : 0;
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | emptied, 0666);
  if (descriptor_ < 0) throw write_error(path_, errno);
  const off_t end = ::lseek(descriptor_, 0, SEEK_END);
  if (end > 0) size_ = end;  // a device has no end
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool OutputFile::write_at(std::int64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += written;
  }
  return true;
}

void OutputFile::replace_end(std::int64_t offset, std::string_view bytes, std::string_view tail) {
  CARRYOVER_CHECK(descriptor_ >= 0 && offset + std::ssize(tail) == size_);
  if (write_at(offset, bytes)) {
    size_ = offset + std::ssize(bytes);
    return;
  }
  const int code = errno;
  write_at(offset, tail);  // these bytes have their place on the disk already
  const bool restored = ::ftruncate(descriptor_, size_) == 0 || errno == EINVAL;  // EINVAL: a device, not a file
  throw write_error(path_, restored ? code : errno);
}

void OutputFile::overwrite(std::int64_t offset, std::string_view bytes) {
  CARRYOVER_CHECK(descriptor_ >= 0 && offset + std::ssize(bytes) <= size_);
  if (!write_at(offset, bytes)) throw write_error(path_, errno);
}

void OutputFile::sync() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL) throw write_error(path_, errno);
}

void OutputFile::finish() {
  sync();
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) throw write_error(path_, errno);
}

void write_atomically(const std::string& path, const std::function<void(OutputFile& file)>& fill) {
  const std::string temporary = path + kAtomicSuffix + std::to_string(::getpid());
  try {
    OutputFile file(temporary);
    fill(file);
    file.finish();
    if (std::rename(temporary.c_str(), path.c_str()) != 0) throw write_error(temporary, errno);
  } catch (const EngineError& error) {
    ::unlink(temporary.c_str());
    if (error.where() != temporary) throw;
    throw EngineError(error.fault(), path, error.problem(), error.advice());
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

void remove_unfinished(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path whole(path), folder = whole.has_parent_path() ? whole.parent_path() : fs::path(".");
  const std::string start = whole.filename().string() + kAtomicSuffix;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(start)) fs::remove(entry.path(), ignored);
}

void write_file_atomically(const std::string& path, std::string_view contents) {
  write_atomically(path, [&](OutputFile& file) { file.append(contents); });
}

void replace_own_file(const std::string& path, std::string_view contents) {
  remove_unfinished(path);
  write_file_atomically(path, contents);
}

}  // namespace carryover
