// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/prediction_change.h"

#include <QCoreApplication>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/runs/state/foil_token.h"

namespace carryover {
namespace {

using nlohmann::json;

struct Change {
  Q_DECLARE_TR_FUNCTIONS(PredictionChange)
};

QString number(double value) {
  return decimal_text(value, 3);
}

/// JSON has no NaN: it is null there.
double real_of(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

json side_json(const Prediction& side) {
  json fields{{"logit", side.logit}, {"probability", side.probability}};
  if (side.foil) fields.update({{"foil_logit", side.foil_logit}, {"foil_probability", side.foil_probability}});
  return fields;
}

void read_side(Prediction& side, const json& fields) {
  side.logit = real_of(fields.at("logit"));
  side.probability = real_of(fields.at("probability"));
  if (!side.foil) return;
  side.foil_logit = real_of(fields.at("foil_logit"));
  side.foil_probability = real_of(fields.at("foil_probability"));
}

}  // namespace

QString logit_name(const QString& target, const QString& foil) {
  return foil.isEmpty() ? Change::tr("logit of %1").arg(quoted_token(target))
                        : Change::tr("logit of %1 − logit of %2").arg(quoted_token(target), quoted_token(foil));
}

Prediction with_loss(Prediction prediction, float nll) {
  if (std::isnan(nll)) return prediction;
  prediction.probability = token_probability(nll);
  if (prediction.foil)
    prediction.foil_probability = prediction.probability * std::exp(prediction.foil_logit - prediction.logit);
  return prediction;
}

QString prediction_text(const PredictionChange& change) {
  const auto probabilities = [](const QString& token, double before, double after) {
    return Change::tr("probability of %1: %2 → %3")
        .arg(quoted_token(token), probability_text(before), probability_text(after));
  };
  const double difference = change.logit_change();
  QString text = filled(Change::tr("At %1, %2: %3 → %4 (Δ %5); %6"), change.position,
                        logit_name(change.target, change.foil), number(change.before.logit_difference()),
                        number(change.after.logit_difference()), signed_text(difference, 3),
                        probabilities(change.target, change.before.probability, change.after.probability));
  if (change.before.foil)
    text += QStringLiteral("; ") +
            probabilities(change.foil, change.before.foil_probability, change.after.foil_probability);
  return text;
}

json prediction_json(const PredictionChange& change) {
  json fields{{"position", change.position},
              {"target", change.before.target},
              {"target_text", change.target.toStdString()},
              {"before", side_json(change.before)},
              {"after", side_json(change.after)}};
  if (change.before.foil) fields.update({{"foil", *change.before.foil}, {"foil_text", change.foil.toStdString()}});
  return fields;
}

PredictionChange prediction_from_json(const json& fields, const std::string& where) {
  PredictionChange change;
  const auto id_of = [&](const char* key) {
    const std::int64_t id = read_integer(fields.at(key), where, key);
    if (id < 0 || id > std::numeric_limits<std::int32_t>::max())
      throw EngineError(Fault::BadInput, where, std::string("\"") + key + "\" is not a token",
                        "Run the what-if again.");
    return static_cast<std::int32_t>(id);
  };
  change.position = read_integer(fields.at("position"), where, "position");
  change.target = qstring(fields.at("target_text").get<std::string>());
  for (Prediction* side : {&change.before, &change.after}) {
    side->target = id_of("target");
    if (fields.contains("foil")) side->foil = id_of("foil");
  }
  if (fields.contains("foil")) change.foil = qstring(fields.at("foil_text").get<std::string>());
  read_side(change.before, fields.at("before"));
  read_side(change.after, fields.at("after"));
  return change;
}

}  // namespace carryover
