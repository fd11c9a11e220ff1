// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/session_summary.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStringList>
#include <algorithm>

#include "app/saved_window/session_folder.h"
#include "app/saved_window/session_state.h"
#include "engine/base/error.h"

namespace carryover {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("carryover", text);
}

QString name_of(const SessionState& state) {
  if (!state.file.isEmpty()) return QFileInfo(state.file).fileName();
  QStringList parts{QFileInfo(state.model.isEmpty() ? state.run_folder : state.model).fileName(),
                    state.text_name.isEmpty() ? QFileInfo(state.text).fileName() : state.text_name};
  parts.removeAll(QString());
  return parts.isEmpty() ? tr("no model") : parts.join(QStringLiteral(" · "));
}

QString contents_of(const SessionState& state) {
  QStringList parts;
  const auto count = [&](ListedKind kind, const QString& text) {
    const auto listed = std::ranges::count(state.runs, kind, &ListedRun::kind);
    if (listed > 0) parts += text.arg(listed);
  };
  const auto add = [&](bool is_there, const QString& text) {
    if (is_there) parts += text;
  };
  count(ListedKind::Run, tr("runs: %1"));
  add(!state.what_ifs.isEmpty(), tr("what-ifs"));
  add(!state.questions.isEmpty(), tr("questions"));
  add(!state.notes.isEmpty(), tr("notes"));
  add(!state.bookmarks.empty(), tr("bookmarks"));
  add(!state.text_name.isEmpty(), tr("pasted text"));
  count(ListedKind::Training, tr("trainings: %1"));
  count(ListedKind::Experiment, tr("experiments: %1"));
  count(ListedKind::Evaluation, tr("evaluations: %1"));
  count(ListedKind::PromptSet, tr("prompt sets: %1"));
  add(state.finetune.is_object(), tr("a fine-tune form"));
  add(state.unsaved, tr("changes that its file lacks"));
  return parts.isEmpty() ? tr("settings") : parts.join(QStringLiteral(", "));
}

}  // namespace

SessionSummary summary_of(const QString& folder) {
  const QString file = SessionFolder::session_file_in(folder);
  SessionSummary summary;
  summary.folder = folder;
  summary.changed = QFileInfo(file).lastModified();
  summary.bytes = SessionFolder::bytes_in(folder);
  try {
    const SessionState state = read_session(file);
    summary.name = name_of(state);
    summary.contents = contents_of(state);
    summary.crashed = !state.closed;
  } catch (const EngineError& error) {
    summary.name = tr("unreadable");
    summary.contents = QString::fromUtf8(error.what());
  }
  return summary;
}

}  // namespace carryover
