// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tables/evaluation_samples_table.h"

#include <algorithm>
#include <cmath>

#include "widgets/look/qstring.h"
#include "widgets/look/theme.h"
#include "widgets/state/evaluation_model.h"
#include "widgets/state/quantity_text.h"
#include "widgets/tables/number_sort.h"

namespace carryover {
namespace {

constexpr qsizetype most_answer_characters = 300;

double sample_score(const ScoreCell& cell, const SampleEntry& entry) {
  // A sample of perplexity has the loss of all its tokens; its score is the mean.
  const auto found = entry.scores.find(cell.metric), nll = entry.scores.find("nll"),
             tokens = entry.scores.find("tokens");
  if (found != entry.scores.end()) return found->second;
  if (nll == entry.scores.end() || tokens == entry.scores.end() || tokens->second <= 0) return std::nan("");
  return nll->second / tokens->second;
}

/// Returns the model's text or, for choices, the number of the likeliest one.
QString answer_text(const SampleEntry& entry) {
  if (entry.loglikelihoods.empty()) return shown_text(entry.text, most_answer_characters);
  const auto best = std::ranges::max_element(entry.loglikelihoods);
  return EvaluationSamplesTable::tr("choice %1").arg(best - entry.loglikelihoods.begin());
}

}  // namespace

void EvaluationSamplesTable::set_cell(std::shared_ptr<const ScoreCell> cell,
                                      const std::vector<std::string>& references) {
  const auto same = [](const ScoreCell& a, const ScoreCell& b) {
    return a.policy == b.policy && a.task == b.task && a.length == b.length && a.entries.size() <= b.entries.size() &&
           !a.entries.empty() && a.entries.front().id == b.entries.front().id;
  };
  if (cell == cell_ && references == references_) return;
  references_ = references;
  if (!cell_ || !cell || !same(*cell_, *cell)) {
    beginResetModel();
    cell_ = std::move(cell);
    return endResetModel();
  }
  const int before = rowCount(), now = static_cast<int>(cell->entries.size());
  if (now > before) beginInsertRows({}, before, now - 1);
  cell_ = std::move(cell);
  if (now > before) endInsertRows();
  if (before > 0) Q_EMIT dataChanged(index(0, 0), index(before - 1, ColumnCount - 1));
}

bool EvaluationSamplesTable::is_wrong(int row) const {
  return carryover::is_wrong(*cell_, cell_->entries[static_cast<std::size_t>(row)]);
}

int EvaluationSamplesTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !cell_ ? 0 : static_cast<int>(cell_->entries.size());
}

int EvaluationSamplesTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QString EvaluationSamplesTable::text(const SampleEntry& entry, int row, int column) const {
  switch (column) {
    case Id:
      return shown_text(entry.id, 100);
    case Slice:
      return shown_text(entry.slice, 100);
    case Score: {
      const double score = sample_score(*cell_, entry);
      return std::isnan(score) ? QString() : score_text(score);
    }
    case Tokens:
      return entry.tokens > 0 ? count_text(entry.tokens) : QString();
    case Answer:
      return answer_text(entry);
    case Reference:
      return static_cast<std::size_t>(row) < references_.size()
                 ? shown_text(references_[static_cast<std::size_t>(row)], most_answer_characters)
                 : QString();
    default:
      return shown_text(entry.error);
  }
}

QVariant EvaluationSamplesTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const SampleEntry& entry = cell_->entries[static_cast<std::size_t>(index.row())];
  const bool is_number = index.column() == Score || index.column() == Tokens;
  switch (role) {
    case Qt::DisplayRole:
      return text(entry, index.row(), index.column());
    case number_role:
      if (!is_number) return {};
      return index.column() == Score ? sample_score(*cell_, entry) : static_cast<double>(entry.tokens);
    case Qt::TextAlignmentRole:
      return QVariant((is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
      return entry.error.empty() || is_number ? QVariant() : QVariant(current_theme().anchor);
    case Qt::ToolTipRole:
      return text(entry, index.row(), index.column());
    default:
      return {};
  }
}

QVariant EvaluationSamplesTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  if (role == Qt::ToolTipRole && section == Score)
    return tr("The sample's score; the table above shows the mean. Perplexity tasks: nats per token");
  if (role != Qt::DisplayRole) return {};
  const QString titles[] = {tr("Sample"), tr("Slice"),     tr("Score"),  tr("Tokens"),
                            tr("Answer"), tr("Reference"), tr("Problem")};
  return titles[section];
}

void EvaluationSamplesFilter::set_wrong_only(bool wrong_only) {
  wrong_only_ = wrong_only;
  invalidateFilter();
}

bool EvaluationSamplesFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const auto* samples = static_cast<const EvaluationSamplesTable*>(sourceModel());
  return (!wrong_only_ || samples->is_wrong(row)) && RowFilter::filterAcceptsRow(row, parent);
}

}  // namespace carryover
