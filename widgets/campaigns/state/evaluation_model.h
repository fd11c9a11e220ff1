// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <vector>

#include "engine/campaigns/evaluations/evaluation_watch.h"
#include "engine/runs/values/hits.h"
#include "widgets/campaigns/state/folder_model.h"

namespace carryover {

/// The quantity of each cell that a table of an evaluation shows.
enum class EvaluationValue { Score, VisibleKv, ResidentKv, Prefill, Decode, Progress };
inline constexpr int evaluation_value_count = 6;

/// A sample that was opened as a run. A plain value.
struct OpenedSample {
  QString run;     ///< its id
  QString title;   ///< task, length, policy, sample
  QString remark;  ///< how it differs from what was evaluated; empty: not
  TokenRange answer;
  std::vector<TokenRange> needles;
};

/// One evaluation as its folder says, and the work that goes on in the folder. The EvaluationController fills it; views
/// read it. GUI thread.
class EvaluationModel : public NewsModel<EvaluationNews> {
  Q_OBJECT
 public:
  using NewsModel::NewsModel;

  int rows() const { return static_cast<int>(news().rows()); }
  int columns() const { return static_cast<int>(news().columns()); }
  const ScoreCell& cell(int row, int column) const { return *shared_cell(row, column); }
  std::shared_ptr<const ScoreCell> shared_cell(int row, int column) const;
  bool complete() const;  ///< every cell is done

  /// Returns bytes in MB, times in seconds, progress as a share; NaN if the cell has no such number.
  double number(int row, int column, EvaluationValue value) const;
  QString text(int row, int column, EvaluationValue value) const;  ///< for people; a score with its interval
  QString progress_text(int row, int column) const;                ///< "37 of 200, 2 failed"
  static QString title(EvaluationValue value);
  static QString axis_label(EvaluationValue value);  ///< with its unit

  /// Returns the references of a row's samples in the samples' order; empty until they were made again.
  const std::vector<std::string>& references(int row) const;
  const OpenedSample& sample() const { return sample_; }  ///< the last one that was opened

  void set_references(const std::string& task, std::int64_t length, std::vector<std::string> references);
  void set_sample(const OpenedSample& sample);

 protected:
  void forget() override;

 private:
  using Row = std::pair<std::string, std::int64_t>;

  std::map<Row, std::vector<std::string>> references_;
  OpenedSample sample_;
};

/// Returns a score as tables show it: shares with three decimals, greater scores with fewer.
QString score_text(double score);

}  // namespace carryover
