// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "engine/formats/regular_file.h"
#include "engine/formats/temporary_name.h"

namespace carryover {
namespace {

constexpr std::size_t kCopiedAtOnce = std::size_t{1} << 20;

/// Removes a file or a link that has the name. The target of a link stays as it is.
void free_name(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))) return;
  if (::unlink(path.c_str()) != 0) throw write_error(path, errno);
}

/// Returns true for a device, or a name in /dev such as /dev/stdout: it belongs to the system and is never replaced by
/// a file.
bool is_device(const std::string& path) {
  struct stat status {};
  return (::lstat(path.c_str(), &status) == 0 && S_ISCHR(status.st_mode)) ||
         std::filesystem::path(path).parent_path() == "/dev";
}

/// Opens the output. The kernel creates the file or says that the name is taken, so nothing can happen between a check
/// and the opening.
int open_output(const std::string& path, OutputFile::Existing existing) {
  using enum OutputFile::Existing;
  int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
  const bool device = is_device(path);
  if (existing == Replace && !device) free_name(path);
  if (existing != Continue && !device) flags |= O_EXCL;
  if (existing == Continue) flags |= O_NONBLOCK;  // a FIFO without a reader is refused and not waited for
  return ::open(path.c_str(), flags, 0666);
}

struct OpenedFile {
  int descriptor;
  ~OpenedFile() { ::close(descriptor); }
};

EngineError read_error(const std::string& path, int code) {
  return {Fault::Io, path, std::string("can't be read: ") + std::strerror(code), "Check the path."};
}

}  // namespace

namespace {

/// The text of an error for a full disk. The error keeps it when it is passed on under another path, or from another
/// process.
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
    case ELOOP:
      return {Fault::Io, path, "is a symbolic link, and files are not written through links",
              "Remove the link, or name another path."};
    case EEXIST:
      return {Fault::Io, path, "can't be made: something of this name is there already", "Choose another name."};
    default:
      return {Fault::Io, path, std::string("can't be written: ") + std::strerror(code), "Check the path."};
  }
}

OutputFile::OutputFile(std::string path, Existing existing) : path_(std::move(path)) {
  descriptor_ = open_output(path_, existing);
  if (descriptor_ < 0) throw write_error(path_, errno);
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode)) {
    ::close(descriptor_);
    throw EngineError(Fault::Io, path_, "is not a regular file", "Name a file on disk.");
  }
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

void OutputFile::append_copy(int source, const std::string& name) {
  struct stat status {};
  if (::fstat(source, &status) != 0) throw read_error(name, errno);
  std::string bytes(kCopiedAtOnce, '\0');
  for (ssize_t got; (got = ::read(source, bytes.data(), bytes.size())) != 0;) {
    if (got < 0 && errno != EINTR) throw read_error(name, errno);
    if (got > 0) append(std::string_view(bytes).substr(0, static_cast<std::size_t>(got)));
  }
  const timespec times[] = {status.st_atim, status.st_mtim};
  ::futimens(descriptor_, times);
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
  if (is_device(path)) {
    OutputFile device(path);
    fill(device);
    return device.finish();
  }
  require_regular_file(path);  // a rename would replace a FIFO, a socket or a device
  const std::string temporary = temporary_name(path + kAtomicSuffix);
  bool made = false;  // if false, what has the name must not be removed
  try {
    OutputFile file(temporary, OutputFile::Existing::Refuse);
    made = true;
    fill(file);
    file.finish();
    if (std::rename(temporary.c_str(), path.c_str()) != 0) throw write_error(temporary, errno);
  } catch (const EngineError& error) {
    if (made) ::unlink(temporary.c_str());
    if (error.where() != temporary) throw;
    throw EngineError(error.fault(), path, error.problem(), error.advice());
  } catch (...) {
    if (made) ::unlink(temporary.c_str());
    throw;
  }
}

void remove_unfinished(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr auto kFile = fs::file_type::regular;
  const fs::path whole(path), folder = whole.has_parent_path() ? whole.parent_path() : fs::path(".");
  const std::string start = whole.filename().string() + kAtomicSuffix;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (is_temporary_name(entry.path().filename().string(), start) && entry.symlink_status(ignored).type() == kFile)
      fs::remove(entry.path(), ignored);
}

void write_file_atomically(const std::string& path, std::string_view contents) {
  write_atomically(path, [&](OutputFile& file) { file.append(contents); });
}

void copy_file_atomically(const std::string& from, const std::string& to) {
  const OpenedFile source{open_regular_file(from)};
  if (source.descriptor < 0) throw read_error(from, errno);
  write_atomically(to, [&](OutputFile& file) { file.append_copy(source.descriptor, from); });
}

void replace_own_file(const std::string& path, std::string_view contents) {
  remove_unfinished(path);
  write_file_atomically(path, contents);
}

}  // namespace carryover
