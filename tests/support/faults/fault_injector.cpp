// SPDX-License-Identifier: GPL-3.0-or-later
// Loaded into a program by LD_PRELOAD, it lets one call of a class fail: see plan.h. Counted are the calls of the
// main thread from the first line of main on. Not counted is what happens inside dlopen: while the engine library is
// opened, thousands of allocations are those of constructors of LibTorch's static objects.
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "tests/support/faults/branch.h"

// glibc's own, under names that nobody interposes: dlsym would allocate.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace carryover::test {

namespace {

constexpr const char* kNames[] = {"read", "write", "fsync", "malloc"};
enum Class { kRead, kWrite, kSync, kAllocate, kClasses };

struct {
  int failing = kClasses;
  long first = 0, stride = 0;
  int line = -1;
} plan;

bool counting = false;  // inside main, and the call has not failed yet
int inside = 0;         // the injector's own calls, and those in dlopen
pthread_t main_thread;
long calls = 0;

/// Returns true if this call is to fail. If the plan wants branches, it returns true in a branch and false in the
/// program.
bool fails(int kind) {
  if (!counting || kind != plan.failing || inside > 0 || pthread_equal(pthread_self(), main_thread) == 0) return false;
  ++calls;
  if (calls < plan.first || (plan.stride == 0 ? calls > plan.first : (calls - plan.first) % plan.stride != 0))
    return false;
  ++inside;
  bool failing = true;
  if (plan.stride == 0) {
    write_trace("failed");
  } else {
    const int error = errno;
    failing = branch(calls, plan.line);
    errno = error;
  }
  if (failing) counting = false;
  if (failing && plan.stride > 0) plan.line = -1;  // a branch has nobody to tell
  --inside;
  return failing;
}

/// Files and the standard streams: no eventfd, which can't fail.
bool fails(int kind, int descriptor) {
  if (!counting || kind != plan.failing) return false;
  struct stat status {};
  const int error = errno;
  const bool counted =
      descriptor != STDERR_FILENO && ::fstat(descriptor, &status) == 0 &&
      (descriptor <= STDOUT_FILENO || S_ISREG(status.st_mode) || (kind == kSync && S_ISDIR(status.st_mode)));
  errno = error;
  return counted && fails(kind);
}

template <typename Function>
Function* next(Function* /*type*/, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

template <typename Call>
auto or_fail(bool failing, int code, Call call) -> decltype(call()) {
  if (!failing) return call();
  errno = code;
  if constexpr (std::is_pointer_v<decltype(call())>)
    return nullptr;
  else
    return -1;
}

void read_plan() {
  const char* text = std::getenv(kPlanVariable);
  char name[16] = {};
  if (text == nullptr || std::sscanf(text, "%15[a-z]:%ld:%ld:%d", name, &plan.first, &plan.stride, &plan.line) != 4)
    return;
  for (int kind = 0; kind < kClasses; ++kind)
    if (std::strcmp(name, kNames[kind]) == 0) plan.failing = kind;
}

int (*program)(int, char**, char**) = nullptr;

int run_program(int count, char** arguments, char** environment) {
  ++inside;
  read_plan();
  prepare_branches();
  main_thread = pthread_self();
  --inside;
  counting = true;
  const int code = program(count, arguments, environment);
  counting = false;
  if (plan.line < 0 && plan.stride > 0) end_branch(code);
  tell(plan.line, {calls, kProgramEnded});
  return code;
}

}  // namespace

}  // namespace carryover::test

using namespace carryover::test;

// NOLINTBEGIN: the names and types are the C library's.
extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int count, char** arguments, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  program = main;
  return next(__libc_start_main, "__libc_start_main")(run_program, count, arguments, init, fini, rtld_fini, stack_end);
}

void* dlopen(const char* file, int mode) {
  static auto* const real = next(dlopen, "dlopen");
  const bool main = pthread_equal(pthread_self(), main_thread) != 0;
  inside += main;
  void* const library = real(file, mode);
  inside -= main;
  return library;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  static auto* const real = next(pthread_create, "pthread_create");
  const int code = real(thread, attributes, start, argument);
  if (code == 0) remember_thread(*thread);
  return code;
}

int pthread_join(pthread_t thread, void** result) {
  static auto* const real = next(pthread_join, "pthread_join");
  return is_here(thread) ? real(thread, result) : 0;
}

void* malloc(size_t bytes) {
  return or_fail(fails(kAllocate), ENOMEM, [&] { return __libc_malloc(bytes); });
}
void* calloc(size_t count, size_t bytes) {
  return or_fail(fails(kAllocate), ENOMEM, [&] { return __libc_calloc(count, bytes); });
}
void* realloc(void* block, size_t bytes) {
  return or_fail(fails(kAllocate), ENOMEM, [&] { return __libc_realloc(block, bytes); });
}
void* memalign(size_t alignment, size_t bytes) {
  return or_fail(fails(kAllocate), ENOMEM, [&] { return __libc_memalign(alignment, bytes); });
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return memalign(alignment, bytes);
}
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  void* const made = memalign(alignment, bytes);
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}

ssize_t read(int descriptor, void* bytes, size_t count) {
  static auto* const real = next(read, "read");
  return or_fail(fails(kRead, descriptor), EIO, [&] { return real(descriptor, bytes, count); });
}
ssize_t readv(int descriptor, const iovec* parts, int count) {
  static auto* const real = next(readv, "readv");
  return or_fail(fails(kRead, descriptor), EIO, [&] { return real(descriptor, parts, count); });
}
ssize_t pread(int descriptor, void* bytes, size_t count, off_t offset) {
  static auto* const real = next(pread, "pread");
  return or_fail(fails(kRead, descriptor), EIO, [&] { return real(descriptor, bytes, count, offset); });
}
ssize_t pread64(int descriptor, void* bytes, size_t count, off64_t offset) {
  return pread(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static auto* const real = next(write, "write");
  return or_fail(fails(kWrite, descriptor), ENOSPC, [&] { return real(descriptor, bytes, count); });
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  static auto* const real = next(writev, "writev");
  return or_fail(fails(kWrite, descriptor), ENOSPC, [&] { return real(descriptor, parts, count); });
}
ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  static auto* const real = next(pwrite, "pwrite");
  return or_fail(fails(kWrite, descriptor), ENOSPC, [&] { return real(descriptor, bytes, count, offset); });
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}

int fsync(int descriptor) {
  static auto* const real = next(fsync, "fsync");
  return or_fail(fails(kSync, descriptor), EIO, [&] { return real(descriptor); });
}
int fdatasync(int descriptor) {
  static auto* const real = next(fdatasync, "fdatasync");
  return or_fail(fails(kSync, descriptor), EIO, [&] { return real(descriptor); });
}

}  // extern "C"
// NOLINTEND
