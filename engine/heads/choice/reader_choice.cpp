// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/choice/reader_choice.h"

#include <algorithm>

#include "engine/base/text_parts.h"
#include "engine/config/recall_preset.h"

namespace carryover {

namespace {

/// Readers that are dropped together: those of a layer, or those of one KV head of a layer.
using Unit = std::vector<HeadRef>;

std::vector<Unit> layers_of(const Grouping& readers) {
  std::vector<Unit> units;
  for (const int layer : readers.long_range_layers()) {
    Unit& unit = units.emplace_back();
    for (const int head : readers.long_heads(layer)) unit.push_back({layer, head});
  }
  return units;
}

std::vector<Unit> kv_heads_of(const Grouping& readers, const ModelConfig& model) {
  std::vector<Unit> units;
  const auto group = static_cast<int>(model.group_size());
  for (const int layer : readers.long_range_layers())
    for (const int head : readers.long_heads(layer)) {
      const bool same =
          !units.empty() && units.back().front().layer == layer && units.back().front().head / group == head / group;
      if (!same) units.emplace_back();
      units.back().push_back({layer, head});
    }
  return units;
}

Grouping without(const Grouping& readers, const std::vector<const Unit*>& dropped, const ModelConfig& model) {
  const auto layers = static_cast<int>(model.layers);
  std::vector<std::vector<int>> lists(static_cast<std::size_t>(layers));
  for (const int layer : readers.long_range_layers())
    lists[static_cast<std::size_t>(layer)] = readers.long_heads(layer);
  for (const Unit* unit : dropped)
    for (const HeadRef head : *unit) std::erase(lists[static_cast<std::size_t>(head.layer)], head.head);
  std::vector<int> left;
  for (int layer = 0; layer < layers; ++layer)
    if (!lists[static_cast<std::size_t>(layer)].empty()) left.push_back(layer);
  return {left, lists};
}

/// Drops the units that `units_of` returns as long as the loss stays within `bound`.
class Dropping {
 public:
  Dropping(const ModelConfig& model, double bound, const MeasureReaders& measure, RecallHeads& heads,
           const std::function<void()>& kept, const std::function<void(double, const std::string&)>& progress)
      : model_(model), bound_(bound), measure_(measure), heads_(heads), kept_(kept), progress_(progress) {}

  template <typename UnitsOf>
  void run(const UnitsOf& units_of, const std::string& name) {
    for (;;) {
      const std::vector<Unit> units = units_of(heads_.readers.back().readers);
      if (units.size() < 2 || !drop_some(units, name)) return;
    }
  }

 private:
  bool drop_some(const std::vector<Unit>& units, const std::string& name) {
    std::vector<std::pair<double, const Unit*>> order;
    const std::string what = std::to_string(units.size()) + " " + name + " read, loss " +
                             fixed_text(heads_.readers.back().loss, 3) + " (at most " + fixed_text(bound_, 3) + ")";
    for (const Unit& unit : units) {
      progress_(static_cast<double>(order.size()) / static_cast<double>(units.size()), what);
      order.emplace_back(measure_(without(heads_.readers.back().readers, {&unit}, model_)).loss, &unit);
    }
    std::ranges::stable_sort(order, {}, [](const auto& entry) { return entry.first; });
    for (std::size_t count = std::max<std::size_t>(1, units.size() / 4); count > 0; count /= 2) {
      std::vector<const Unit*> dropped;
      for (std::size_t i = 0; i < count; ++i) dropped.push_back(order[i].second);
      ReaderStep step = measure_(without(heads_.readers.back().readers, dropped, model_));
      if (!(step.loss <= bound_)) continue;
      heads_.readers.push_back(std::move(step));
      kept_();
      return true;
    }
    return false;
  }

  const ModelConfig& model_;
  double bound_;
  const MeasureReaders& measure_;
  RecallHeads& heads_;
  const std::function<void()>& kept_;
  const std::function<void(double, const std::string&)>& progress_;
};

/// Returns true if some layer lost a part of its heads, which means that the choice was stopped while it dropped KV
/// heads.
bool has_part_of_a_layer(const Grouping& readers, const ModelConfig& model) {
  return std::ranges::any_of(readers.long_range_layers(),
                             [&](int layer) { return std::ssize(readers.long_heads(layer)) < model.heads; });
}

}  // namespace

void choose_readers(const ModelConfig& model, double loss_rise, const MeasureReaders& measure, RecallHeads& heads,
                    const std::function<void()>& kept,
                    const std::function<void(double share, const std::string& what)>& progress) {
  if (heads.readers.empty()) {
    heads.readers.push_back(measure(all_readers(model)));
    kept();
  }
  Dropping dropping(model, heads.readers.front().loss * (1 + loss_rise), measure, heads, kept, progress);
  if (!has_part_of_a_layer(heads.readers.back().readers, model)) dropping.run(layers_of, "layers");
  dropping.run([&](const Grouping& readers) { return kv_heads_of(readers, model); }, "KV heads");
}

}  // namespace carryover
