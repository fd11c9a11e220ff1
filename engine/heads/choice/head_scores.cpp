// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/choice/head_scores.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "engine/base/error.h"
#include "engine/base/json_parser.h"
#include "engine/base/text_parts.h"

namespace carryover {

namespace {

HeadScores empty_scores(const ModelConfig& model) {
  return {model.layers, model.heads, std::vector<double>(static_cast<std::size_t>(model.layers * model.heads))};
}

/// Returns the heads of a layer, best first; of equal heads the lower comes first.
std::vector<int> ranked_heads(const HeadScores& scores, int layer) {
  std::vector<int> order(static_cast<std::size_t>(scores.heads));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return scores.at(layer, a) > scores.at(layer, b); });
  return order;
}

[[noreturn]] void refuse_scores(const std::string& where, const std::string& what) {
  throw EngineError(Fault::BadInput, where, what, "Export the scores again, from a model of this shape.");
}

}  // namespace

std::string_view head_measure_name(HeadMeasure measure) {
  return measure == HeadMeasure::Copies ? "copies" : "attention";
}

HeadMeasure parse_head_measure(const std::string& name) {
  for (const HeadMeasure measure : {HeadMeasure::Attention, HeadMeasure::Copies})
    if (head_measure_name(measure) == name) return measure;
  throw EngineError(Fault::Usage, name, "is not a measure of heads", "Use attention or copies.");
}

HeadScores mean_scores(const HeadProfile& profile, HeadMeasure measure) {
  CARRYOVER_CHECK(!profile.kinds.empty());
  HeadScores mean = profile.kinds.front().of(measure);
  for (std::size_t i = 0; i < mean.values.size(); ++i) {
    double sum = 0;
    for (const ProbeScores& scores : profile.kinds) sum += scores.of(measure).values[i];
    mean.values[i] = sum / static_cast<double>(profile.kinds.size());
  }
  return mean;
}

Grouping propose_grouping(const HeadScores& scores, const ModelConfig& model, std::int64_t layers, std::int64_t heads) {
  std::vector<std::pair<double, int>>
      best;  // sum of a layer's best heads, negated so that of equal ones the lower is first
  for (const int layer : model.global_layers()) {
    const std::vector<int> ranked = ranked_heads(scores, layer);
    double sum = 0;
    for (std::int64_t i = 0; i < std::min(heads, scores.heads); ++i)
      sum += scores.at(layer, ranked[static_cast<std::size_t>(i)]);
    best.emplace_back(-sum, layer);
  }
  std::sort(best.begin(), best.end());
  best.resize(std::min(static_cast<std::size_t>(layers), best.size()));
  std::vector<int> chosen;
  std::vector<std::vector<int>> lists(static_cast<std::size_t>(scores.layers));
  for (const auto& [sum, layer] : best) {
    chosen.push_back(layer);
    std::vector<int> ranked = ranked_heads(scores, layer);
    ranked.resize(static_cast<std::size_t>(std::min(heads, scores.heads)));
    std::sort(ranked.begin(), ranked.end());
    lists[static_cast<std::size_t>(layer)] = ranked;
  }
  std::sort(chosen.begin(), chosen.end());
  return Grouping(chosen, lists);
}

double captured_share(const HeadScores& scores, const Grouping& grouping) {
  double captured = 0, all = 0;
  for (int layer = 0; layer < scores.layers; ++layer)
    for (int head = 0; head < scores.heads; ++head) {
      all += scores.at(layer, head);
      if (grouping.is_long_layer(layer) && grouping.is_long(layer, head)) captured += scores.at(layer, head);
    }
  return all > 0 ? captured / all : 0;
}

std::string duo_tsv(const HeadScores& scores, const ModelConfig& model) {
  const double most = std::max(1e-300, *std::max_element(scores.values.begin(), scores.values.end()));
  std::string text;
  for (int layer = 0; layer < model.layers; ++layer) {
    for (int kv = 0; kv < model.kv_heads; ++kv) {
      double best = 0;
      for (std::int64_t r = 0; r < model.group_size(); ++r)
        best = std::max(best, scores.at(layer, static_cast<int>(kv * model.group_size() + r)));
      char value[32];
      std::snprintf(value, sizeof value, "%s%.6f", kv ? "\t" : "", best / most);
      text += value;
    }
    text += '\n';
  }
  return text;
}

HeadScores scores_from_tsv(const std::string& text, const ModelConfig& model, const std::string& where) {
  HeadScores scores = empty_scores(model);
  std::int64_t layer = 0;
  for (const std::string& line : text_parts(text, '\n')) {
    const std::vector<std::string> words = text_words(line);
    if (words.empty()) continue;
    std::vector<double> row;
    for (const std::string& word : words) {
      std::size_t used = 0;
      double value = -1;
      try {
        value = std::stod(word, &used);
      } catch (const std::exception&) {
      }
      if (used != word.size() || !std::isfinite(value) || value < 0)
        refuse_scores(where, "line " + std::to_string(layer + 1) + ": \"" + word + "\" is not a score");
      row.push_back(value);
    }
    if (std::ssize(row) != model.kv_heads || layer >= model.layers)
      refuse_scores(where, "line " + std::to_string(layer + 1) + " does not fit a model of " +
                               std::to_string(model.layers) + " layers of " + std::to_string(model.kv_heads) +
                               " KV heads");
    for (std::int64_t head = 0; head < model.heads; ++head)
      scores.values[static_cast<std::size_t>(layer * model.heads + head)] =
          row[static_cast<std::size_t>(head / model.group_size())];
    ++layer;
  }
  if (layer != model.layers)
    refuse_scores(where, "has " + std::to_string(layer) + " lines for " + std::to_string(model.layers) + " layers");
  return scores;
}

nlohmann::json head_score_json(const HeadScores& scores) {
  nlohmann::json json = nlohmann::json::object();
  for (int layer = 0; layer < scores.layers; ++layer)
    for (int head = 0; head < scores.heads; ++head)
      json[std::to_string(layer) + "-" + std::to_string(head)] = {scores.at(layer, head)};
  return json;
}

HeadScores scores_from_json(const nlohmann::json& json, const ModelConfig& model, const std::string& where) {
  if (!json.is_object() || json.empty()) refuse_scores(where, "is not an object of \"layer-head\" scores");
  HeadScores scores = empty_scores(model);
  for (const auto& [name, values] : json.items()) {
    int layer = -1, head = -1, used = 0;
    if (std::sscanf(name.c_str(), "%d-%d%n", &layer, &head, &used) != 2 || used != static_cast<int>(name.size()) ||
        layer < 0 || layer >= model.layers || head < 0 || head >= model.heads)
      refuse_scores(where, "\"" + name + "\" names no head of a model of " + std::to_string(model.layers) +
                               " layers of " + std::to_string(model.heads) + " heads");
    if (!values.is_array() || values.empty()) refuse_scores(where, "\"" + name + "\" has no list of scores");
    double sum = 0;
    for (const nlohmann::json& value : values) {
      if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0)
        refuse_scores(where, "\"" + name + "\" has a score that is none");
      sum += value.get<double>();
    }
    scores.values[static_cast<std::size_t>(layer * model.heads + head)] = sum / static_cast<double>(values.size());
  }
  return scores;
}

HeadScores scores_from_text(const std::string& text, const ModelConfig& model, const std::string& where) {
  const auto json = find_json(text);
  return json && json->is_object() ? scores_from_json(*json, model, where) : scores_from_tsv(text, model, where);
}

}  // namespace carryover
