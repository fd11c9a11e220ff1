// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/state/evaluation_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

/// Returns the score with its interval, or with the number of samples if these are too few for one.
QString interval_text(const ScoreInterval& score, std::int64_t samples) {
  const QString text = score_text(score.score);
  if (!score.interval && samples < kFewestForInterval)
    return QStringLiteral("%1 (n = %2)").arg(text, count_text(samples));
  if (!score.interval) return text;
  return QStringLiteral("%1 [%2, %3]").arg(text, score_text(score.interval->low), score_text(score.interval->high));
}

}  // namespace

QString score_text(double score) {
  if (!std::isfinite(score)) return QStringLiteral("–");
  return decimal_text(score, std::abs(score) < 10 ? 3 : std::abs(score) < 1000 ? 2 : 0);
}

std::shared_ptr<const ScoreCell> EvaluationModel::shared_cell(int row, int column) const {
  CARRYOVER_CHECK(row >= 0 && row < rows() && column >= 0 && column < columns());
  return news().cells[static_cast<std::size_t>(row) * news().columns() + static_cast<std::size_t>(column)];
}

bool EvaluationModel::complete() const {
  return has_news() && std::ranges::all_of(news().cells, [](const auto& cell) { return cell->done; });
}

double EvaluationModel::number(int row, int column, EvaluationValue value) const {
  const ScoreCell& cell = this->cell(row, column);
  if (cell.entries.size() == cell.failures && value != EvaluationValue::Progress) return no_value;
  switch (value) {
    case EvaluationValue::Score:
      return cell.score() == nullptr ? no_value : cell.score()->score;
    case EvaluationValue::VisibleKv:
      return megabytes(cell.visible_bytes);
    case EvaluationValue::ResidentKv:
      return megabytes(cell.resident_bytes);
    case EvaluationValue::Prefill:
      return cell.prefill_seconds;
    case EvaluationValue::Decode:
      return cell.decode_seconds;
    case EvaluationValue::Progress:
      break;
  }
  if (cell.done) return 1;
  const auto all = news().samples_of_row(static_cast<std::size_t>(row));
  return all && *all > 0 ? static_cast<double>(cell.entries.size()) / static_cast<double>(*all) : no_value;
}

QString EvaluationModel::progress_text(int row, int column) const {
  const ScoreCell& cell = this->cell(row, column);
  const auto all = news().samples_of_row(static_cast<std::size_t>(row));
  const QString done = count_text(std::ssize(cell.entries));
  QString text = cell.done ? done : all ? tr("%1 of %2").arg(done, count_text(static_cast<std::int64_t>(*all))) : done;
  if (cell.failures > 0) text += tr(", %1 failed").arg(count_text(static_cast<std::int64_t>(cell.failures)));
  return text;
}

QString EvaluationModel::text(int row, int column, EvaluationValue value) const {
  if (value == EvaluationValue::Progress) return progress_text(row, column);
  const ScoreCell& cell = this->cell(row, column);
  const double number = this->number(row, column, value);
  QString text;
  if (value == EvaluationValue::Score) {
    if (cell.score() != nullptr)
      text = interval_text(*cell.score(), std::ssize(cell.entries) - static_cast<std::int64_t>(cell.failures));
  } else if (!std::isnan(number)) {
    text = decimal_text(number, value == EvaluationValue::Prefill || value == EvaluationValue::Decode ? 3 : 2);
  }
  const bool begun = !cell.entries.empty();
  if (!begun || (cell.done && cell.failures == 0)) return text;
  return text.isEmpty() ? progress_text(row, column) : text + QStringLiteral(" · ") + progress_text(row, column);
}

QString EvaluationModel::title(EvaluationValue value) {
  switch (value) {
    case EvaluationValue::Score:
      return tr("Score");
    case EvaluationValue::VisibleKv:
      return tr("Attention-visible KV");
    case EvaluationValue::ResidentKv:
      return tr("Resident KV");
    case EvaluationValue::Prefill:
      return tr("Prefill");
    case EvaluationValue::Decode:
      return tr("Decoding");
    case EvaluationValue::Progress:
      return tr("Samples");
  }
  return {};
}

QString EvaluationModel::axis_label(EvaluationValue value) {
  switch (value) {
    case EvaluationValue::VisibleKv:
      return tr("Attention-visible KV (MB)");
    case EvaluationValue::ResidentKv:
      return tr("Resident KV (MB)");
    case EvaluationValue::Prefill:
      return tr("Prefill of a sample (s)");
    case EvaluationValue::Decode:
      return tr("Decoding of a sample (s)");
    case EvaluationValue::Progress:
      return tr("Samples done (share)");
    case EvaluationValue::Score:
      break;
  }
  return title(value);
}

const std::vector<std::string>& EvaluationModel::references(int row) const {
  static const std::vector<std::string> none;
  if (row < 0 || row >= rows()) return none;
  const ScoreCell& cell = this->cell(row, 0);
  const auto found = references_.find({cell.task, cell.length});
  return found == references_.end() ? none : found->second;
}

void EvaluationModel::forget() {
  NewsModel::forget();
  references_.clear();
  sample_ = {};
}

void EvaluationModel::set_references(const std::string& task, std::int64_t length,
                                     std::vector<std::string> references) {
  references_[{task, length}] = std::move(references);
  Q_EMIT cells_changed();
  Q_EMIT changed();
}

void EvaluationModel::set_sample(const OpenedSample& sample) {
  sample_ = sample;
  Q_EMIT changed();
}

}  // namespace carryover
