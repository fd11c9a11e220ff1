// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/config/grouping.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/base/error.h"
#include "engine/base/json_integer.h"
#include "engine/families/model_config.h"

namespace carryover {

namespace {

bool contains(const std::vector<int>& ascending, int value) {
  return std::binary_search(ascending.begin(), ascending.end(), value);
}

void set_member(std::vector<int>& ascending, int value, bool present) {
  const auto at = std::lower_bound(ascending.begin(), ascending.end(), value);
  const bool there = at != ascending.end() && *at == value;
  if (present && !there) ascending.insert(at, value);
  if (!present && there) ascending.erase(at);
}

void check_members(const std::vector<int>& ascending, std::int64_t limit, const char* field, const char* what) {
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const std::string value = std::to_string(ascending[i]);
    if (ascending[i] < 0 || ascending[i] >= limit) {
      throw EngineError(Fault::BadInput, field, std::string(what) + " " + value + " is out of range",
                        "The model has " + std::to_string(limit) + " of them, counted from 0.");
    }
    if (i > 0 && ascending[i] == ascending[i - 1]) {
      throw EngineError(Fault::BadInput, field, std::string(what) + " " + value + " is listed twice",
                        "List each one once.");
    }
  }
}

std::vector<int> range(std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
  std::vector<int> values;
  for (std::int64_t value = begin; value < end; value += step) values.push_back(static_cast<int>(value));
  return values;
}

std::string text_of(const std::vector<int>& layers) {
  std::string text;
  for (const int layer : layers) text += (text.empty() ? "" : ", ") + std::to_string(layer);
  return text.empty() ? "it has none" : text;
}

/// Refuses layers whose own window keeps them from the past that is retrieved.
void check_global(const std::vector<int>& layers, const ModelConfig& model) {
  for (const int layer : layers)
    if (model.is_windowed(layer))
      throw EngineError(
          Fault::BadInput, "long_range_layers",
          "layer " + std::to_string(layer) + " sees only the last " + std::to_string(model.window) +
              " tokens, by the model's own window",
          "Long-range layers are some of those without a window: " + text_of(model.global_layers()) + ".");
}

/// Moves layers that were chosen for a model of 32 layers to the same depth of another model. A model of about 32
/// layers keeps their indices, because rounding would only move them by one.
std::vector<int> layers_at_depth(const std::vector<int>& of_32, std::int64_t layers) {
  if (layers >= 28 && layers <= 36) return of_32;
  std::vector<int> scaled;
  for (int layer : of_32) {
    const auto moved = static_cast<int>(std::lround(static_cast<double>(layer) * static_cast<double>(layers) / 32.0));
    scaled.push_back(std::min(moved, static_cast<int>(layers) - 1));
  }
  scaled.erase(std::unique(scaled.begin(), scaled.end()), scaled.end());
  return scaled;
}

const std::vector<int> kPaperLayers{6, 8, 11, 18};
const std::vector<int> kPaperCodeLayers{6, 8, 11, 16};
const std::vector<int> kPaperHeads{0, 1, 2, 4, 9, 12, 14, 15, 16, 18, 19, 22, 23, 26, 29, 30};

/// Returns the heads of the first whole KV groups: about a third of the heads, at most half. A single KV head can't be
/// divided into groups, so a third of its query heads are taken.
std::vector<int> first_kv_groups(const ModelConfig& model) {
  if (model.kv_heads == 1) return range(0, model.heads / 3 + (model.heads == 2 ? 1 : 0));
  const std::int64_t third = (2 * model.kv_heads + 3) / 6;
  const std::int64_t groups = std::clamp<std::int64_t>(third, 1, std::max<std::int64_t>(1, model.kv_heads / 2));
  return range(0, groups * model.group_size());
}

std::vector<int> ints_from_json(const nlohmann::json& json, const char* field) {
  const auto refuse = [&] {
    return EngineError(Fault::BadInput, field, "is not a list of integers: " + json.dump().substr(0, 80),
                       "Give a list such as [6, 8, 11, 18].");
  };
  if (!json.is_array()) throw refuse();
  std::vector<int> values;
  for (const auto& item : json) {
    const auto integer = find_integer(item);
    if (!integer || !std::in_range<int>(*integer)) throw refuse();
    values.push_back(static_cast<int>(*integer));
  }
  return values;
}

}  // namespace

Grouping::Grouping(std::vector<int> long_range_layers, std::vector<std::vector<int>> long_range_heads)
    : layers_(std::move(long_range_layers)), heads_(std::move(long_range_heads)) {
  if (heads_.empty()) heads_.emplace_back();
  std::sort(layers_.begin(), layers_.end());
  for (auto& list : heads_) std::sort(list.begin(), list.end());
}

const std::vector<int>& Grouping::long_heads(int layer) const {
  return heads_.size() == 1 ? heads_.front() : heads_.at(static_cast<std::size_t>(layer));
}

