// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/head_patterns.h"

#include <charconv>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/json_integer.h"

namespace carryover {

namespace {

constexpr std::int64_t kMostPatternSize = 2'147'483'647;
constexpr double kMostPatternScore = 9'007'199'254'740'992;  // 2^53: whole numbers below it are kept exactly

constexpr const char* kPatternSizes = "Give a whole number from 1 to 2147483647.";
constexpr const char* kPatternScores = "Give a number between -2^53 and 2^53.";

/// A part of a list of patterns, with its name for errors.
struct PatternPlace {
  const std::string& where;
  std::string name;  ///< empty: the whole of a file

  PatternPlace layer(std::size_t index) const { return {where, joined("layer " + std::to_string(index))}; }
  PatternPlace head(std::size_t index, const std::string& key) const {
    return {where, joined("layer " + std::to_string(index) + ", head " + key)};
  }
  [[noreturn]] void refuse(const std::string& problem, const std::string& advice) const {
    throw EngineError(Fault::BadInput, where, joined(problem), advice);
  }

 private:
  std::string joined(const std::string& text) const { return name.empty() ? text : name + " " + text; }
};

std::string text_of_value(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).substr(0, 60);
}

/// Reads a key such as "12": digits without a leading zero, so that no head has two names.
std::optional<int> head_of_key(const std::string& key) {
  unsigned head = 0;
  const char* const end = key.data() + key.size();
  const auto [stop, code] = std::from_chars(key.data(), end, head);
  if (code != std::errc() || stop != end || !std::in_range<int>(head)) return std::nullopt;
  if (key.size() > 1 && key.front() == '0') return std::nullopt;
  return static_cast<int>(head);
}

PatternKind read_pattern_kind(const nlohmann::json& value, const PatternPlace& place) {
  for (std::size_t kind = 0; kind < kPatternKindNames.size(); ++kind)
    if (value == kPatternKindNames[kind]) return static_cast<PatternKind>(kind);
  place.refuse("has the unknown kind " + text_of_value(value), "Use vertical_and_slash, stream_llm or block_sparse.");
}

std::int64_t read_pattern_size(const nlohmann::json& value, const char* name, const PatternPlace& place) {
  const auto size = find_integer(value);
  if (!size || *size < 1 || *size > kMostPatternSize)
    place.refuse(std::string("has the ") + name + " size " + text_of_value(value), kPatternSizes);
  return *size;
}

bool is_pattern_score(double score) {
  return std::abs(score) < kMostPatternScore;  // false for NaN, too
}

HeadPattern read_pattern(const nlohmann::json& value, const PatternPlace& place) {
  if (!value.is_array() || value.size() != 4)
    place.refuse("is not a pattern: " + text_of_value(value),
                 "Give kind, two sizes and a score, such as [\"vertical_and_slash\", 1000, 6096, 0.98].");
  HeadPattern pattern;
  pattern.kind = read_pattern_kind(value[0], place);
  pattern.vertical = read_pattern_size(value[1], "vertical", place);
  pattern.slash = read_pattern_size(value[2], "slash", place);
  if (!value[3].is_number() || !is_pattern_score(value[3].get<double>()))
    place.refuse("has the score " + text_of_value(value[3]), kPatternScores);
  pattern.score = value[3].get<double>();
  return pattern;
}

std::map<int, HeadPattern> read_pattern_layer(const nlohmann::json& heads, std::size_t layer,
                                              const PatternPlace& list) {
  std::map<int, HeadPattern> patterns;
  if (heads.is_null()) return patterns;
  if (!heads.is_object())
    list.layer(layer).refuse("is not an object of heads: " + text_of_value(heads),
                             "Give patterns by head, such as {\"0\": [\"vertical_and_slash\", 1000, 6096, 0.98]}.");
  for (const auto& [key, value] : heads.items()) {
    const auto head = head_of_key(key);
    if (!head)
      list.layer(layer).refuse("names the head \"" + key.substr(0, 60) + "\"",
                               "Name heads by their numbers from 0 on, without zeros in front, such as \"12\".");
    patterns.emplace(*head, read_pattern(value, list.head(layer, key)));
  }
  return patterns;
}

}  // namespace

HeadPattern HeadPatterns::at(int layer, int head) const {
  if (layer < 0 || layer >= std::ssize(layers)) return {};
  const std::map<int, HeadPattern>& heads = layers[static_cast<std::size_t>(layer)];
  const auto found = heads.find(head);
  return found == heads.end() ? HeadPattern() : found->second;
}

void HeadPatterns::set(int layer, int head, const HeadPattern& pattern) {
  CARRYOVER_CHECK(layer >= 0 && head >= 0);
  const auto index = static_cast<std::size_t>(layer);
  if (index >= layers.size()) layers.resize(index + 1);
  layers[index][head] = pattern;
}

std::int64_t HeadPatterns::count() const {
  std::int64_t heads = 0;
  for (const std::map<int, HeadPattern>& layer : layers) heads += std::ssize(layer);
  return heads;
}

void HeadPatterns::validate(const ModelConfig& model, const std::string& where, const std::string& field) const {
  const PatternPlace list{where, field};
  if (std::ssize(layers) > model.layers)
    list.refuse("has " + std::to_string(layers.size()) + " layers, but the model has " + std::to_string(model.layers),
                "Use a file that was made for this model.");
  for (std::size_t layer = 0; layer < layers.size(); ++layer)
    for (const auto& [head, pattern] : layers[layer]) {
      if (head < 0 || head >= model.heads)
        list.layer(layer).refuse("has head " + std::to_string(head) + ", which the model lacks",
                                 "It has " + std::to_string(model.heads) + " heads in each layer, counted from 0.");
      for (const auto& [name, size] : {std::pair("vertical", pattern.vertical), {"slash", pattern.slash}})
        if (size < 1 || size > kMostPatternSize)
          list.head(layer, std::to_string(head))
              .refuse(std::string("has the ") + name + " size " + std::to_string(size), kPatternSizes);
      if (!is_pattern_score(pattern.score))
        list.head(layer, std::to_string(head)).refuse("has a score that is out of range", kPatternScores);
    }
}

void to_json(nlohmann::json& json, const HeadPatterns& patterns) {
  json = nlohmann::json::array();
  for (const std::map<int, HeadPattern>& heads : patterns.layers) {
    nlohmann::json layer = nlohmann::json::object();
    for (const auto& [head, pattern] : heads)
      layer[std::to_string(head)] = nlohmann::json::array(
          {kPatternKindNames[static_cast<std::size_t>(pattern.kind)], pattern.vertical, pattern.slash, pattern.score});
    json.push_back(std::move(layer));
  }
}

HeadPatterns head_patterns_from_json(const nlohmann::json& json, const std::string& where, const std::string& field) {
  const PatternPlace list{where, field};
  if (!json.is_array())
    list.refuse("is not a list of layers: " + text_of_value(json),
                "Give an object of heads for each layer, as MInference's files have them.");
  HeadPatterns patterns;
  for (const nlohmann::json& heads : json)
    patterns.layers.push_back(read_pattern_layer(heads, patterns.layers.size(), list));
  return patterns;
}

}  // namespace carryover
