// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/engine_thread/asset_fetcher.h"

#include <QFileInfo>

#include "engine/formats/cache_folder.h"

namespace carryover {
namespace {

QString in_cache(const char* kind, const QString& name) {
  const QFileInfo file(QString::fromStdString(cache_folder(kind)) + u'/' + name);
  return file.isFile() && file.size() > 0 ? file.filePath() : QString();
}

}  // namespace

FetchedAssets fetched_assets() {
  const FetchedAssets found{in_cache("models", QStringLiteral("SmolLM2-135M-Instruct.Q4_1.gguf")),
                            in_cache("texts", QStringLiteral("persuasion.txt"))};
  return found.model.isEmpty() || found.text.isEmpty() ? FetchedAssets() : found;
}

AssetFetcher::AssetFetcher(QObject* parent) : QObject(parent) {
  connect(&process_, &QProcess::readyReadStandardOutput, this, &AssetFetcher::read_lines);
  connect(&process_, &QProcess::finished, this, &AssetFetcher::end);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) Q_EMIT failed(tr("%1 can't be started").arg(process_.program()));
  });
}

// Ends the fetching process. Files that were fetched so far stay in the cache, and the next start continues from there.
AssetFetcher::~AssetFetcher() {
  process_.disconnect(this);
  if (process_.state() == QProcess::NotRunning) return;
  process_.terminate();
  if (!process_.waitForFinished(2000)) process_.kill();
  process_.waitForFinished(2000);
}

QString AssetFetcher::script() {
  const QString path = qEnvironmentVariable("CARRYOVER_ASSETS_SCRIPT");
  return QFileInfo(path).isExecutable() ? path : QString();
}

void AssetFetcher::start() {
  process_.start(script(), {QStringLiteral("--progress")});
}

void AssetFetcher::read_lines() {
  while (process_.canReadLine()) {
    const QString line = QString::fromUtf8(process_.readLine()).trimmed();
    const QString word = line.section(u' ', 0, 0);
    const QString rest = line.section(u' ', 1);
    if (word == QStringLiteral("progress"))
      Q_EMIT progress(rest.section(u' ', 0, 0).toDouble() / 100, rest.section(u' ', 1));
    if (word == QStringLiteral("model")) model_ = rest;
    if (word == QStringLiteral("text")) text_ = rest;
  }
}

void AssetFetcher::end(int exit_code, QProcess::ExitStatus status) {
  read_lines();
  if (status == QProcess::NormalExit && exit_code == 0 && !model_.isEmpty() && !text_.isEmpty()) {
    Q_EMIT ready(model_, text_);
    return;
  }
  const QString said = QString::fromUtf8(process_.readAllStandardError()).trimmed().section(u'\n', -1);
  Q_EMIT failed(said.isEmpty() ? tr("the script ended with code %1").arg(exit_code) : said);
}

}  // namespace carryover
