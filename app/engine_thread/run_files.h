// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QString>
#include <memory>

#include "app/engine_thread/error_report.h"
#include "widgets/lab/listed_run.h"

namespace carryover {

/// Looks at where runs are kept: lives on a thread of its own, since a folder may lie on a slow disk and a journal may
/// be long. Called by queued calls; answers by signals with plain values.
class RunFiles : public QObject {
  Q_OBJECT
 public:
  static constexpr int most_files = 100'000;  ///< of a folder that are counted

  void measure(const QString& place);      ///< computes its size on disk
  void read_losses(const QString& place);  ///< of a run

 Q_SIGNALS:
  void measured(const QString& place, qint64 bytes, bool is_there);
  void losses_read(const QString& place, const std::shared_ptr<const carryover::LossCurve>& losses);
  void failed(const carryover::ErrorReport& report);
};

}  // namespace carryover
