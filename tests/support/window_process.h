// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDir>
#include <QFile>
#include <QProcess>
#include <optional>

#include "app/saved_window/session_state.h"
#include "engine/base/error.h"
#include "engine/runs/records/run_journal.h"
#include "tests/support/temp_dir.h"

namespace carryover::test {

/// `carryover` as a user starts it, with folders of its own.
struct Program {
  explicit Program(const TempDir& home, const QStringList& arguments) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    environment.insert("XDG_DATA_HOME", QString::fromStdString(home.file("data")));
    environment.insert("XDG_CONFIG_HOME", QString::fromStdString(home.file("config")));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(CARRYOVER_BINARY_DIR "/bin/carryover"), arguments);
  }
  ~Program() { kill(); }
  void kill() {
    process.kill();  // SIGKILL
    process.waitForFinished();
  }
  QProcess process;
};

inline QString sessions(const TempDir& home) {
  return QString::fromStdString(home.file("data/carryover/sessions"));
}

/// The state that a running window keeps; none yet where there is no whole file.
inline std::optional<SessionState> kept(const TempDir& home) {
  for (const QString& name : QDir(sessions(home)).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    const QString file = sessions(home) + u'/' + name + QStringLiteral("/session.json");
    if (QFile::exists(file)) return read_session(file);
  }
  return std::nullopt;
}

inline int journaled_segments(const TempDir& home) {
  const auto state = kept(home);
  if (!state || !QFile::exists(state->run)) return 0;
  try {
    return read_run_journal(state->run.toStdString()).contents.segments->count();
  } catch (const EngineError&) {
    return 0;  // its head is being written
  }
}

}  // namespace carryover::test
