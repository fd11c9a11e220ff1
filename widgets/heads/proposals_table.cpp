// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/proposals_table.h"

#include <algorithm>
#include <cmath>

#include "engine/heads/choice/head_agreement.h"
#include "widgets/look/quantity_text.h"

namespace carryover {
namespace {

Proposal make_row(const QString& name, const Grouping& grouping, const HeadScores& scores, const Grouping& proposed) {
  const auto& layers = grouping.long_range_layers();
  const auto retrieving =
      std::count_if(layers.begin(), layers.end(), [&](int layer) { return grouping.retrieves(layer); });
  return {name,
          grouping,
          static_cast<int>(retrieving),
          static_cast<int>(retrieving_heads(grouping).size()),
          captured_share(scores, grouping),
          shared_heads(proposed, grouping).value_or(NAN)};
}

QString share_or_dash(double share) {
  return std::isnan(share) ? QStringLiteral("–") : percent_text(share, 1);
}

}  // namespace

std::vector<Proposal> list_proposals(const HeadScores& scores, const ModelConfig& model, const Grouping& current,
                                     const Grouping& proposed) {
  std::vector<Proposal> rows = {make_row(ProposalsTable::tr("proposed by score"), proposed, scores, proposed),
                                make_row(ProposalsTable::tr("current grouping"), current, scores, proposed)};
  for (const GroupingPreset& preset : grouping_presets(model))
    rows.push_back(make_row(QString::fromStdString(preset.name), preset.grouping, scores, proposed));
  return rows;
}

ProposalsTable::ProposalsTable(QObject* parent) : ColumnTable(parent) {
  set_columns({
      words(tr("Grouping"), tr("A grouping of heads and layers; the selected one is outlined in the map"),
            &Proposal::name),
      numbers(tr("Layers"), tr("Layers in which heads retrieve"), index_text, &Proposal::layers),
      numbers(tr("Heads"), tr("Heads that retrieve, over all layers"), index_text, &Proposal::heads),
      figures(tr("Score share"), tr("Share of the sum of all scores that falls on heads that retrieve"),
              [](const Proposal& row) { return share_or_dash(row.share); })
          .sorted_by(&Proposal::share),
      figures(tr("Overlap"), tr("Share of the heads proposed by score that retrieve in this grouping too"),
              [](const Proposal& row) { return share_or_dash(row.shared); })
          .sorted_by(&Proposal::shared),
  });
}

}  // namespace carryover
