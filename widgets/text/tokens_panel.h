// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <vector>

#include "widgets/lab/panel.h"
#include "widgets/tables/column_table.h"
#include "widgets/tables/row_filter.h"

class QComboBox;
class QLabel;
class QTableView;

namespace carryover {

/// A token that the run predicted. A plain value.
struct TokenLoss {
  std::int64_t position = -1;
  double loss = 0;    ///< nats
  double change = 0;  ///< loss minus that in the pinned run, nats; NaN: not comparable
};

/// A row a token. Texts come from the run when they are shown. GUI thread.
class TokensTable : public ColumnTable<TokenLoss> {
  Q_OBJECT
 public:
  enum Column { Loss, Probability, Change, Segment, Position, Token, Text, ColumnCount };
  explicit TokensTable(const RunModel& run, QObject* parent = nullptr);
};

/// The tokens that the run predicts worst, or with the largest change of loss against the pinned run, in the segments
/// that views are filtered to. GUI thread.
class TokensPanel : public Panel {
  Q_OBJECT
 public:
  explicit TokensPanel(LabContext& context, QWidget* parent = nullptr);
  /// Writes the table. Throws EngineError{Io}.
  void export_csv(const QString& path) const;

 protected:
  void refresh() override;

 private:
  enum Order { HighestLoss, LargestRise, LargestFall };

  void make_table();
  void restart();                            ///< collects again, for another run, range or order
  void collect();                            ///< adds the tokens of the segments that are new here
  void keep_first();                         ///< drops all but the tokens that are listed
  double key(const TokenLoss& token) const;  ///< the largest one comes first; NaN: the token is not listed
  void show_count();
  void show_selected();
  void go_to(const QModelIndex& index);

  LabContext& lab_;
  TokensTable table_;
  RowFilter sorted_;
  QTableView* view_;
  QComboBox* order_;
  QLabel* count_;
  std::vector<TokenLoss> first_;  ///< the tokens with the largest keys
  int segments_ = 0;              ///< number of segments that these are from
  std::int64_t tokens_ = 0;       ///< number of tokens there that have a key
};

}  // namespace carryover
