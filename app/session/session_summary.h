// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDateTime>
#include <QString>
#include <cstdint>

namespace carryover {

/// What a list of sessions says of one that a window left behind. A plain value.
struct SessionSummary {
  QString folder;
  QString name;      ///< the session file, or model and text
  QString contents;  ///< what is in it, for people
  QDateTime changed;
  std::int64_t bytes = 0;  ///< on disk
  bool crashed = false;    ///< its window did not end by itself
};

/// Reads the folder's session.json; one that can't be read is summed up by its size and time.
SessionSummary summary_of(const QString& folder);

}  // namespace carryover
