// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "engine/heads/choice/head_scores.h"
#include "widgets/tables/column_table.h"

namespace carryover {

/// A grouping and what it holds of the scores. Layers and heads count those that retrieve.
struct Proposal {
  QString name;
  Grouping grouping;
  int layers = 0, heads = 0;
  double share = 0;   ///< of all heads' scores
  double shared = 0;  ///< of the proposed grouping's heads, those that are in this one too; NaN where it has none
};

/// `proposed`, the current grouping, and the model's presets.
std::vector<Proposal> list_proposals(const HeadScores& scores, const ModelConfig& model, const Grouping& current,
                                     const Grouping& proposed);

/// A row a grouping. Views keep their selection where the names are the same again. GUI thread.
class ProposalsTable : public ColumnTable<Proposal> {
  Q_OBJECT
 public:
  enum Column { Name, Layers, Heads, Share, Shared, ColumnCount };
  enum Row { Proposed, Current, FirstPreset };  ///< where there are rows
  explicit ProposalsTable(QObject* parent = nullptr);

 protected:
  bool is_same(const Proposal& a, const Proposal& b) const override { return a.name == b.name; }
};

}  // namespace carryover
