// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/run_files.h"

#include <QDirIterator>
#include <QFileInfo>

#include "engine/runs/records/run_journal.h"

namespace carryover {
namespace {

/// A place may come from any session file: a folder that holds nothing of ours is not walked through.
bool is_result_folder(const QString& folder) {
  for (const char* name : {"/config.json", "/metrics.jsonl", "/experiment.json", "/evaluation.json", "/prompts.json"})
    if (QFileInfo(folder + QLatin1String(name)).isFile()) return true;
  return false;
}

qint64 bytes_of(const QString& folder) {
  if (!is_result_folder(folder)) return 0;
  qint64 bytes = 0;
  QDirIterator files(folder, QDir::Files | QDir::Hidden | QDir::NoSymLinks, QDirIterator::Subdirectories);
  for (int i = 0; i < RunFiles::most_files && files.hasNext(); ++i) {
    files.next();
    bytes += files.fileInfo().size();
  }
  return bytes;
}

}  // namespace

void RunFiles::measure(const QString& place) {
  const QFileInfo info(place);
  Q_EMIT measured(place, info.isDir() ? bytes_of(place) : info.size(), info.exists());
}

void RunFiles::read_losses(const QString& place) {
  std::shared_ptr<const LossCurve> losses;
  const auto problem = attempt([&] { losses = loss_curve(*read_kept_run(place.toStdString()).contents.outline); });
  if (problem && QFileInfo::exists(place)) Q_EMIT failed(*problem);  // that it is gone is said by its entry
  // An empty curve is an answer too: it is not asked for again.
  Q_EMIT losses_read(place, losses ? losses : std::make_shared<const LossCurve>());
}

}  // namespace carryover
