// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "engine/base/error.h"
#include "engine/formats/regular_file.h"

namespace carryover {

/// The addresses of one mapping, for the signal handler. Guards are in a list that only grows, and are reused.
struct MappedFile::Guard {
  std::atomic<bool> used = false, broken = false;
  std::atomic<std::uintptr_t> begin = 0, end = 0;
  Guard* next = nullptr;

  static Guard& take(std::span<const std::byte> bytes);
  static void handle(int signal, siginfo_t* info, void* context);
};

namespace {

std::atomic<MappedFile::Guard*> guards = nullptr;
struct sigaction before {};  ///< the handler that was installed before

std::uintptr_t page_size() {
  static const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return size;
}

struct OpenFile {
  int number;
  ~OpenFile() {
    if (number >= 0) close(number);
  }
};

[[noreturn]] void fail(const std::string& path, const std::string& doing) {
  throw EngineError(Fault::Io, path, doing + ": " + std::strerror(errno), "Check the path and its permissions.");
}

}  // namespace

/// Handles SIGBUS: maps zeros from the missing page to the mapping's end. The instruction that touched the page is then
/// run again. Nothing here waits or allocates. It is the system call itself, because a sanitizer's mmap counts as a
/// write to all pages, which races with threads that read them.
void MappedFile::Guard::handle(int signal, siginfo_t* info, void* /*context*/) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Guard* guard = guards; guard != nullptr; guard = guard->next) {
    const std::uintptr_t end = guard->end;
    if (address < guard->begin || address >= end) continue;
    const std::uintptr_t page = address / page_size() * page_size();
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    if (syscall(SYS_mmap, page, end - page, PROT_READ, flags, -1, std::int64_t{0}) == -1) break;
    guard->broken = true;
    return;
  }
  sigaction(signal, &before, nullptr);  // no mapping of this program: the signal comes again, to the former handler
}

MappedFile::Guard& MappedFile::Guard::take(std::span<const std::byte> bytes) {
  static std::once_flag installed;
  std::call_once(installed, [] {
    page_size();
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGBUS, &action, &before);
  });
  Guard* guard = guards;
  while (guard != nullptr && guard->used.exchange(true)) guard = guard->next;
  if (guard == nullptr) {
    guard = new Guard;
    guard->used = true;
    guard->next = guards;
    while (!guards.compare_exchange_weak(guard->next, guard)) continue;
  }
  guard->broken = false;
  guard->end = reinterpret_cast<std::uintptr_t>(bytes.data()) + bytes.size();
  guard->begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  return *guard;
}

MappedFile::MappedFile(std::string path, int descriptor, std::span<const std::byte> bytes)
    : path_(std::move(path)), descriptor_(descriptor), bytes_(bytes), guard_(&Guard::take(bytes)) {}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  OpenFile file{open_regular_file(path)};
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
  std::shared_ptr<const MappedFile> mapped(
      new MappedFile(path, file.number, {static_cast<const std::byte*>(address), size}));
  file.number = -1;
  return mapped;
}

MappedFile::~MappedFile() {
  guard_->begin = guard_->end = 0;
  munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  close(descriptor_);
  guard_->used = false;
}

void MappedFile::require_whole() const {
  struct stat status {};
  const bool cut = fstat(descriptor_, &status) != 0 || status.st_size < static_cast<off_t>(bytes_.size());
  if (!cut && !guard_->broken) return;
  throw EngineError(Fault::Io, path_,
                    cut ? "was truncated while it was being read" : "can't be read: the disk gives an error",
                    "Restore the complete file, and do not write to it while it is read.");
}

void MappedFile::release(std::span<const std::byte> read) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(read.data()) / page_size() * page_size();
  const auto end = (reinterpret_cast<std::uintptr_t>(read.data()) + read.size()) / page_size() * page_size();
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace carryover
