// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "engine/core/base/error.h"
#include "engine/formats/regular_file.h"

namespace carryover {

namespace {

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

[[noreturn]] void fail(const std::string& path, const std::string& doing) {
  throw EngineError(Fault::Io, path, doing + ": " + std::strerror(errno), "Check the path and its permissions.");
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  const Descriptor file{open_regular_file(path)};
  if (file.number < 0) fail(path, "can't be opened");
  struct stat status {};
  if (fstat(file.number, &status) != 0) fail(path, "can't be examined");
  if (status.st_size == 0) throw EngineError(Fault::BadInput, path, "is empty", "Fetch the file again.");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (address == MAP_FAILED && errno == ENOMEM)
    throw EngineError(Fault::OutOfMemory, path, "can't be mapped: the process gets no more memory",
                      "Close other programs, or raise its limit (`ulimit -v`).");
  if (address == MAP_FAILED) fail(path, "can't be mapped");
  return std::shared_ptr<const MappedFile>(new MappedFile(path, {static_cast<const std::byte*>(address), size}));
}

MappedFile::~MappedFile() {
  munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::release(std::span<const std::byte> read) const {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(read.data()) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(read.data()) + read.size()) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace carryover
