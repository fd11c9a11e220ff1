// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/faults/branch.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace carryover::test {

namespace fs = std::filesystem;

namespace {

constexpr unsigned kSecondsOfABranch = 120;

std::string* folder = nullptr;  // what branches get a copy of
bool in_branch = false;
std::vector<pthread_t>* own = nullptr;  // threads that the branch itself started

std::string beside(const char* suffix) {
  return *folder + suffix;
}

void redirect(int stream, const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
  if (file < 0 || ::dup2(file, stream) < 0) ::_exit(98);
  ::close(file);
}

/// Opens the file's copy in the branch's folder in place of `descriptor`, at the same place.
void reopen(int descriptor, const std::string& copy) {
  const int flags = ::fcntl(descriptor, F_GETFL), own_flags = ::fcntl(descriptor, F_GETFD);
  const int file = ::open(copy.c_str(), flags & ~(O_CREAT | O_TRUNC | O_EXCL));
  if (file < 0) return;  // removed, or about to be
  ::lseek(file, ::lseek(descriptor, 0, SEEK_CUR), SEEK_SET);
  ::dup3(file, descriptor, (own_flags & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
  ::close(file);
}

/// Replaces the descriptors of the program's files by those of copies, so that nothing that the branch does reaches a
/// file of the program.
void move_descriptors(const std::string& copy) {
  std::vector<int> open;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd"))
    open.push_back(std::atoi(entry.path().filename().c_str()));
  for (const int descriptor : open) {
    std::error_code gone;
    const std::string target = fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor), gone).string();
    if (target == *folder || target.starts_with(*folder + "/"))
      reopen(descriptor, copy + target.substr(folder->size()));
    if (target == "anon_inode:[eventfd]") {
      const int fresh = ::eventfd(0, 0);
      ::dup3(fresh, descriptor, O_CLOEXEC);
      ::close(fresh);
    }
  }
}

void trace_signal(int signal) {
  write_trace(strsignal(signal));  // and, by SA_RESETHAND, it ends the process when it comes again
}

void become_branch() {
  in_branch = true;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const std::string copy = beside(".branch");
  fs::remove_all(copy);
  fs::copy(*folder, copy, fs::copy_options::recursive);
  move_descriptors(copy);
  if (::chdir(copy.c_str()) != 0) ::_exit(98);
  redirect(STDOUT_FILENO, beside(".branch.out"));
  redirect(STDERR_FILENO, beside(".branch.err"));
  fs::remove(beside(".branch.trace"));
  struct sigaction action {};
  action.sa_handler = trace_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGALRM}) ::sigaction(signal, &action, nullptr);
  ::alarm(kSecondsOfABranch);
  write_trace("failed");
}

}  // namespace

void prepare_branches() {
  folder = new std::string(fs::current_path().string());
  own = new std::vector<pthread_t>;
  void* frame = nullptr;
  ::backtrace(&frame, 1);  // loads what it needs
}

bool branch(long call, int line) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(line);
    become_branch();
    return true;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  tell(line, {call, status});
  return false;
}

void end_branch(int code) {
  std::fflush(nullptr);
  ::_exit(code);
}

void tell(int line, const FaultReport& report) {
  if (line < 0) return;
  char answer = 0;
  if (::write(line, &report, sizeof report) != sizeof report || ::read(line, &answer, 1) != 1) ::_exit(99);
}

void write_trace(const char* title) {
  void* frames[64];
  const int count = ::backtrace(frames, 64);
  const int file = ::open(beside(".branch.trace").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  ::dprintf(file, "%s\n", title);
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    ::dladdr(frames[i], &info);
    ::dprintf(file, "  %s %s+%#lx\n", info.dli_fname == nullptr ? "?" : info.dli_fname,
              info.dli_sname == nullptr ? "?" : info.dli_sname,
              static_cast<unsigned long>(static_cast<char*>(frames[i]) - static_cast<char*>(info.dli_fbase)));
  }
  ::close(file);
}

void remember_thread(pthread_t thread) {
  if (in_branch) own->push_back(thread);
}

bool is_here(pthread_t thread) {
  if (!in_branch) return true;
  for (const pthread_t one : *own)
    if (pthread_equal(one, thread) != 0) return true;
  return false;
}

}  // namespace carryover::test
