// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <array>

#include "engine/runs/values/inspection.h"
#include "widgets/tables/column_table.h"

/// The tables of *Why this token?*. GUI thread.
namespace carryover {

class RunModel;

/// One of the likeliest tokens: its probability as it was, and without each part; NaN: no head reads such a part.
struct LikelyToken {
  QString text;
  bool is_target = false;
  double as_it_was = 0;
  double no_sinks = 0, no_retrieved = 0, no_carry = 0;
};
std::vector<LikelyToken> likely_tokens(const RunModel& run, const PredictionAblations& ablations);

class LikelyTable : public ColumnTable<LikelyToken> {
  Q_OBJECT
 public:
  enum Column { Token, AsItWas, NoSinks, NoRetrieved, NoCarry, ColumnCount };
  explicit LikelyTable(QObject* parent = nullptr);
};

/// One reading of the logit lens: after a layer, or of the embedding (layer −1).
struct LensRow {
  int layer = -1;
  QString residual, carry;  ///< likeliest tokens; empty: nothing was read from a carry yet
  double probability = 0;   ///< of the likeliest token by the residual stream
  std::int64_t rank = 0;    ///< of the target, 1: the likeliest
  double target = 0;        ///< its probability
  double carry_target = 0;  ///< its probability by what was read from the carry; NaN: nothing was
};
std::vector<LensRow> lens_rows(const RunModel& run, const LogitLens& lens);

class LensTable : public ColumnTable<LensRow> {
  Q_OBJECT
 public:
  enum Column { Layer, Residual, Probability, Rank, Target, CarryResidual, CarryTarget, ColumnCount };
  explicit LensTable(QObject* parent = nullptr);
};

/// A head, a neuron or a position of the text, and what it adds to the logit.
struct LogitShare {
  enum Kind { Head, Neuron, Position };
  Kind kind = Head;
  int layer = -1;
  std::int64_t number = 0;  ///< head, neuron, or absolute position
  QString text;             ///< what it read most of, its activation, or its token
  double logit = 0;
};
/// Returns the `count` heads and neurons that change the logit most.
std::vector<LogitShare> part_shares(const LogitAttribution& attribution, std::int64_t count);
/// Returns the `count` positions that change it most.
std::vector<LogitShare> source_shares(const RunModel& run, const TokenSources& sources, std::int64_t count);

class LogitShareTable : public ColumnTable<LogitShare> {
  Q_OBJECT
 public:
  enum Column { Place, Logit, Text, ColumnCount };
  /// `places` and `texts` name the columns of these names; `tip` says what the logit is.
  LogitShareTable(const QString& places, const QString& texts, const QString& tip, QObject* parent = nullptr);
};

}  // namespace carryover
