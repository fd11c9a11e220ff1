// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspection/why_tables.h"

#include <QFont>
#include <algorithm>
#include <cmath>

#include "engine/runs/values/logit_shares.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"
#include "widgets/runs/state/run_model.h"

namespace carryover {

namespace {

QString share_text(double probability) {
  return probability_text(probability);
}

/// Returns the name of the part that the head adds most through, in either direction.
QString main_part(const HeadShare& share) {
  const std::array parts{std::pair(share.sinks, LogitShareTable::tr("sinks")),
                         std::pair(share.retrieved, LogitShareTable::tr("retrieved")),
                         std::pair(share.carry, LogitShareTable::tr("carry")),
                         std::pair(share.segment, LogitShareTable::tr("segment"))};
  return std::ranges::max_element(parts, {}, [](const auto& part) { return std::abs(part.first); })->second;
}

}  // namespace

std::vector<LikelyToken> likely_tokens(const RunModel& run, const PredictionAblations& ablations) {
  const std::vector<TopToken>& top = ablations.as_it_was.top;
  std::vector<LikelyToken> rows;
  for (std::size_t i = 0; i < top.size(); ++i) {
    const auto without = [&](PrefixPart part) {
      const auto found = std::ranges::find(ablations.without, part, &AblatedPrediction::part);
      return found == ablations.without.end() ? std::nan("") : std::exp(static_cast<double>(found->logprobs[i]));
    };
    rows.push_back({quoted_token(id_text(run, top[i].id)), top[i].id == ablations.as_it_was.target,
                    std::exp(static_cast<double>(top[i].logprob)), without(PrefixPart::Sinks),
                    without(PrefixPart::Retrieved), without(PrefixPart::Carry)});
  }
  return rows;
}

LikelyTable::LikelyTable(QObject* parent) : ColumnTable(parent) {
  using Row = const LikelyToken&;
  const auto token = words(tr("Likeliest tokens"), tr("The token that the text has here is marked with a dot"),
                           [](Row row) { return row.is_target ? row.text + QStringLiteral(" •") : row.text; });
  set_columns({
      token,
      numbers(tr("As it was"), tr("Probability in the run"), share_text, &LikelyToken::as_it_was),
      numbers(tr("No sinks"), tr("Probability if no head of the segment reads the sinks"), share_text,
              &LikelyToken::no_sinks),
      numbers(tr("No retrieval"), tr("Probability if no head of the segment reads what was retrieved"), share_text,
              &LikelyToken::no_retrieved),
      numbers(tr("No carry"), tr("Probability if no head of the segment reads the carry"), share_text,
              &LikelyToken::no_carry),
  });
}

std::vector<LensRow> lens_rows(const RunModel& run, const LogitLens& lens) {
  const auto token = [&run](const LensReading& reading) { return quoted_token(id_text(run, reading.top.id)); };
  std::vector<LensRow> rows;
  for (std::int64_t i = 0; i < std::ssize(lens.residual); ++i) {
    const LensReading& reading = lens.residual[static_cast<std::size_t>(i)];
    LensRow row{static_cast<int>(i) - 1,
                token(reading),
                {},
                std::exp(static_cast<double>(reading.top.logprob)),
                reading.rank + 1,
                std::exp(static_cast<double>(reading.target_logprob)),
                std::nan("")};
    const std::int64_t carried = row.layer - lens.first_carry_layer;
    if (carried >= 0 && carried < std::ssize(lens.carry)) {
      const LensReading& carry = lens.carry[static_cast<std::size_t>(carried)];
      row.carry = token(carry);
      row.carry_target = std::exp(static_cast<double>(carry.target_logprob));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

LensTable::LensTable(QObject* parent) : ColumnTable(parent) {
  using Row = const LensRow&;
  const auto layer = [](double number) { return number < 0 ? tr("embedding") : index_text(number); };
  set_columns({
      numbers(tr("Layer"), tr("The place in the model whose vector goes to the final norm and the head"), layer,
              [](Row row) { return row.layer; }),
      words(tr("Residual stream"), tr("Likeliest token by the residual stream there"),
            [](Row row) { return row.residual; }),
      numbers(tr("Probability"), tr("Probability of that token"), share_text, &LensRow::probability),
      numbers(tr("Rank"), tr("Rank of the token that the text has here; 1 is the likeliest"), whole_count_text,
              [](Row row) { return static_cast<double>(row.rank); }),
      numbers(tr("Target"), tr("Probability of the token that the text has here"), share_text, &LensRow::target),
      words(tr("Carry path"),
            tr("Likeliest token by the sum of what attention has read from the carry and written up to this layer"),
            [](Row row) { return row.carry; }),
      numbers(tr("Target, carry path"), tr("Probability of the text's token by that sum"), share_text,
              &LensRow::carry_target),
  });
}

std::vector<LogitShare> part_shares(const LogitAttribution& attribution, std::int64_t count) {
  std::vector<LogitShare> shares;
  for (const HeadShare& share : largest_heads(attribution, count))
    shares.push_back({LogitShare::Head, share.head.layer, share.head.head,
                      LogitShareTable::tr("mostly %1").arg(main_part(share)), share.logit});
  for (const NeuronShare& share : attribution.neurons)
    shares.push_back({LogitShare::Neuron, share.layer, share.neuron,
                      LogitShareTable::tr("activation %1").arg(decimal_text(static_cast<double>(share.activation), 2)),
                      static_cast<double>(share.logit)});
  std::ranges::stable_sort(shares, std::greater(), [](const LogitShare& share) { return std::abs(share.logit); });
  if (std::ssize(shares) > count) shares.resize(static_cast<std::size_t>(count));
  return shares;
}

std::vector<LogitShare> source_shares(const RunModel& run, const TokenSources& sources, std::int64_t count) {
  std::vector<LogitShare> shares;
  for (const SourceShare& share : largest_sources(sources, count))
    shares.push_back(
        {LogitShare::Position, -1, share.position, quoted_token(run.token_text(share.position)), share.logit});
  return shares;
}

LogitShareTable::LogitShareTable(const QString& places, const QString& texts, const QString& tip, QObject* parent)
    : ColumnTable(parent) {
  using Row = const LogitShare&;
  const auto place = [](Row row) -> QVariant {
    switch (row.kind) {
      case LogitShare::Head:
        return filled(tr("layer %1, head %2"), row.layer, row.number);
      case LogitShare::Neuron:
        return filled(tr("layer %1, neuron %2"), row.layer, row.number);
      case LogitShare::Position:
        return index_text(static_cast<double>(row.number));
    }
    return {};
  };
  const auto logit = [](double value) { return signed_text(value, 3); };
  set_columns({
      words(places, place),
      numbers(tr("Δ logit"), tip, logit, &LogitShare::logit),
      words(texts, [](Row row) { return row.text; }),
  });
}

}  // namespace carryover
