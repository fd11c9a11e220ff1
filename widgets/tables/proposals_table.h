// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>
#include <vector>

#include "engine/core/analysis/head_scores.h"

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

/// A row a grouping. GUI thread.
class ProposalsTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Layers, Heads, Share, Shared, ColumnCount };
  enum Row { Proposed, Current, FirstPreset };  ///< where there are rows

  using QAbstractTableModel::QAbstractTableModel;
  void set_rows(std::vector<Proposal> rows);  ///< in place where the names are the same: selections stay
  const Proposal& row(int index) const { return rows_.at(static_cast<std::size_t>(index)); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<Proposal> rows_;
};

}  // namespace carryover
