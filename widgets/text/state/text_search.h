// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QTimer>
#include <cstdint>
#include <string>

#include "widgets/runs/state/run_model.h"

namespace carryover {

/// Finds text in the run's tokens, a slice of work per event-loop turn, so that a book of a million tokens never holds
/// the window up. Letters A to Z match in either case. A new search replaces the one under way. GUI thread.
class TextSearch : public QObject {
  Q_OBJECT
 public:
  explicit TextSearch(RunModel& run, QObject* parent = nullptr);

  /// Looks from `start` on (exclusive) to the text's end, or backwards to its beginning, then once around.
  void find(const QString& text, std::int64_t start, bool forward);
  void cancel();

 Q_SIGNALS:
  void found(qint64 token);  ///< the token that holds the match's first byte
  void not_found();

 private:
  void work();
  std::int64_t match_in(std::int64_t begin, std::int64_t end) const;

  RunModel& run_;
  QTimer timer_;
  std::string needle_;
  bool forward_ = true;
  std::int64_t next_ = 0;       ///< first token of the next slice (forward), or its end (backward)
  std::int64_t remaining_ = 0;  ///< tokens that may still hold a match's beginning
};

}  // namespace carryover
