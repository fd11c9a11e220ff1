// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <sys/resource.h>

#include <QProcess>
#include <QString>
#include <QStringList>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace carryover::test {

/// The results of a finished carryover-cli.
struct CliResult {
  int code = -1;  ///< -1: crashed, or did not end
  QByteArray out, err;
};

inline QString demo_model() {
  return QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/demo");
}
inline QString demo_text() {
  return demo_model() + QStringLiteral("/text.txt");
}

/// Prepares `process` to run the built carryover-cli with `arguments`, but does not start it.
inline void prepare_cli(QProcess& process, const QStringList& arguments) {
  process.setProgram(QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover-cli"));
  process.setArguments(arguments);
}

inline CliResult finish_cli(QProcess& process) {
  if (!process.waitForFinished(120000)) return {-1, {}, process.errorString().toUtf8()};
  const bool normal = process.exitStatus() == QProcess::NormalExit;
  return {normal ? process.exitCode() : -1, process.readAllStandardOutput(), process.readAllStandardError()};
}

/// Runs it to its end. `file_size_limit`: no file may grow past that many bytes, as on a full disk.
inline CliResult run_cli(const QStringList& arguments, const QByteArray& input = {},
                         std::int64_t file_size_limit = -1) {
  QProcess process;
  prepare_cli(process, arguments);
  if (file_size_limit >= 0) {
    process.setChildProcessModifier([file_size_limit] {
      const rlimit limit{static_cast<rlim_t>(file_size_limit), static_cast<rlim_t>(file_size_limit)};
      setrlimit(RLIMIT_FSIZE, &limit);
    });
  }
  process.start();
  process.write(input);
  process.closeWriteChannel();
  return finish_cli(process);
}

inline QString text(const std::string& value) {
  return QString::fromStdString(value);
}

/// `run` on the demo model in fp32, so that results repeat.
inline QStringList run_demo(const QStringList& more) {
  return QStringList{"run", demo_model(), "--dtype", "fp32"} + more;
}

/// Returns what it printed, as JSON. If it failed, throws an exception with its complaint.
inline nlohmann::json json_of(const CliResult& result) {
  if (result.code != 0) throw std::runtime_error(result.err.toStdString());
  return nlohmann::json::parse(result.out.toStdString());
}

}  // namespace carryover::test