bool Grouping::is_long(int layer, int head) const {
  return contains(long_heads(layer), head);
}

bool Grouping::is_long_layer(int layer) const {
  return contains(layers_, layer);
}

std::vector<int> Grouping::local_heads(int layer, int heads) const {
  const std::vector<int> all = range(0, heads);
  const std::vector<int>& taken = long_heads(layer);
  std::vector<int> local;
  std::set_difference(all.begin(), all.end(), taken.begin(), taken.end(), std::back_inserter(local));
  return local;
}

void Grouping::set_long(int layer, int head, bool is_long, int layer_count) {
  CARRYOVER_CHECK(layer >= 0 && layer < layer_count);
  if (heads_.size() == 1) heads_.resize(static_cast<std::size_t>(layer_count), heads_.front());
  set_member(heads_.at(static_cast<std::size_t>(layer)), head, is_long);
}

void Grouping::set_long_layer(int layer, bool is_long) {
  set_member(layers_, layer, is_long);
}

double Grouping::local_share(const ModelConfig& model) const {
  std::int64_t taken = 0;
  for (int layer = 0; layer < model.layers; ++layer) taken += std::ssize(long_heads(layer));
  return 1.0 - static_cast<double>(taken) / static_cast<double>(model.layers * model.heads);
}

double Grouping::long_layer_share(const ModelConfig& model) const {
  return static_cast<double>(layers_.size()) / static_cast<double>(model.layers);
}

void Grouping::validate(const ModelConfig& model) const {
  check_members(layers_, model.layers, "long_range_layers", "layer");
  check_global(layers_, model);
  if (heads_.size() != 1 && std::ssize(heads_) != model.layers) {
    throw EngineError(Fault::BadInput, "long_range_heads",
                      "has " + std::to_string(heads_.size()) + " lists, but the model has " +
                          std::to_string(model.layers) + " layers",
                      "Give one list for all layers, or one per layer.");
  }
  for (const auto& list : heads_) check_members(list, model.heads, "long_range_heads", "head");
}

void to_json(nlohmann::json& json, const Grouping& grouping) {
  const auto& heads = grouping.long_range_heads();
  json = nlohmann::json{{"long_range_layers", grouping.long_range_layers()}};
  if (heads.size() == 1) {
    json["long_range_heads"] = heads.front();
  } else {
    json["long_range_heads"] = heads;
  }
}

void from_json(const nlohmann::json& json, Grouping& grouping) {
  if (!json.is_object()) {
    throw EngineError(Fault::BadInput, "grouping", "is not a JSON object",
                      "Give long_range_layers and long_range_heads.");
  }
  std::vector<int> layers = grouping.long_range_layers();
  std::vector<std::vector<int>> heads = grouping.long_range_heads();
  if (const auto at = json.find("long_range_layers"); at != json.end()) {
    layers = ints_from_json(*at, "long_range_layers");
  }
  if (const auto at = json.find("long_range_heads"); at != json.end()) {
    heads.clear();
    if (at->is_array() && !at->empty() && at->front().is_array()) {
      for (const auto& list : *at) heads.push_back(ints_from_json(list, "long_range_heads"));
    } else {
      heads.push_back(ints_from_json(*at, "long_range_heads"));
    }
  }
  grouping = Grouping(std::move(layers), std::move(heads));
}

std::vector<GroupingPreset> grouping_presets(const ModelConfig& model) {
  // A distant past can help only the layers that see it.
  const bool hybrid = model.windowed_layers() > 0;
  const auto at_depth = [&](const std::vector<int>& of_32) {
    return hybrid ? model.global_layers() : layers_at_depth(of_32, model.layers);
  };
  const std::vector<int> layers = at_depth(kPaperLayers);
  std::vector<GroupingPreset> presets;
  if (model.heads == 32) {
    presets.push_back(
        {"paper", "The paper's prior-based heads and long-range layers", Grouping(layers, {kPaperHeads})});
    presets.push_back({"paper-code", "The paper's heads, with the layers that its published head scores rank first",
                       Grouping(at_depth(kPaperCodeLayers), {kPaperHeads})});
  }
  presets.push_back({"first-kv-group", "Whole KV groups from the first on, about a third of the heads",
                     Grouping(layers, {first_kv_groups(model)})});
  presets.push_back({"contiguous", "The first half of the heads", Grouping(layers, {range(0, model.heads / 2)})});
  presets.push_back({"interleaved", "Every second head", Grouping(layers, {range(0, model.heads, 2)})});
  presets.push_back({"none", "No long-range head: every head reads the carried tail", Grouping(layers, {{}})});
  presets.push_back({"all", "Every head is long-range: nothing is carried", Grouping(layers, {range(0, model.heads)})});
  return presets;
}

Grouping default_grouping(const ModelConfig& model) {
  return grouping_presets(model).front().grouping;
}

}  // namespace carryover
