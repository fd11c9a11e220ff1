// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace carryover {

struct ModelConfig;

/// H_long and L_long (subsec:arch). Heads are QUERY heads, zero-indexed; a layer's list ascends without repeats. A head
/// in the list is long-range in every layer: in the layers of L_long it reads a retrieved prefix, and in others it sees
/// its segment alone. A plain value; any thread.
class Grouping {
 public:
  Grouping() = default;
  /// Takes one list of heads for all layers (as in the paper), or one per layer.
  Grouping(std::vector<int> long_range_layers, std::vector<std::vector<int>> long_range_heads);

  const std::vector<int>& long_range_layers() const { return layers_; }
  const std::vector<std::vector<int>>& long_range_heads() const { return heads_; }

  const std::vector<int>& long_heads(int layer) const;  ///< long-range heads of `layer`
  bool is_long(int layer, int head) const;
  bool is_long_layer(int layer) const;  ///< layer ∈ L_long
  bool retrieves(int layer) const { return is_long_layer(layer) && !long_heads(layer).empty(); }
  std::vector<int> local_heads(int layer, int heads) const;

  void set_long(int layer, int head, bool is_long, int layer_count);  ///< expands to one list per layer if needed
  void set_long_layer(int layer, bool is_long);

  /// α: the share of local heads over all layers. β: the share of long-range layers.
  double local_share(const ModelConfig&) const;
  double long_layer_share(const ModelConfig&) const;

  /// Throws EngineError{BadInput} if a head or layer is out of range.
  void validate(const ModelConfig&) const;

  bool operator==(const Grouping&) const = default;

 private:
  std::vector<int> layers_;
  std::vector<std::vector<int>> heads_{{}};
};

void to_json(nlohmann::json& json, const Grouping& grouping);
void from_json(const nlohmann::json& json, Grouping& grouping);

/// A named grouping that fits a model: "paper", "paper-code" (32 heads only), "contiguous", "interleaved", "none",
/// "all", "first-kv-group".
struct GroupingPreset {
  std::string name;
  std::string description;
  Grouping grouping;
};
std::vector<GroupingPreset> grouping_presets(const ModelConfig& model);
Grouping default_grouping(const ModelConfig& model);

}  // namespace carryover
