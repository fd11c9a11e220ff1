// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/input_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/base/error.h"
#include "engine/formats/regular_file.h"

namespace carryover {
namespace {

[[noreturn]] void refuse(const std::string& path, int code) {
  throw EngineError(Fault::Io, path, std::string("can't be read: ") + std::strerror(code),
                    "Check that it is there and that you may read it.");
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  descriptor_ = open_regular_file(path_);
  if (descriptor_ < 0) refuse(path_, errno);
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

std::string InputFile::read(std::int64_t offset, std::int64_t size) const {
  std::string bytes = read_up_to(offset, size);
  if (std::ssize(bytes) < size)
    throw EngineError(Fault::Io, path_, "ends before byte " + std::to_string(offset + size) + ": it is truncated",
                      "Restore the complete file, or run the text again.");
  return bytes;
}

std::string InputFile::read_up_to(std::int64_t offset, std::int64_t size) const {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::int64_t done = 0;
  while (done < size) {
    const ssize_t part =
        ::pread(descriptor_, bytes.data() + done, static_cast<std::size_t>(size - done), offset + done);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) refuse(path_, errno);
    if (part == 0) break;
    done += part;
  }
  bytes.resize(static_cast<std::size_t>(done));
  return bytes;
}

std::int64_t InputFile::size() const {
  struct stat info {};
  if (::fstat(descriptor_, &info) != 0) refuse(path_, errno);
  return info.st_size;
}

std::string read_whole_file(const std::string& path) {
  const InputFile file(path);
  const std::int64_t size = file.size();
  if (size == 0) throw EngineError(Fault::BadInput, path, "is empty", "Fetch the file again.");
  return file.read(0, size);
}

}  // namespace carryover
