// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QTimer>

#include "app/engine_thread/error_report.h"

namespace carryover {

/// Looks at one folder twice a second: lives on a thread of its own, since the folder may lie on a slow disk and have
/// many files. Called by queued calls; a derived class answers by signals with plain values.
class FolderFollower : public QObject {
  Q_OBJECT
 public:
  explicit FolderFollower(QObject* parent = nullptr);
  void follow(const QString& folder);  ///< in place of the one before

 Q_SIGNALS:
  void failed(const QString& folder, const carryover::ErrorReport& report);  ///< once, until another thing is wrong

 protected:
  const QString& folder() const { return folder_; }
  virtual void begin() = 0;  ///< at another folder
  virtual void look() = 0;   ///< and tell. Throws EngineError

 private:
  void look_now();

  QTimer timer_;
  QString folder_, problem_;
};

}  // namespace carryover
