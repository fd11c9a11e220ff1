// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "engine/base/error.h"
#include "engine/remote/command_words.h"
#include "engine/remote/pipe_io.h"

extern char** environ;

namespace carryover {
namespace {

constexpr int kGraceMs = 5000;  ///< for an end of its own, once its input is closed
constexpr int kTermMs = 1000;

[[noreturn]] void refuse_start(const std::string& program, int code) {
  const bool is_full = code == EAGAIN || code == ENOMEM || code == EMFILE || code == ENFILE;
  throw EngineError(Fault::Io, "remote engine", "'" + program + "' can't be started: " + std::strerror(code),
                    is_full ? "Close some programs and try again." : "Try it in a terminal.");
}

std::string program_of(const std::vector<std::string>& words) {
  CARRYOVER_CHECK(!words.empty());
  std::string program = find_program(words[0]);
  if (!program.empty()) return program;
  const bool relative = words[0].find('/') != std::string::npos && words[0].front() != '/';
  throw EngineError(Fault::Io, "remote engine",
                    "'" + words[0] + "' can't be started: " +
                        (relative ? "its path depends on the current folder" : "there is no such program"),
                    "Give its whole path, or the name of a program that is on PATH.");
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<char*> environment_without(const std::vector<std::string>& unset) {
  std::vector<char*> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const std::string_view name = variable.substr(0, variable.find('='));
    if (std::find(unset.begin(), unset.end(), name) == unset.end()) kept.push_back(*entry);
  }
  kept.push_back(nullptr);
  return kept;
}

struct Pipe {
  int read_end = -1, write_end = -1;
  ~Pipe() {
    if (read_end >= 0) ::close(read_end);
    if (write_end >= 0) ::close(write_end);
  }
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
};

/// posix_spawn and not fork: the window's memory is large, and its other threads hold locks.
int spawn(pid_t& id, std::vector<std::string> words, const std::vector<std::string>& unset, const Pipe& in,
          const Pipe& out, const Pipe& err) {
  const std::string program = program_of(words);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&files, in.read_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out.write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, err.write_end, STDERR_FILENO);
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGXFSZ}) sigaddset(&usual, signal);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const std::vector<char*> arguments = pointers_to(words), environment = environment_without(unset);
  const int code = ::posix_spawn(&id, program.c_str(), &files, &attributes, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return code;
}

std::string describe_end(int status) {
  if (WIFEXITED(status)) return "exit code " + std::to_string(WEXITSTATUS(status));
  return "signal " + std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")";
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words, const std::vector<std::string>& unset) {
  Pipe in, out, err;
  if (!in.open() || !out.open() || !err.open()) refuse_start(words.front(), errno);
  const int code = spawn(id_, words, unset, in, out, err);
  if (code != 0) refuse_start(words.front(), code);
  input_ = std::exchange(in.write_end, -1);
  output_ = std::exchange(out.read_end, -1);
  errors_ = std::exchange(err.read_end, -1);
  for (const int descriptor : {input_, output_, errors_}) set_non_blocking(descriptor);
}

ChildProcess::~ChildProcess() {
  ::close(input_);
  ::close(output_);
  ::close(errors_);
  if (!wait(kGraceMs)) ::kill(-id_, SIGTERM);
  if (!wait(kTermMs)) ::kill(-id_, SIGKILL);
  while (!wait(1000)) continue;
}

void ChildProcess::kill() {
  if (!end_) ::kill(-id_, SIGKILL);
}

std::optional<std::string> ChildProcess::wait(int milliseconds) {
  for (int waited = 0; !end_; waited += kPipeTickMs) {
    int status = 0;
    const pid_t ended = ::waitpid(id_, &status, WNOHANG);
    if (ended == id_) end_ = describe_end(status);
    if (ended < 0 && errno != EINTR) end_ = "an end that the system did not report";
    if (end_ || waited >= milliseconds) break;
    ::poll(nullptr, 0, kPipeTickMs);
  }
  return end_;
}

}  // namespace carryover
