// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QProcess>

namespace carryover {

/// The default model and book, where both have been fetched; else both are empty. A plain value.
struct FetchedAssets {
  QString model, text;
};
/// Returns the files that scripts/fetch_assets.sh keeps in the cache, whoever called it. Any thread.
FetchedAssets fetched_assets();

/// Gets the default model and book by the script that CARRYOVER_ASSETS_SCRIPT names, while the window shows the demo.
/// The script prints "progress <percent> <what>" and at the end "model PATH" and "text PATH". GUI thread; never waits.
class AssetFetcher : public QObject {
  Q_OBJECT
 public:
  explicit AssetFetcher(QObject* parent = nullptr);
  ~AssetFetcher() override;

  static QString script();  ///< empty where there is none
  void start();

 Q_SIGNALS:
  void progress(double fraction, const QString& what);
  void ready(const QString& model, const QString& text);
  void failed(const QString& why);

 private:
  void read_lines();
  void end(int exit_code, QProcess::ExitStatus status);

  QProcess process_;
  QString model_, text_;
};

}  // namespace carryover
