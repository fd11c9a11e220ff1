// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDateTime>
#include <QString>
#include <cstdint>

namespace carryover {

/// The entry of a session that a window left behind, in a list of sessions. A plain value.
struct SessionSummary {
  QString folder;
  QString name;      ///< the session file, or model and text
  QString contents;  ///< contents, for people
  QDateTime changed;
  std::int64_t bytes = 0;  ///< on disk
  bool crashed = false;    ///< true if its window did not end by itself
};

/// Reads the folder's session.json; one that can't be read is summed up by its size and time.
SessionSummary summary_of(const QString& folder);

}  // namespace carryover
