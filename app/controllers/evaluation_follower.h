// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>

#include "app/engine_thread/error_report.h"
#include "engine/evaluations/evaluation_watch.h"

namespace carryover {

/// Watches the folder of one evaluation: lives on a thread of its own, since the folder may lie on a slow disk and have
/// many samples. Called by queued calls; answers by signals with plain values.
class EvaluationFollower : public QObject {
  Q_OBJECT
 public:
  explicit EvaluationFollower(QObject* parent = nullptr);
  void follow(const QString& folder);  ///< in place of the one before

 Q_SIGNALS:
  void news(const QString& folder, const std::shared_ptr<const carryover::EvaluationNews>& news);
  void failed(const QString& folder, const carryover::ErrorReport& report);  ///< once, until another thing is wrong

 private:
  void look();

  QTimer timer_;
  QString folder_, problem_;
  std::optional<EvaluationWatch> watch_;
};

}  // namespace carryover
