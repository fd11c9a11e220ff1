// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_report.h"

#include <QDir>
#include <QPixmap>
#include <QTimer>

#include "app/script_selection.h"
#include "widgets/finetune_dialog.h"
#include "widgets/panel.h"

namespace carryover {
namespace {

constexpr int settle_ms = 250;  ///< a refresh and a replot are queued; a picture waits for both

}  // namespace

RunReport::RunReport(MainWindow& window, const QString& directory, QObject* parent)
    : QObject(parent), window_(window), directory_(directory), pictures_(window.panel_ids()) {
  pictures_.push_back(QStringLiteral("finetune"));
  pictures_.push_back(QStringLiteral("window"));
}

void RunReport::start() {
  if (!QDir().mkpath(directory_)) {
    Q_EMIT failed(directory_);
    return;
  }
  select_something(window_.context());
  raise_next();
}

QWidget* RunReport::raise(const QString& picture) {
  if (picture == QStringLiteral("finetune")) return window_.open_finetune();
  if (picture != QStringLiteral("window")) {
    window_.raise_panel(picture);
    return window_.panel(picture);
  }
  window_.open_finetune()->close();
  for (const char* front : {"grid", "text", "hits", "loss"}) window_.raise_panel(QString::fromLatin1(front));
  return &window_;  // with the front panels that it opens with
}

void RunReport::raise_next() {
  if (next_ == pictures_.size()) return Q_EMIT done(files_);
  QWidget* widget = raise(pictures_[next_]);
  QTimer::singleShot(settle_ms, this, [this, widget] {
    if (!save(*widget, pictures_[next_])) return;
    ++next_;
    raise_next();
  });
}

bool RunReport::save(QWidget& widget, const QString& name) {
  const QString path = QDir(directory_).filePath(name + QStringLiteral(".png"));
  if (!widget.grab().save(path)) {
    Q_EMIT failed(path);
    return false;
  }
  ++files_;
  return true;
}

}  // namespace carryover
