// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/evaluation_samples_table.h"

#include <algorithm>
#include <cmath>

#include "widgets/campaigns/state/evaluation_model.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"

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

EvaluationSamplesTable::EvaluationSamplesTable(QObject* parent) : ColumnModel(parent) {
  const auto text = [this](const QString& title, Cell cell) {
    return words(title, std::move(cell)).tipped_by_text().coloured_by([this](int row) {
      return entry(row).error.empty() ? QVariant() : QVariant(current_theme().anchor);
    });
  };
  const auto tokens = [this](int row) { return entry(row).tokens > 0 ? count_text(entry(row).tokens) : QString(); };
  set_columns({
      text(tr("Sample"), [this](int row) { return shown_text(entry(row).id, 100); }),
      text(tr("Slice"), [this](int row) { return shown_text(entry(row).slice, 100); }),
      numbers(tr("Score"), tr("The sample's score; the table above shows the mean. Perplexity tasks: nats per token"),
              score_text, [this](int row) { return sample_score(*cell_, entry(row)); })
          .tipped_by_text(),
      figures(tr("Tokens"), tokens)
          .sorted_by([this](int row) { return static_cast<double>(entry(row).tokens); })
          .tipped_by_text(),
      text(tr("Answer"), [this](int row) { return answer_text(entry(row)); }),
      text(tr("Reference"), [this](int row) { return reference(row); }),
      text(tr("Problem"), [this](int row) { return shown_text(entry(row).error); }),
  });
}

void EvaluationSamplesTable::set_cell(std::shared_ptr<const ScoreCell> cell,
                                      const std::vector<std::string>& references) {
  const auto same = [](const ScoreCell& a, const ScoreCell& b) {
    return a.policy == b.policy && a.task == b.task && a.length == b.length && a.entries.size() <= b.entries.size() &&
           !a.entries.empty() && a.entries.front().id == b.entries.front().id;
  };
  if (cell == cell_ && references == references_) return;
  references_ = references;
  const int now = cell ? static_cast<int>(cell->entries.size()) : 0;
  update_rows(cell_ && cell && same(*cell_, *cell), now, [&] { cell_ = std::move(cell); });
}

QString EvaluationSamplesTable::reference(int row) const {
  const auto index = static_cast<std::size_t>(row);
  return index < references_.size() ? shown_text(references_[index], most_answer_characters) : QString();
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
