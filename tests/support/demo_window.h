// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSignalSpy>
#include <QTest>

#include "app/window/main_window.h"
#include "widgets/lab/panel.h"
#include "widgets/look/theme.h"

namespace carryover::test {

inline constexpr int patience_ms = 240'000;

inline QString demo_folder() {
  return QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/demo");
}

/// Opens the demo's model and text in fp32; runs its first `tokens` tokens to the end where `run` says so.
inline void open_demo(MainWindow& window, std::int64_t tokens) {
  RunOptions options;
  options.token_limit = tokens;
  options.dtype = DType::Float32;
  window.lab().context.set_run_options(options);
  window.lab().loader.open_model(demo_folder());
  window.lab().loader.open_text(demo_folder() + QStringLiteral("/text.txt"));
}

inline void run_to_the_end(MainWindow& window) {
  QSignalSpy ended(&window.lab().runs, &RunController::run_ended);
  window.lab().runs.run_when_ready();
  QVERIFY(ended.wait(patience_ms));
}

/// A copy of the demo's model, so that it counts as a model of the user's.
inline QString copy_demo(const QString& folder) {
  for (const char* name : {"config.json", "model.safetensors", "tokenizer.json", "text.txt"}) {
    const QString file = QString::fromLatin1(name);
    if (!QFile::copy(demo_folder() + u'/' + file, folder + u'/' + file)) qFatal("can't copy %s", name);
  }
  return folder;
}

}  // namespace carryover::test
