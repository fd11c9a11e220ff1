// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/state/experiment_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double most_seconds = 1e9;  ///< 30 years: what claims more is wrong

double plausible_seconds(double seconds) {
  return seconds > 0 && seconds < most_seconds ? seconds : none;
}

double megabytes_of(const std::optional<double>& bytes) {
  return bytes ? *bytes / 1e6 : none;
}

}  // namespace

QString cell_status_text(CellStatus status) {
  switch (status) {
    case CellStatus::Pending:
      return ExperimentModel::tr("pending");
    case CellStatus::Running:
      return ExperimentModel::tr("running");
    case CellStatus::Done:
      return ExperimentModel::tr("done");
    default:
      return ExperimentModel::tr("failed");
  }
}

const CellState& ExperimentModel::cell(int row) const {
  CARRYOVER_CHECK(row >= 0 && row < count());
  return news().state.cells[static_cast<std::size_t>(row)];
}

int ExperimentModel::index_of(const QString& id) const {
  const auto found = std::ranges::find(state().cells, id.toStdString(), &CellState::id);
  return found == state().cells.end() ? -1 : static_cast<int>(found - state().cells.begin());
}

QString ExperimentModel::cell_folder(int row) const {
  return qstring(carryover::cell_folder(folder().toStdString(), cell(row).id));
}

const CellFigures* ExperimentModel::figures(int row) const {
  const auto found = news().figures.find(cell(row).id);
  return found == news().figures.end() ? nullptr : &found->second;
}

/// The file has what was left when the running cell began.
double ExperimentModel::expected_seconds_left() const {
  double left = state().expected_seconds_left();
  for (int row = 0; row < count(); ++row)
    if (cell(row).status == CellStatus::Running)
      if (const double done = number(row, CellColumn::Progress); done > 0) left -= done * cell(row).expected_seconds;
  return std::max(0.0, left);
}

double ExperimentModel::number(int row, CellColumn column) const {
  const CellState& cell = this->cell(row);
  switch (column) {
    case CellColumn::Seed:
      return cell.seed ? static_cast<double>(*cell.seed) : none;
    case CellColumn::Progress: {
      if (cell.status == CellStatus::Done) return 1;
      const auto found = news().progress.find(cell.id);
      if (cell.status != CellStatus::Running || found == news().progress.end()) return none;
      return static_cast<double>(found->second.done) / static_cast<double>(found->second.all);
    }
    case CellColumn::Loss:
      return cell.loss.value_or(none);
    case CellColumn::Perplexity:
      return cell.loss && !cell.training ? std::exp(*cell.loss) : none;
    case CellColumn::Seconds:
      return plausible_seconds(cell.seconds);
    case CellColumn::Expected:
      return plausible_seconds(cell.expected_seconds);
    default:
      break;
  }
  const CellFigures* figures = this->figures(row);
  if (figures == nullptr) return none;
  switch (column) {
    case CellColumn::Segment:
      return figures->segment.value_or(none);
    case CellColumn::Carry:
      return figures->carry.value_or(none);
    case CellColumn::Retrieved:
      return figures->retrieved.value_or(none);
    case CellColumn::Sinks:
      return figures->sinks.value_or(none);
    case CellColumn::Tokens:
      return figures->tokens.value_or(none);
    case CellColumn::AttentionKv:
      return megabytes_of(figures->attention_kv_bytes);
    case CellColumn::PeakMemory:
      return megabytes_of(figures->peak_memory_bytes);
    case CellColumn::SinksLost:
      return figures->sinks_lost.value_or(none);
    default:
      return none;
  }
}

QString ExperimentModel::text(int row, CellColumn column) const {
  const CellState& cell = this->cell(row);
  switch (column) {
    case CellColumn::Model:
      return qstring(cell.model);
    case CellColumn::Recipe:
      return qstring(cell.recipe);
    case CellColumn::Seed:
      return cell.seed ? QString::number(*cell.seed) : QString();
    case CellColumn::Evaluation:
      return cell.training ? tr("training") : qstring(cell.evaluation);
    case CellColumn::Text:
      return qstring(cell.text);
    case CellColumn::Status:
      return cell_status_text(cell.status);
    default:
      break;
  }
  const double value = number(row, column);
  if (std::isnan(value)) return {};
  switch (column) {
    case CellColumn::Progress:
      return percent_text(value, 0);
    case CellColumn::SinksLost:
      return percent_text(value, 1);
    case CellColumn::Loss:
      return decimal_text(value, 4);
    case CellColumn::Perplexity:
      return value < 1e6 ? decimal_text(value, 3) : significant_text(value, 4);
    case CellColumn::Seconds:
    case CellColumn::Expected:
      return duration_text(value);
    case CellColumn::AttentionKv:
    case CellColumn::PeakMemory:
      return decimal_text(value, 2);
    default:
      return decimal_text(value, 0);
  }
}

bool ExperimentModel::is_numeric(CellColumn column) {
  return column == CellColumn::Seed || column >= CellColumn::Progress;
}

QString ExperimentModel::title(CellColumn column) {
  switch (column) {
    case CellColumn::Model:
      return tr("Model");
    case CellColumn::Recipe:
      return tr("Recipe");
    case CellColumn::Seed:
      return tr("Seed");
    case CellColumn::Evaluation:
      return tr("Evaluation");
    case CellColumn::Text:
      return tr("Text");
    case CellColumn::Status:
      return tr("Status");
    case CellColumn::Progress:
      return tr("Progress");
    case CellColumn::Loss:
      return tr("Loss");
    case CellColumn::Perplexity:
      return tr("PPL");
    case CellColumn::Seconds:
      return tr("Time");
    case CellColumn::Expected:
      return tr("Expected");
    case CellColumn::Segment:
      return tr("Segment (S)");
    case CellColumn::Carry:
      return tr("Carry (M)");
    case CellColumn::Retrieved:
      return tr("Retrieved (R)");
    case CellColumn::Sinks:
      return tr("Sinks (n)");
    case CellColumn::Tokens:
      return tr("Tokens");
    case CellColumn::AttentionKv:
      return tr("Attention-visible KV");
    case CellColumn::PeakMemory:
      return tr("Peak memory");
    case CellColumn::SinksLost:
      return tr("Sinks lost");
  }
  return {};
}

QString ExperimentModel::axis_label(CellColumn column) {
  switch (column) {
    case CellColumn::Loss:
      return tr("Loss (nats)");
    case CellColumn::Perplexity:
      return tr("Perplexity");
    case CellColumn::Seconds:
      return tr("Time (s)");
    case CellColumn::Expected:
      return tr("Expected time (s)");
    case CellColumn::Segment:
      return tr("Segment length S (tokens)");
    case CellColumn::Carry:
      return tr("Carried tail M (tokens)");
    case CellColumn::Retrieved:
      return tr("Retrieved R (tokens)");
    case CellColumn::Sinks:
      return tr("Sinks n (tokens)");
    case CellColumn::AttentionKv:
      return tr("Attention-visible KV (MB)");
    case CellColumn::PeakMemory:
      return tr("Peak memory (MB)");
    case CellColumn::SinksLost:
      return tr("Segments that lost their sink (share)");
    default:
      return title(column);
  }
}

}  // namespace carryover
