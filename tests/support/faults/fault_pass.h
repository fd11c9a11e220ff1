// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cxxabi.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QProcessEnvironment>
#include <cstdlib>
#include <functional>
#include <memory>

#include "tests/support/cli_process.h"
#include "tests/support/faults/plan.h"
#include "tests/support/temp_dir.h"

namespace carryover::test {

/// The end of a carryover-cli in which one call failed.
struct FaultOutcome {
  long call = 0;       ///< which one of its class, from 1
  int status = 0;      ///< as waitpid gives it
  std::string folder;  ///< what it worked in, as it left it
  std::string out, err;
  std::string trace;  ///< the stack of the failed call and, where a signal ended the process, that of the signal
};

struct FaultPlan {
  std::string kind;  ///< read, write, fsync or malloc
  long first = 1, stride = 1;
};

/// The end of the undisturbed program.
struct PassEnd {
  int code = -1;
  long calls = 0;  ///< of the plan's class
};

inline std::string contents_or_nothing(const std::string& path) {
  return std::filesystem::exists(path) ? read_bytes(path) : std::string();
}

/// Runs carryover-cli in `work` under the plan, and calls visit(outcome) for each call that fails, one after another.
/// With stride 0, visit is not called: the call fails in the program itself.
inline PassEnd run_with_faults(const QStringList& arguments, const std::string& work, const FaultPlan& plan,
                               const std::function<void(const FaultOutcome&)>& visit) {
  int line[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) != 0) throw std::runtime_error("no socket");
  QProcess process;
  prepare_cli(process, arguments);
  process.setWorkingDirectory(text(work));
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("LD_PRELOAD", QStringLiteral(CARRYOVER_BINARY_DIR "/lib/libcarryover_faults.so"));
  environment.insert(kPlanVariable,
                     QStringLiteral("%1:%2:%3:%4").arg(text(plan.kind)).arg(plan.first).arg(plan.stride).arg(line[1]));
  environment.insert("CARRYOVER_CACHE", "cache");  // below the working folder, of which each branch has a copy
  environment.insert("GOMP_SPINCOUNT", "5000");    // else the program starts itself again
  process.setProcessEnvironment(environment);
  process.setStandardOutputFile(text(work + ".out"));
  process.setStandardErrorFile(text(work + ".err"));
  process.setChildProcessModifier([&line] { ::fcntl(line[1], F_SETFD, 0); });
  process.start();
  ::close(line[1]);
  PassEnd end;
  for (FaultReport report; ::recv(line[0], &report, sizeof report, MSG_WAITALL) == sizeof report;) {
    if (report.status == kProgramEnded)
      end.calls = report.call;
    else
      visit({report.call, report.status, work + ".branch", contents_or_nothing(work + ".branch.out"),
             contents_or_nothing(work + ".branch.err"), contents_or_nothing(work + ".branch.trace")});
    if (::send(line[0], "", 1, MSG_NOSIGNAL) != 1) break;
  }
  ::close(line[0]);
  process.waitForFinished(-1);
  end.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
  return end;
}

inline std::string demangled(const std::string& name) {
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr),
                                                    &std::free);
  return text ? text.get() : name;
}

/// The frames of a trace with their names, and the functions that were inlined at them where a binary of this build
/// says which.
inline std::string named_trace(const std::string& trace) {
  std::string named;
  for (const QString& frame : text(trace).split('\n')) {
    const QString binary = frame.trimmed().section(' ', 0, 0);
    const std::string symbol = frame.trimmed().section(' ', 1).section('+', 0, 0).toStdString();
    named += frame.startsWith(' ') ? "  " + binary.toStdString() + " " + demangled(symbol) + "\n"
                                   : frame.toStdString() + "\n";
    if (!binary.startsWith(QStringLiteral(CARRYOVER_BINARY_DIR))) continue;
    const qulonglong address = frame.section("+0x", -1).toULongLong(nullptr, 16);
    QProcess names;
    names.start("addr2line", {"-Cfie", binary, "0x" + QString::number(address - 1, 16)});
    names.waitForFinished();
    named += names.readAllStandardOutput().toStdString();
  }
  return named;
}

}  // namespace carryover::test
